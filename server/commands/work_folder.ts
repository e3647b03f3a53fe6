/**
 * Folder for decrypted files of a site: in its data folder, which hospitals keep on an encrypted
 * disk. On a machine without that folder: where the system has temporary files.
 * @returns path of a new, empty folder, which the caller removes.
 */
export async function makeWorkFolder(dataDir: string, prefix: string): Promise<string> {
  const isSite = (await Deno.stat(dataDir).catch(() => null))?.isDirectory === true;
  return await Deno.makeTempDir({ prefix, ...isSite ? { dir: dataDir } : {} });
}
