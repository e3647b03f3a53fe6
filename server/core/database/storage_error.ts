import { AppError } from "@/model/errors.ts";

/**
 * Gives a full disk its own code, `storage.full`. @returns that error; any other error unchanged.
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
  return error;
}
