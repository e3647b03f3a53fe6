import { AppError } from "@/model/errors.ts";

/**
 * Error codes of a read-only file system (remounted after an error), and of a missing permission.
 */
const REFUSES_WRITES = ["EROFS", "EACCES", "EPERM"];

/**
 * Converts the error of a full disk to `storage.full`, and of a read-only disk to
 * `storage.read_only`.
 * @returns the converted error; any other error unchanged.
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
