/** Cache of formatters by time zone: each holds 27 kB outside the heap until a full collection. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats an instant in a time zone as YYYY-MM-DD HH:MM:SS. */
function writtenIn(timeZone: string, ms: number): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // uses the Swedish locale, of which dates have the ISO format
    format = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(timeZone, format);
  }
  return format.format(ms);
}

/** Day of an instant (ms since the epoch) in a time zone, YYYY-MM-DD. */
export const dayIn = (timeZone: string, ms: number): string => writtenIn(timeZone, ms).slice(0, 10);

/** Formats an instant (ms since the epoch) in a time zone to the minute, YYYY-MM-DD HH:MM. */
export const minuteIn = (timeZone: string, ms: number): string =>
  writtenIn(timeZone, ms).slice(0, 16);

/** Formats the time of an instant (ms since the epoch) in a time zone, HH:MM:SS. */
export const clockIn = (timeZone: string, ms: number): string => writtenIn(timeZone, ms).slice(11);

/** Formats an instant (ms since the epoch) in a time zone to the second, YYYY-MM-DD HH:MM:SS. */
export const secondIn = (timeZone: string, ms: number): string => writtenIn(timeZone, ms);

/** Offset of a time zone from UTC at an instant, ms. */
const offsetAt = (timeZone: string, ms: number): number =>
  Date.parse(`${writtenIn(timeZone, ms).replace(" ", "T")}Z`) - 1000 * Math.floor(ms / 1000);

/**
 * Instant of a clock time in a time zone, ms since the epoch. A clock time that occurs twice, when
 * the clocks go back, is one of both; one that is skipped is up to an hour off.
 * @param clockMs The clock time as if it were UTC, ms.
 */
export function instantIn(timeZone: string, clockMs: number): number {
  const guess = clockMs - offsetAt(timeZone, clockMs);
  return clockMs - offsetAt(timeZone, guess);
}

const MINUTE_MS = 60_000;

/**
 * Start of a day (YYYY-MM-DD) in a time zone, ms since the epoch; where a clock change skips
 * midnight, the first minute after it.
 */
export function startOfDay(timeZone: string, day: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  let start = instantIn(timeZone, utc);
  while (dayIn(timeZone, start) < day) start += MINUTE_MS;
  return start;
}
