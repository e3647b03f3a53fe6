import { type PageCode, REPORT_PAGES, type ReportType } from "@/model/report/pages.ts";

/** Maximum number of percentile thresholds, and the highest allowed percentile (D1 §9). */
export const MAX_THRESHOLDS = 3, MAX_THRESHOLD = 100;

/** The three threshold fields of the form; 0 means empty. */
export type ThresholdFields = readonly [number, number, number];

export const isAscending = (values: readonly number[]): boolean =>
  values.every((value, n) => n === 0 || value >= values[n - 1]!);

/** Converts stored thresholds to fields of the form. */
export const fieldsOf = (
  list: readonly number[],
): ThresholdFields => [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];

/** Number of threshold fields in use: position of the last non-empty field, at least 1 (D1 §4). */
export const countOf = (fields: ThresholdFields): number =>
  Math.max(1, fields.findLastIndex((value) => value !== 0) + 1);

/**
 * Threshold fields after choosing their number: further fields are cleared,
 * and an empty field copies the field before.
 */
export function withCount(fields: ThresholdFields, count: number): ThresholdFields {
  const [first] = fields;
  const second = count < 2 ? 0 : fields[1] || first;
  const third = count < 3 ? 0 : fields[2] || second;
  return [first, second, third];
}

/** Threshold fields after input into one field: only digits are kept, empty input is 0. */
export function withTyped(
  fields: ThresholdFields,
  index: 0 | 1 | 2,
  typed: string,
): ThresholdFields {
  const value = Number(typed.replace(/\D/g, "").slice(0, 3));
  return fields.map((before, n) => n === index ? value : before) as unknown as ThresholdFields;
}

/**
 * Which threshold fields are invalid: empty while in use, above 100, or below the previous field.
 */
export const thresholdFlags = (fields: ThresholdFields, count: number): boolean[] =>
  fields.map((value, n) =>
    n < count && (value === 0 || value > MAX_THRESHOLD || (n > 0 && value < fields[n - 1]!))
  );

/** Converts threshold fields of the form to stored thresholds. */
export const thresholdListOf = (fields: ThresholdFields, count: number): number[] =>
  fields.slice(0, count).filter((value) => value > 0);

const pageOf = (code: number) => REPORT_PAGES.find((page) => page.code === code);

/** Whether a user can choose a page for a report type. */
export const isPageEnabled = (code: number, type: ReportType): boolean =>
  pageOf(code)?.types.includes(type) ?? false;

/**
 * Whether a selection of pages is valid for a report type:
 * at least one page, all enabled, no two mutually exclusive.
 */
export const canHavePages = (codes: readonly number[], type: ReportType): boolean =>
  codes.length > 0 && codes.every((code) => isPageEnabled(code, type)) &&
  !codes.some((code) => pageOf(code)!.exclusiveWith.some((other) => codes.includes(other)));

/**
 * Pages after one was checked or cleared, in report order: a checked page clears excluded pages.
 * `null` if no page would remain, which is refused (D1 §5).
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
