// Paired answers of one reader: right or wrong in both arms, and seconds in both arms.
import {
  binomialHalfCdf,
  rootBetween,
  tQuantile,
  Z95,
} from "@/model/reading_study/distributions.ts";
import type { Estimate, UncertainEstimate } from "@/model/reading_study/interval.ts";

/** Result of McNemar's test of two arms, with the difference of their proportions. */
export interface PairedShares extends Estimate {
  /** exact conditional P value of McNemar's test */
  exactP: number;
  midP: number;
}

/**
 * Score statistic of a difference of paired shares, standard normal if the difference is `delta`.
 * @see Tango 1998, Stat Med 17:891.
 */
function tangoScore(onlyFirst: number, onlySecond: number, n: number, delta: number): number {
  const a = 2 * n, b = -onlyFirst - onlySecond + (2 * n - onlyFirst + onlySecond) * delta;
  const c = -onlySecond * delta * (1 - delta);
  const q = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
  const variance = n * (2 * q + delta * (1 - delta));
  return (onlyFirst - onlySecond - n * delta) / Math.sqrt(Math.max(1e-300, variance));
}

/**
 * Difference of two paired shares, first − second, with Tango's score interval.
 * Also gives the P values of McNemar's test.
 *
 * @param onlyFirst  Cases with success only in the first arm; `onlySecond`: only in the second.
 * @param n          All cases, n > 0.
 * @see Fagerland, Lydersen and Laake 2013, BMC Med Res Methodol 13:91.
 */
export function pairedShares(onlyFirst: number, onlySecond: number, n: number): PairedShares {
  const value = (onlyFirst - onlySecond) / n, discordant = onlyFirst + onlySecond;
  const fewer = Math.min(onlyFirst, onlySecond), tail = binomialHalfCdf(fewer, discordant);
  const point = tail - binomialHalfCdf(fewer - 1, discordant);
  const score = (delta: number) => tangoScore(onlyFirst, onlySecond, n, delta);
  const EDGE = 1 - 1e-9;
  return {
    value,
    low: value <= -EDGE ? -1 : rootBetween(-EDGE, value, (x) => Z95 - score(x)),
    high: value >= EDGE ? 1 : rootBetween(value, EDGE, (x) => -Z95 - score(x)),
    exactP: discordant === 0 ? 1 : Math.min(1, 2 * tail),
    midP: discordant === 0 ? 1 : Math.min(1, 2 * tail - point),
  };
}

/** Minimum reading time in seconds; shorter times count as this, so that ratios stay finite. */
const MIN_SECONDS = 0.1;

/** Logarithm of the ratio of two times in seconds. */
export const logRatio = (first: number, second: number): number =>
  Math.log(Math.max(MIN_SECONDS, first) / Math.max(MIN_SECONDS, second));

/**
 * Ratio of geometric means of paired times in seconds, first / second, by Student's t on the
 * logarithms.
 * @returns `null` with fewer than two pairs; without interval as {@link meanOf}.
 */
export function pairedRatio(
  pairs: readonly (readonly [number, number])[],
): UncertainEstimate | null {
  return ratioOf(meanOf(pairs.map(([first, second]) => logRatio(first, second))));
}

/** Converts a mean of logarithms to a ratio. */
export const ratioOf = (mean: UncertainEstimate | null): UncertainEstimate | null => {
  const back = (log: number | null) => log === null ? null : Math.exp(log);
  return mean && { value: back(mean.value), low: back(mean.low), high: back(mean.high) };
};

/**
 * Mean with a 95 % interval by Student's t.
 * @returns `null` with fewer than two values. Without interval for equal values: the t statistic
 * divides by their standard deviation, and an interval without width would claim certainty.
 * @see Student 1908, Biometrika 6:1.
 */
export function meanOf(values: readonly number[]): UncertainEstimate | null {
  const n = values.length;
  if (n < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  // rounding of equal logarithms leaves a variance of about 1e-32
  if (variance < 1e-20) return { value: mean, low: null, high: null };
  const half = tQuantile(0.975, n - 1) * Math.sqrt(variance / n);
  return { value: mean, low: mean - half, high: mean + half };
}
