import { AppError } from "@/model/errors.ts";
import { blobPath, listBlobFiles, makeFolders, syncFolder } from "@/server/core/blobs/blob_file.ts";
import {
  contentOf,
  looksSealed,
  type Seal,
  writeContent,
} from "@/server/core/blobs/sealed_file.ts";

/** Result of encrypting or decrypting the files of a store. */
interface Rewritten {
  /** number of rewritten files */
  count: number;
  /** number of files that were already encrypted (or decrypted) as requested */
  kept: number;
  /** damaged files, which are left unchanged */
  damaged: string[];
}

const isSealed = async (path: string) => {
  using file = await Deno.open(path);
  return await looksSealed(file);
};

/**
 * Encrypts or decrypts all files of a store. An interrupted run can be continued.
 * Each file is written beside the original, synced and renamed, so that no process reads a part.
 *
 * @param key Key of the encrypted files, for both directions.
 * @param toSealed true: encrypt; false: decrypt.
 * @param tell Receives the progress after each file: number of files done, and of all files.
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
