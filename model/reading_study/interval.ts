import { Z95 } from "@/model/reading_study/distributions.ts";

/** An estimate with its 95 % confidence interval. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** An estimate of which the answers may not determine the value, or not the interval: `null`. */
export interface UncertainEstimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

/** Wilson's score interval of a proportion. @see Wilson 1927. */
export function wilson(successes: number, n: number): Estimate {
  const p = successes / n, z2 = Z95 ** 2, middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = Z95 / (1 + z2 / n) * Math.sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return { value: p, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * Interval of `a − b` from the intervals of both and the correlation of the estimates. Stays within
 * the range of the difference, and has a width above zero even if an estimate is 0 or 1.
 * @see Zou and Donner 2008, Stat Med 27:1693.
 */
export function differenceOf(a: Estimate, b: Estimate, correlation: number): Estimate {
  const half = (own: number, other: number) =>
    Math.sqrt(Math.max(0, own ** 2 - 2 * correlation * own * other + other ** 2));
  const value = a.value - b.value;
  return {
    value,
    low: value - half(a.value - a.low, b.high - b.value),
    high: value + half(a.high - a.value, b.value - b.low),
  };
}
