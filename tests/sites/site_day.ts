import { dayIn } from "@/model/time/site_time.ts";
import { siteTimeZone } from "@/server/core/site/service/license.ts";
import { until } from "@/tests/sites/until.ts";

const today = (inMs = 0) => dayIn(siteTimeZone(), Date.now() + inMs);

/** The site's day so many days from today, whatever the hours of a day between. */
export function dayFromNow(days: number): string {
  const [year, month, day] = today().split("-").map(Number);
  return new Date(Date.UTC(year!, month! - 1, day! + days)).toISOString().slice(0, 10);
}

/** Noon of a day of the site, ms: an instant of that day wherever the site is. */
export function noonOf(day: string): number {
  const noon = Date.parse(`${day}T12:00:00Z`);
  for (const hours of [0, -12, 12]) {
    const at = noon + hours * 3_600_000;
    if (dayIn(siteTimeZone(), at) === day) return at;
  }
  throw new RangeError(`No such day here: ${day}`);
}

/** Waits where today would be yesterday before a test that goes by it has ended. */
export const beforeMidnight = (): Promise<unknown> => until(() => today() === today(50_000));
