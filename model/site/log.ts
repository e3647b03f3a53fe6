/** Names that each log line has by itself; a field of the same name would replace the value. */
type LineName = "time" | "level" | "message";

/** Fields of a log line: numbers, codes and ids; never patient data, tokens or passwords. */
type LogFields =
  & Record<string, string | number | boolean | null | undefined>
  & Partial<Record<LineName, never>>;

type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Logging function of all layers. `message` names the action first and contains no patient data.
 */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;
