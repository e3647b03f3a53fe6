/** Folders with React components: pages, roots, and the rooms of the features. */
export const PAGE_FOLDERS = [
  "components",
  "header",
  "islands",
  "licence",
  "notices",
  "report/html",
  "results",
  "routes",
  "settings",
  "status",
  "viewer",
  "worklist",
] as const;

/** Every file at or under a path; nothing when the path does not exist. */
export async function* filesUnder(path: string): AsyncGenerator<string> {
  const info = await Deno.stat(path).catch(() => null);
  if (info?.isFile) yield path;
  if (!info?.isDirectory) return;
  for await (const entry of Deno.readDir(path)) yield* filesUnder(`${path}/${entry.name}`);
}
