import { dirname } from "node:path";

/** Size at which a log file is rotated, and number of old files kept. */
const ROTATE_BYTES = 16 << 20, KEPT_FILES = 5;

/**
 * Writes log lines to a file. A full file becomes `FILE.1`, `FILE.1` becomes `FILE.2`, and so on;
 * the oldest file is deleted. Lines that cannot be written, for example on a full disk,
 * go to standard error: logging never stops the site.
 * @throws Error when the log file cannot be opened at the start.
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
