/** Folders that contain React components: pages, roots and features. */
export const PAGE_FOLDERS = [
  "components",
  "islands",
  "report/html",
  "routes",
  "viewer",
] as const;

/** Lists all files at or under a path; empty for a missing path. */
export async function* filesUnder(path: string): AsyncGenerator<string> {
  const info = await Deno.stat(path).catch(() => null);
  if (info?.isFile) yield path;
  if (!info?.isDirectory) return;
  for await (const entry of Deno.readDir(path)) yield* filesUnder(`${path}/${entry.name}`);
}
