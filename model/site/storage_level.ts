/** Severity of the server's disk usage. */
export type StorageLevel = "ok" | "warn" | "error";

/** @param percent Disk usage. @param warn @param error Exclusive limits in percent (D1 §8). */
export const storageLevel = (percent: number, warn: number, error: number): StorageLevel =>
  percent > error ? "error" : percent > warn ? "warn" : "ok";
