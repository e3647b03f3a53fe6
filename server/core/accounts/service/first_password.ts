const pathIn = (dataDir: string) => `${dataDir}/first-password`;

/**
 * Writes the first administrator's password to a file that only the server's account can read.
 * @returns path of the file.
 */
export function leaveFirstPassword(dataDir: string, password: string): string {
  const path = pathIn(dataDir);
  Deno.writeTextFileSync(path, password + "\n", { mode: 0o600 });
  return path;
}

/** Deletes the password file after that password was replaced; a file with another one stays. */
export async function discardFirstPassword(dataDir: string, replaced: string): Promise<void> {
  try {
    const content = await Deno.readTextFile(pathIn(dataDir));
    if (content.trim() === replaced) await Deno.remove(pathIn(dataDir));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
