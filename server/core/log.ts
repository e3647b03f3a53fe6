const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/**
 * Writes text of a process that continues when the terminal, or the reader of the log, is gone.
 * A line that cannot be written is lost, because no other place exists.
 */
function writeOrLose(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  try {
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += stream.writeSync(bytes.subarray(done));
  } catch { /* EPIPE, ENOSPC or EIO: requests are answered without their lines */ }
}

/** Writes to standard error. Never throws. */
export const writeError = (text: string): void => writeOrLose(Deno.stderr, text);

/** Writes to standard output. Never throws. */
export const writeOutput = (text: string): void => writeOrLose(Deno.stdout, text);

/** Log level by its name; `null` for an unknown name. */
export const logLevelOf = (name: string): Level | null =>
  LEVELS.find((level) => level === name) ?? null;

/** Converts errors, which JSON would serialise as `{}`. */
const readable = (_key: string, value: unknown): unknown =>
  value instanceof Error ? value.stack ?? value.message : value;

/** Names that each line has by itself, as in model/site/log.ts. */
const LINE_NAMES = ["time", "level", "message"] as const;
type LineName = typeof LINE_NAMES[number];
type Fields = Record<string, unknown> & Partial<Record<LineName, never>>;

/** Fields under names that no line has by itself: `message` becomes `field_message`. */
const withoutLineNames = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      LINE_NAMES.some((each) => each === name) ? [`field_${name}`, value] : [name, value]
    ),
  );

/**
 * Writes JSON lines `{time, level, message, …fields}` at and above a level.
 * The returned function is a `Log` of model/site/log.ts. The type refuses fields named `time`,
 * `level` and `message`; from a record with any names they are renamed, so that none is lost.
 * @param write Writes one line including the line end; standard error by default.
 */
export function createLog(
  lowest: Level,
  write: (line: string) => void = writeError,
): (level: Level, message: string, fields?: Fields) => void {
  return (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(lowest)) return;
    const line = { time: new Date().toISOString(), level, message, ...withoutLineNames(fields) };
    write(JSON.stringify(line, readable) + "\n");
  };
}
