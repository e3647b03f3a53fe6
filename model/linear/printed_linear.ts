import type { LinearKey, LinearMeasures, LinearValue } from "@/model/linear/linear_measures.ts";

/** Measures in the order of printing; the skull width is printed only within the Evans index. */
export const PRINTED_LINEAR = [
  "evans",
  "frontal_horns",
  "third_ventricle",
  "callosal_angle",
] as const satisfies readonly LinearKey[];
export type PrintedLinear = (typeof PRINTED_LINEAR)[number];

/** Number of decimals of each measure in all outputs. */
const DIGITS: Readonly<Record<LinearKey, number>> = {
  evans: 2,
  frontal_horns: 1,
  inner_skull: 1,
  third_ventricle: 1,
  callosal_angle: 0,
};

/** Formats a value with the number of decimals of its measure. */
export const linearDigits = (key: LinearKey, value: number): string => value.toFixed(DIGITS[key]);

/** Rounds a value to the number of decimals of its measure. */
export const printedLinear = (key: LinearKey, value: number): number =>
  Number(linearDigits(key, value));

/**
 * Valid linear measures: none from a segmentation of grade C.
 * A correction of the ventricles removes linear measures from the stored results.
 */
export function linearOf(
  results: { quality: object; linear?: LinearMeasures | undefined } | null,
): LinearMeasures | null {
  const { grade } = (results?.quality ?? {}) as { grade?: unknown };
  return grade === "C" ? null : results?.linear ?? null;
}

/** Value and range of a measure, rounded as printed; `null` if not measured. */
export function printedValue(
  measures: LinearMeasures | null,
  key: LinearKey,
): Pick<LinearValue, "value" | "low" | "high"> | null {
  const measured = measures?.[key];
  if (!measured) return null;
  const { value, low, high } = measured;
  return {
    value: printedLinear(key, value),
    low: printedLinear(key, low),
    high: printedLinear(key, high),
  };
}
