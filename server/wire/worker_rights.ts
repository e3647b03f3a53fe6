/**
 * A path and the file to which it links: a permission for a link does not include that file.
 * A path that does not exist yet is returned alone.
 */
export function withReal(path: string): string[] {
  try {
    return [...new Set([path, Deno.realPathSync(path)])];
  } catch {
    return [path];
  }
}

/**
 * Permissions of a worker that processes untrusted files: only the given paths.
 *
 * @param read Paths that the worker may read: the program, and the files of the task.
 * @param write Paths that the worker may write.
 */
export const rightsToFiles = (
  read: string[],
  write: string[] = [],
): Deno.PermissionOptions => ({
  read,
  // with an empty list, Deno would grant write access to every path
  write: write.length > 0 ? write : false,
  env: false,
  net: false,
  sys: false,
  run: false,
  ffi: false,
  import: false,
});
