/**
 * Times that were stored and are compared with the clock. Clocks are set back: by hand, by a time
 * server, by a machine that starts without a battery. Work that waits until a stored time would
 * then wait as long as the clock was wrong, so a time too far ahead to be written now counts as past.
 */

/** Clocks of the machines of one site differ by less. */
export const CLOCK_SKEW_MS = 5 * 60_000;

/**
 * The latest time that a row written now can have, ms since the epoch; one beyond it was written
 * before the clock was set back.
 * @param longestMs How far ahead such a time is ever set.
 */
export const latestCredible = (nowMs: number, longestMs = 0): number =>
  nowMs + longestMs + CLOCK_SKEW_MS;

/**
 * Whether a pause or lease is over.
 * @param untilMs Its end, ms since the epoch. @param longestMs How long one is at most.
 */
export const isOver = (untilMs: number, nowMs: number, longestMs: number): boolean =>
  untilMs <= nowMs || untilMs > latestCredible(nowMs, longestMs);
