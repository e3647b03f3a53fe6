const MINUTE_MS = 60_000;

/**
 * How long from now until the next time of day in the machine's zone, ms: never 0, and a day at
 * most (25 h when clocks go back).
 * @param atMinute Minute of the day, 0 to 1439.
 */
export function untilMinuteMs(atMinute: number, now = new Date()): number {
  const nextTime = new Date(now);
  nextTime.setHours(Math.floor(atMinute / 60), atMinute % 60, 0, 0);
  if (nextTime.getTime() <= now.getTime()) nextTime.setDate(nextTime.getDate() + 1);
  return Math.max(MINUTE_MS / 60, nextTime.getTime() - now.getTime());
}
