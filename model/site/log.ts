/** Names that each log line has by itself; a field of the same name would replace the value. */
export const LINE_NAMES = ["time", "level", "message"] as const;

/** Fields of a log line: numbers, codes and ids; never patient data, tokens or passwords. */
type LogFields =
  & Record<string, string | number | boolean | null | undefined>
  & Partial<Record<typeof LINE_NAMES[number], never>>;

type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Logging function of all layers. `message` names the action first and contains no patient data.
 */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;
