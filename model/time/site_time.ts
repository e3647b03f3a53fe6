/**
 * One for each time zone: it holds 27 kB beside the heap, freed by the next full collection only.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

/** An instant in a time zone, YYYY-MM-DD HH:MM:SS. */
function writtenIn(timeZone: string, ms: number): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // the Swedish form of a date is ISO's
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

/** The day of an instant (ms) in a time zone, YYYY-MM-DD. */
export const dayIn = (timeZone: string, ms: number): string => writtenIn(timeZone, ms).slice(0, 10);

/** An instant (ms) in a time zone to the minute, YYYY-MM-DD HH:MM. */
export const minuteIn = (timeZone: string, ms: number): string =>
  writtenIn(timeZone, ms).slice(0, 16);

/** The time of an instant (ms) in a time zone, HH:MM:SS. */
export const clockIn = (timeZone: string, ms: number): string => writtenIn(timeZone, ms).slice(11);

/** An instant (ms) in a time zone to the second, YYYY-MM-DD HH:MM:SS. */
export const secondIn = (timeZone: string, ms: number): string => writtenIn(timeZone, ms);

const MINUTE_MS = 60_000;

/**
 * When a day (YYYY-MM-DD) begins on the clocks of a time zone, ms; where midnight is left out, the
 * first minute after.
 */
export function startOfDay(timeZone: string, day: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  // a zone is at most 14 hours from UTC, and changes its offset by an hour or less
  const offsetAt = (ms: number) => Date.parse(`${writtenIn(timeZone, ms).replace(" ", "T")}Z`) - ms;
  let start = utc - offsetAt(utc);
  start = utc - offsetAt(start);
  while (dayIn(timeZone, start) < day) start += MINUTE_MS;
  return start;
}
