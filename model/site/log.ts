/** Fields of a log line: numbers, codes and ids. Never patient data, tokens or passwords. */
type LogFields = Record<string, string | number | boolean | null | undefined>;

type LogLevel = "debug" | "info" | "warn" | "error";

/** Log of all layers; `message` is action first, without patient data. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;
