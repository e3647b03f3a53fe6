import { AppError } from "@/model/errors.ts";
import type { FileDigest } from "@/server/core/blobs/blob_file.ts";
import { contentDigest } from "@/server/core/blobs/sealed_file.ts";

/**
 * Creates a function that computes the digest of a stored file.
 * @param key Key of the store; unencrypted files are read too. `null`: all files are unencrypted.
 * @returns a function of path and hash, which returns `null` for a missing file,
 * and a digest with an empty hash for a file that cannot be decrypted.
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
