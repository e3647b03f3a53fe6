const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/** The level of a name, or `null`. */
export const logLevelOf = (name: string): Level | null =>
  LEVELS.find((level) => level === name) ?? null;

/** An error has no JSON of its own; without this it would be `{}`. */
const readable = (_key: string, value: unknown): unknown =>
  value instanceof Error ? value.stack ?? value.message : value;

/**
 * Writes JSON lines `{time, level, message, …fields}` at and above a level. Fits `Log` of
 * model/site/log.ts.
 * @param write Takes one line with its line end; standard error by default.
 */
export function createLog(
  lowest: Level,
  write: (line: string) => void = (line) =>
    void Deno.stderr.writeSync(new TextEncoder().encode(line)),
): (level: Level, message: string, fields?: Record<string, unknown>) => void {
  return (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(lowest)) return;
    write(
      JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }, readable) +
        "\n",
    );
  };
}
