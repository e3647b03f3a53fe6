import type { LinearKey, LinearMeasures, LinearValue } from "@/model/linear/linear_measures.ts";

/** Measures that are printed, in their order; the width of the skull is part of the Evans index. */
export const PRINTED_LINEAR = [
  "evans",
  "frontal_horns",
  "third_ventricle",
  "callosal_angle",
] as const satisfies readonly LinearKey[];
export type PrintedLinear = (typeof PRINTED_LINEAR)[number];

/** Decimals of each measure wherever it is printed. */
const DIGITS: Readonly<Record<LinearKey, number>> = {
  evans: 2,
  frontal_horns: 1,
  inner_skull: 1,
  third_ventricle: 1,
  callosal_angle: 0,
};

/** A value as it is printed everywhere. */
export const linearDigits = (key: LinearKey, value: number): string => value.toFixed(DIGITS[key]);

/** The same as a number. */
export const printedLinear = (key: LinearKey, value: number): number =>
  Number(linearDigits(key, value));

/**
 * Measures that hold: none of a segmentation of grade C. A correction of the ventricles has taken
 * them from the results.
 */
export function linearOf(
  results: { quality: object; linear?: LinearMeasures | undefined } | null,
): LinearMeasures | null {
  const { grade } = (results?.quality ?? {}) as { grade?: unknown };
  return grade === "C" ? null : results?.linear ?? null;
}

/** Value and range of a measure, rounded as printed; `null` where it was not measured. */
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
