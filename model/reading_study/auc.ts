// Area under the ROC curve (AUC) of ratings, for several curves on the same cases.
import { rootBetween, twoSidedP, Z95 } from "@/model/reading_study/distributions.ts";
import { differenceOf, type Estimate } from "@/model/reading_study/interval.ts";

/** AUCs of several curves on the same cases, with the covariance of the estimates. */
export interface DelongResult {
  areas: number[];
  /** covariance of the areas, shape [curves][curves] */
  covariance: number[][];
  positives: number;
  negatives: number;
}

/**
 * For each rating of a group, the fraction of the other group that it exceeds; ties count half.
 * These are the structural components of DeLong et al.
 */
function shareBelow(ratings: readonly number[], others: readonly number[]): number[] {
  const sorted = [...others].sort((a, b) => a - b);
  const countBelow = (rating: number, isEqualCounted: boolean): number => {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1, each = sorted[middle]!;
      if (each < rating || isEqualCounted && each === rating) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return ratings.map((rating) =>
    (countBelow(rating, false) + countBelow(rating, true)) / (2 * sorted.length)
  );
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const covarianceOf = (a: readonly number[], b: readonly number[]): number => {
  const meanA = mean(a), meanB = mean(b);
  return a.reduce((sum, value, n) => sum + (value - meanA) * (b[n]! - meanB), 0) / (a.length - 1);
};

/**
 * Areas under ROC curves and their covariance, without a model of the ratings.
 *
 * @param curves      Ratings, shape [curves][cases]; a higher rating indicates a positive case.
 * @param isPositive  Reference standard of each case.
 * @returns `null` with fewer than two positive or two negative cases.
 * @see DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837.
 */
export function delong(
  curves: readonly (readonly number[])[],
  isPositive: readonly boolean[],
): DelongResult | null {
  const positives = isPositive.filter(Boolean).length, negatives = isPositive.length - positives;
  if (positives < 2 || negatives < 2) return null;
  const components = curves.map((ratings) => {
    const ill = ratings.filter((_, n) => isPositive[n]);
    const healthy = ratings.filter((_, n) => !isPositive[n]);
    return {
      ofPositives: shareBelow(ill, healthy),
      ofNegatives: shareBelow(healthy, ill).map((share) => 1 - share),
    };
  });
  return {
    areas: components.map(({ ofPositives }) => mean(ofPositives)),
    covariance: components.map((a) =>
      components.map((b) =>
        covarianceOf(a.ofPositives, b.ofPositives) / positives +
        covarianceOf(a.ofNegatives, b.ofNegatives) / negatives
      )
    ),
    positives,
    negatives,
  };
}

/**
 * Score interval of an area, for areas of 0 and 1, of which the estimated variance is zero.
 * @see Newcombe 2006, Stat Med 25:559, method 5.
 */
function scoreInterval(area: number, positives: number, negatives: number): Estimate {
  const half = (positives + negatives) / 2 - 1;
  const distance = (theta: number) => {
    const variance = theta * (1 - theta) / (positives * negatives) *
      (1 + half * ((1 - theta) / (2 - theta) + theta / (1 + theta)));
    return Math.abs(theta - area) - Z95 * Math.sqrt(variance);
  };
  return {
    value: area,
    low: area === 0 ? 0 : rootBetween(0, area, (x) => -distance(x)),
    high: area === 1 ? 1 : rootBetween(area, 1, distance),
  };
}

/**
 * Weighted mean of the areas, with an interval on the logit scale, on which the distribution is
 * closer to normal and the limits stay within 0 and 1.
 * @param weights Weight of each curve, with the sum 1.
 */
export function areaEstimate(result: DelongResult, weights: readonly number[]): Estimate {
  const { areas, covariance, positives, negatives } = result;
  const value = areas.reduce((sum, area, n) => sum + weights[n]! * area, 0);
  const variance = weightedCovariance(covariance, weights, weights);
  if (variance < 1e-12 || value <= 0 || value >= 1) {
    return scoreInterval(value, positives, negatives);
  }
  const logit = Math.log(value / (1 - value)),
    half = Z95 * Math.sqrt(variance) /
      (value * (1 - value));
  const back = (x: number) => 1 / (1 + Math.exp(-x));
  return { value, low: back(logit - half), high: back(logit + half) };
}

const weightedCovariance = (
  covariance: readonly (readonly number[])[],
  a: readonly number[],
  b: readonly number[],
): number =>
  covariance.reduce(
    (sum, row, n) => sum + row.reduce((part, each, m) => part + a[n]! * b[m]! * each, 0),
    0,
  );

/**
 * A difference of areas, with the P value of DeLong's test. `null` if a mean area is 0 or 1:
 * the estimated variance of zero would give too small a P value.
 */
export interface AreaDifference extends Estimate {
  p: number | null;
}

/**
 * Difference of two weighted means of areas on the same cases, `a − b`.
 * @param a weights of the first mean, with the sum 1; `b` of the second
 */
export function areaDifference(
  result: DelongResult,
  a: readonly number[],
  b: readonly number[],
): AreaDifference {
  const { covariance } = result, both = a.map((weight, n) => weight - b[n]!);
  const of = (x: readonly number[], y: readonly number[]) => weightedCovariance(covariance, x, y);
  const scale = Math.sqrt(of(a, a) * of(b, b)), variance = of(both, both);
  const correlation = scale > 1e-12 ? Math.max(-1, Math.min(1, of(a, b) / scale)) : 0;
  const estimate = differenceOf(areaEstimate(result, a), areaEstimate(result, b), correlation);
  return {
    ...estimate,
    p: scale > 1e-12 && variance > 1e-12 ? twoSidedP(estimate.value / Math.sqrt(variance)) : null,
  };
}
