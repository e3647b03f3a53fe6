import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";
import type { IncomingFile } from "@/server/core/studies/service/receive.ts";

/** Number of received bytes after which the free disk space is checked again. */
const LOOK_EVERY_BYTES = 256 << 10;

/**
 * Files of an upload; while they arrive, the free disk space is checked.
 * This covers bytes beyond the size that the sender announced.
 * @throws {AppError} `storage.full` at the file that does not fit,
 * while the disk still has enough space for other tasks.
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
    // throws instead of reading the remaining body
    if (full !== null) throw full;
  }
}
