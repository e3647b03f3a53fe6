import { type LicenseInfo, type LicenseState, USE_LIMIT } from "@/model/schema/site/license.ts";

const DAY_MS = 86_400_000;

/**
 * Number of whole days between two dates YYYY-MM-DD; negative when the second is earlier.
 * Calendar days are counted, so daylight saving time does not matter.
 */
export const wholeDays = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);

/** Whether a licence counts credits. */
export const isCounted = (limit: readonly string[]): boolean => limit.includes(USE_LIMIT);

/**
 * Whether analyses may be started on a day. The last day of use is included: a licence has expired
 * when at least one whole day is between that day and today (D1 §4).
 * @param today YYYY-MM-DD in the site's time zone.
 */
export function licenseStateOn(
  license: Pick<LicenseInfo, "limit" | "total_remain_credit" | "expire_date" | "start_date">,
  today: string,
): LicenseState {
  if (license.start_date && wholeDays(license.start_date, today) < 0) return "not_started";
  if (license.expire_date && wholeDays(license.expire_date, today) >= 1) return "expired";
  return isCounted(license.limit) && (license.total_remain_credit ?? 0) <= 0
    ? "no_credit"
    : "valid";
}
