import { AppError } from "@/model/errors.ts";
import type { FileDigest } from "@/server/core/blobs/blob_file.ts";
import { contentDigest } from "@/server/core/blobs/sealed_file.ts";

/**
 * Digests the files of a store.
 * @param key Key of the files; earlier ones in the clear are read too. `null`: none is encrypted.
 * @returns a function of path and hash that gives `null` when there is no such file, and no hash
 *   for one that does not open: its content is unknown.
 */
export const storedDigest =
  (key: Uint8Array | null) => async (path: string, hash: string): Promise<FileDigest | null> => {
    try {
      return await contentDigest(path, key && { key, name: hash }, true);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      if (error instanceof AppError && error.code === "file.damaged") {
        return { hash: "", sizeBytes: 0 };
      }
      throw error;
    }
  };
