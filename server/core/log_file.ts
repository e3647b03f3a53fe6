import { dirname } from "node:path";

/** Size at which a log file is rotated, and the number of former files that are kept. */
const ROTATE_BYTES = 16 << 20, KEPT_FILES = 5;

/**
 * Writes lines into a file; a full one becomes `FILE.1`, the former one `FILE.2`, and the oldest is
 * removed. Lines that cannot be written, on a full disk, go to standard error: a log never stops
 * the site.
 * @throws Error when the file cannot be opened at first.
 */
export function openLogFile(
  path: string,
  { rotateBytes = ROTATE_BYTES, kept = KEPT_FILES } = {},
): (line: string) => void {
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const encoder = new TextEncoder();
  const open = () => Deno.openSync(path, { create: true, append: true, mode: 0o600 });
  let file = open(), size = file.statSync().size;
  const rotate = () => {
    file.close();
    try {
      for (let n = kept; n > 0; n--) {
        try {
          Deno.renameSync(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`);
        } catch (error) {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
      }
    } finally {
      file = open();
      size = file.statSync().size;
    }
  };
  return (line) => {
    const bytes = encoder.encode(line);
    try {
      if (size > 0 && size + bytes.length > rotateBytes) rotate();
      for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
      size += bytes.length;
    } catch {
      try {
        Deno.stderr.writeSync(bytes);
      } catch { /* its reader is gone too: the line is lost */ }
    }
  };
}
