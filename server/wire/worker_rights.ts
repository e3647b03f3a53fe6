/**
 * A path, and where it leads: a right to a link does not reach its file or folder. One that does
 * not exist yet stays as it is.
 */
export function withReal(path: string): string[] {
  try {
    return [path, Deno.realPathSync(path)];
  } catch {
    return [path];
  }
}

/**
 * Rights of a worker that handles foreign bytes: named paths and nothing else.
 *
 * @param read   Paths that it may read: its program, and the files of its task.
 * @param write  Paths that it may write.
 */
export const rightsToFiles = (
  read: string[],
  write: string[] = [],
): Deno.PermissionOptions => ({
  read,
  // an empty list would grant every path
  write: write.length > 0 ? write : false,
  env: false,
  net: false,
  sys: false,
  run: false,
  ffi: false,
  import: false,
});
