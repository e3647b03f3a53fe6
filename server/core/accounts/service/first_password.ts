const pathIn = (dataDir: string) => `${dataDir}/first-password`;

/**
 * Leaves the first administrator's password in a file that the server's account alone may read.
 * @returns its path.
 */
export function leaveFirstPassword(dataDir: string, password: string): string {
  const path = pathIn(dataDir);
  Deno.writeTextFileSync(path, password + "\n", { mode: 0o600 });
  return path;
}

/** Removes that file once its password has been replaced; one with another password stays. */
export async function discardFirstPassword(dataDir: string, replaced: string): Promise<void> {
  try {
    const content = await Deno.readTextFile(pathIn(dataDir));
    if (content.trim() === replaced) await Deno.remove(pathIn(dataDir));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
