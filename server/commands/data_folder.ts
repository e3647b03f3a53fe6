import { AppError } from "@/model/errors.ts";

/**
 * Takes a data folder for this process, as the running site does.
 * @param what What cannot be done otherwise, e.g. "move the data".
 * @returns the open lock file: close it at the end.
 * @throws {AppError} `input.invalid` when a site runs on the folder.
 */
export async function lockFolder(dataDir: string, what: string): Promise<Deno.FsFile> {
  const file = await Deno.open(`${dataDir}/lock`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return file;
  file.close();
  throw new AppError(
    "input.invalid",
    `Cannot ${what}: Sulcus is running on ${dataDir}; stop it first`,
  );
}
