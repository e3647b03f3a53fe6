import { isCalendarDate } from "@/model/schema/studies/study.ts";

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDate(text);

/**
 * A date as it is typed: digits get their marks, other marks than ours and dates from elsewhere are
 * taken too ("1958. 3. 12.", "1958년 3월 12일", "19580312", full-width digits).
 *
 * @param before The previous text; kept when the new text cannot become a date.
 * @returns `YYYY-MM-DD`, or its beginning.
 */
export function completeTypedDay(text: string, before: string): string {
  const day = text.normalize("NFKC").replace(/\D+/g, "-").replace(/^-/, "")
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
 * A typed date that is left: a day of one digit becomes one of two, a mark without anything after
 * it goes.
 */
export const normaliseDay = (text: string): string =>
  text.replace(/-(\d)(?=-|$)/g, "-0$1").replace(/-+$/, "");

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** A day some days on; negative: before. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return dayOf(date);
}

/** The same day some months on, or the last one of a shorter month. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0));
  return dayOf(new Date(Math.min(last.getTime(), Date.UTC(year, month - 1 + months, date))));
}

/** The weeks of a day's month, from Sunday on; days of other months are `null`. */
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
