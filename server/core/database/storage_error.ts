import { AppError } from "@/model/errors.ts";

/** A file system that was mounted read-only, by itself after an error; a folder without the right. */
const REFUSES_WRITES = ["EROFS", "EACCES", "EPERM"];

/**
 * Gives a full disk its own code, `storage.full`, and one that takes no changes `storage.read_only`.
 * @returns that error; any other error unchanged.
 */
export function storageError(error: unknown): unknown {
  const code = (error as { code?: string } | null)?.code;
  if (
    code === "ENOSPC" || code === "EDQUOT" ||
    /no space left|os error 28\b|quota/i.test(String(error))
  ) {
    return new AppError("storage.full", "Cannot store the file: the disk is full", {}, {
      cause: error,
    });
  }
  if (REFUSES_WRITES.includes(code ?? "") || /os error (1|13|30)\b/i.test(String(error))) {
    return new AppError(
      "storage.read_only",
      "Cannot store the file: the disk takes no changes",
      {},
      {
        cause: error,
      },
    );
  }
  return error;
}
