import { type PageCode, REPORT_PAGES, type ReportType } from "@/model/report/pages.ts";

/** Most thresholds of the report, and the highest percentile that one may have (D1 §9). */
export const MAX_THRESHOLDS = 3, MAX_THRESHOLD = 100;

/** The three fields of the report's thresholds; 0 is an empty one. */
export type ThresholdFields = readonly [number, number, number];

export const isAscending = (values: readonly number[]): boolean =>
  values.every((value, n) => n === 0 || value >= values[n - 1]!);

/** The stored thresholds as fields. */
export const fieldsOf = (
  list: readonly number[],
): ThresholdFields => [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];

/**
 * How many fields are in use: the position of the last one that is not empty, at least 1 (D1 §4).
 */
export const countOf = (fields: ThresholdFields): number =>
  Math.max(1, fields.findLastIndex((value) => value !== 0) + 1);

/**
 * Fields after the count was chosen: those beyond it are cleared, empty ones within it take the one
 * before.
 */
export function withCount(fields: ThresholdFields, count: number): ThresholdFields {
  const [first] = fields;
  const second = count < 2 ? 0 : fields[1] || first;
  const third = count < 3 ? 0 : fields[2] || second;
  return [first, second, third];
}

/** Fields after one was typed into: digits only, nothing counts as 0. */
export function withTyped(
  fields: ThresholdFields,
  index: 0 | 1 | 2,
  typed: string,
): ThresholdFields {
  const value = Number(typed.replace(/\D/g, "").slice(0, 3));
  return fields.map((before, n) => n === index ? value : before) as unknown as ThresholdFields;
}

/** Which fields are wrong: empty while in use, above 100, or smaller than the one before. */
export const thresholdFlags = (fields: ThresholdFields, count: number): boolean[] =>
  fields.map((value, n) =>
    n < count && (value === 0 || value > MAX_THRESHOLD || (n > 0 && value < fields[n - 1]!))
  );

/** Thresholds as stored. */
export const thresholdListOf = (fields: ThresholdFields, count: number): number[] =>
  fields.slice(0, count).filter((value) => value > 0);

const pageOf = (code: number) => REPORT_PAGES.find((page) => page.code === code);

/** Whether a page can be chosen in a report type. */
export const isPageEnabled = (code: number, type: ReportType): boolean =>
  pageOf(code)?.types.includes(type) ?? false;

/**
 * Whether a report type may have these pages: at least one, all enabled, no two that exclude each
 * other.
 */
export const canHavePages = (codes: readonly number[], type: ReportType): boolean =>
  codes.length > 0 && codes.every((code) => isPageEnabled(code, type)) &&
  !codes.some((code) => pageOf(code)!.exclusiveWith.some((other) => codes.includes(other)));

/**
 * The pages after one was checked or cleared, in the order of the report: a checked page clears
 * those it excludes. `null` when nothing would be left, which is refused (D1 §5).
 */
export function withPage(
  codes: readonly number[],
  code: number,
  isChosen: boolean,
): PageCode[] | null {
  const page = pageOf(code);
  const codesAfter = REPORT_PAGES.map((each) => each.code).filter((each) =>
    each === code
      ? isChosen
      : codes.includes(each) && !(isChosen && page?.exclusiveWith.includes(each))
  );
  return codesAfter.length > 0 ? codesAfter : null;
}
