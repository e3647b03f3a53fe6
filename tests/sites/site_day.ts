import { dayIn } from "@/model/time/site_time.ts";
import { siteTimeZone } from "@/server/core/site/service/license.ts";
import { until } from "@/tests/sites/until.ts";

const today = (inMs = 0) => dayIn(siteTimeZone(), Date.now() + inMs);

/** Date in the site's time zone a number of days from today, unaffected by daylight saving time. */
export function dayFromNow(days: number): string {
  const [year, month, day] = today().split("-").map(Number);
  return new Date(Date.UTC(year!, month! - 1, day! + days)).toISOString().slice(0, 10);
}

/** About noon of a day in the site's time zone, ms since the epoch. */
export function noonOf(day: string): number {
  const noon = Date.parse(`${day}T12:00:00Z`);
  for (const hours of [0, -12, 12]) {
    const at = noon + hours * 3_600_000;
    if (dayIn(siteTimeZone(), at) === day) return at;
  }
  throw new RangeError(`No such day here: ${day}`);
}

/** Waits for the next day if the current day would end during a test. */
export const beforeMidnight = (): Promise<unknown> => until(() => today() === today(50_000));
