import { AppError } from "@/model/errors.ts";
import { blobPath, listBlobFiles, makeFolders, syncFolder } from "@/server/core/blobs/blob_file.ts";
import {
  contentOf,
  looksSealed,
  type Seal,
  writeContent,
} from "@/server/core/blobs/sealed_file.ts";

/** Result for the files of a store. */
interface Rewritten {
  /** rewritten */
  count: number;
  /** as they were to be already */
  kept: number;
  /** damaged: they stay as they are */
  damaged: string[];
}

const isSealed = async (path: string) => {
  using file = await Deno.open(path);
  return await looksSealed(file);
};

/**
 * Encrypts every file of a store, or writes all of them in the clear again. Each is written beside
 * its place, forced to disk and renamed, so that it is whole however this ends, and may be read
 * meanwhile; another run goes on where one was cut short.
 *
 * @param key Key of the sealed ones.
 * @param toSealed Whether they are to be sealed.
 * @param tell Hears of every file: how many are done, of how many.
 * @throws {AppError} `storage.full`.
 */
export async function rewriteBlobs(
  folder: string,
  key: Uint8Array,
  toSealed: boolean,
  tell: (done: number, all: number) => void = () => {},
): Promise<Rewritten> {
  const hashes = await listBlobFiles(folder),
    outcome: Rewritten = { count: 0, kept: 0, damaged: [] };
  const sealing = `${folder}/sealing`;
  makeFolders(sealing);
  for (const [at, hash] of hashes.entries()) {
    const path = blobPath(folder, hash), seal: Seal = { key, name: hash };
    try {
      if (await isSealed(path) === toSealed) outcome.kept++;
      else {
        const part = `${sealing}/rewrite-${crypto.randomUUID()}`;
        await writeContent(path, contentOf(path, toSealed ? null : seal), toSealed ? seal : null, {
          part,
          hash,
        });
        await syncFolder(path.slice(0, path.lastIndexOf("/")));
        outcome.count++;
      }
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue;
      if (!(error instanceof AppError) || error.code !== "file.damaged") throw error;
      outcome.damaged.push(hash);
    }
    tell(at + 1, hashes.length);
  }
  return outcome;
}
