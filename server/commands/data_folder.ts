import { AppError } from "@/model/errors.ts";

/**
 * Locks a data folder for this process, as a running site does.
 * @param what Action for the error message, such as "move the data".
 * @returns the open lock file; closing it releases the lock.
 * @throws {AppError} `input.invalid` if a site is running on the folder.
 */
export async function lockFolder(dataDir: string, what: string): Promise<Deno.FsFile> {
  const file = await Deno.open(`${dataDir}/lock`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return file;
  file.close();
  throw new AppError(
    "input.invalid",
    `Cannot ${what}: Sulcus is running on ${dataDir}; stop the server first`,
  );
}
