const MINUTE_MS = 60_000;

/**
 * Time until the next occurrence of a time of day in the machine's zone, ms.
 * Never 0, at most a day (25 h when clocks are set back).
 * @param atMinute Minute of the day, 0 to 1439.
 */
export function untilMinuteMs(atMinute: number, now = new Date()): number {
  const nextTime = new Date(now);
  nextTime.setHours(Math.floor(atMinute / 60), atMinute % 60, 0, 0);
  if (nextTime.getTime() <= now.getTime()) nextTime.setDate(nextTime.getDate() + 1);
  return Math.max(MINUTE_MS / 60, nextTime.getTime() - now.getTime());
}
