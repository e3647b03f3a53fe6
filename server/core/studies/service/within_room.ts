import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";
import type { IncomingFile } from "@/server/core/studies/service/receive.ts";

/** Bytes between two looks at the disk. */
const LOOK_EVERY_BYTES = 256 << 10;

/**
 * Files of an upload, as long as there is room for them: what a request did not announce counts
 * while it comes.
 * @throws {AppError} `storage.full`, from the file that is too much; nothing else of the site sees
 *   a full disk by it.
 */
export async function* withinRoom(
  services: ServiceContext,
  files: AsyncIterable<IncomingFile>,
): AsyncGenerator<IncomingFile> {
  let unseen = 0, full: unknown = null;
  const counted = async function* (body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      unseen += chunk.length;
      if (unseen >= LOOK_EVERY_BYTES) {
        await checkDiskSpace(services, chunk.length).catch((error) => {
          full = error;
          throw error;
        });
        unseen = 0;
      }
      yield chunk;
    }
  };
  for await (const file of files) {
    yield { ...file, body: counted(file.body) };
    // the rest of the body is not even looked at
    if (full !== null) throw full;
  }
}
