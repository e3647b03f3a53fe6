/** How urgent the fullness of the server's disk is. */
export type StorageLevel = "ok" | "warn" | "error";

/** @param percent In use. @param warn @param error Limits, percent, exclusive (D1 §8). */
export const storageLevel = (percent: number, warn: number, error: number): StorageLevel =>
  percent > error ? "error" : percent > warn ? "warn" : "ok";
