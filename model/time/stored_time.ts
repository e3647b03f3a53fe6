/**
 * Times that are stored and later compared with the clock. Clocks are sometimes set back: by hand,
 * by a time server, or by a machine without a battery. Work scheduled for a stored time could then
 * wait very long, so a time implausibly far in the future counts as past.
 */

/** Maximum clock difference between machines of one site. */
export const CLOCK_SKEW_MS = 5 * 60_000;

/**
 * Latest plausible stored time, ms since the epoch.
 * A time later than this was stored before the clock was set back.
 * @param longestMs Maximum distance of such a time from the clock when it is stored.
 */
export const latestCredible = (nowMs: number, longestMs = 0): number =>
  nowMs + longestMs + CLOCK_SKEW_MS;

/**
 * Whether a pause or lease is over.
 * @param untilMs End of the pause, ms since the epoch. @param longestMs Maximum length of a pause.
 */
export const isOver = (untilMs: number, nowMs: number, longestMs: number): boolean =>
  untilMs <= nowMs || untilMs > latestCredible(nowMs, longestMs);
