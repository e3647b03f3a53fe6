import { normalForm } from "@/model/normal_form.ts";
import { isCalendarDate } from "@/model/schema/studies/study.ts";
import { withoutEnd } from "@/model/text_end.ts";

/** Whether a text is an existing calendar date, `YYYY-MM-DD`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDate(text);

/**
 * Formats a date while it is being typed: hyphens are inserted, and other notations are converted
 * ("1958. 3. 12.", "1958년 3월 12일", "19580312", full-width digits).
 *
 * @param before The previous text, returned when the new one cannot become a date.
 * @returns `YYYY-MM-DD`, or a prefix of such a date.
 */
export function completeTypedDay(text: string, before: string): string {
  const day = normalForm(text, "NFKC").replace(/\D+/g, "-").replace(/^-/, "")
    .replace(
      /^(\d{4})(\d{1,2})(\d{0,2})$/,
      (_, ...[year, month, day]: string[]) => [year, month, day].filter(Boolean).join("-"),
    )
    .replace(/^(\d{4}-\d{2})(\d{1,2})$/, "$1-$2")
    .replace(/-(\d)(?=-)/, "-0$1")
    .replace(/^(\d{4}-\d{2}-\d{1,2})-$/, "$1");
  if (!/^\d{0,4}(-\d{0,2}){0,2}$/.test(day)) return before;
  const isGrown = day.length > before.length;
  return isGrown && /^\d{4}(-\d{2})?$/.test(day) ? `${day}-` : day;
}

/**
 * Completes a typed date when its field loses focus:
 * single digits are padded, a trailing separator is removed.
 */
export const normaliseDay = (text: string): string =>
  withoutEnd(text.replace(/-(\d)(?=-|$)/g, "-0$1"), "-");

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** The date a number of days later; negative: earlier. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return dayOf(date);
}

/** The same day a number of months later, or the last day of a shorter month. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0));
  return dayOf(new Date(Math.min(last.getTime(), Date.UTC(year, month - 1 + months, date))));
}

/** Weeks of a day's month, starting on Sunday; days of other months are `null`. */
export function weeksOfMonth(day: string): (string | null)[][] {
  const first = `${day.slice(0, 7)}-01`,
    start = addDays(first, -new Date(`${first}T00:00Z`).getUTCDay());
  return Array.from(
    { length: 6 },
    (_, week) =>
      Array.from({ length: 7 }, (_, at) => addDays(start, 7 * week + at))
        .map((each) => each.slice(0, 7) === day.slice(0, 7) ? each : null),
  ).filter((week) => week.some((each) => each !== null));
}
