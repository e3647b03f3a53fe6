// Quantiles and tail areas of the distributions behind the intervals of a reading study.
import { normalCdf } from "@/model/norms/norms.ts";

/** 97.5 % quantile of the standard normal distribution: half width of a 95 % interval. */
export const Z95 = 1.959963984540054;

/** Two-sided P value of a standard normal statistic, absolute error below 2e-7. */
export const twoSidedP = (z: number): number => 2 * normalCdf(-Math.abs(z));

/** Natural logarithm of the gamma function, x > 0. @see Lanczos 1964, g = 7, n = 9. */
export function logGamma(x: number): number {
  const terms = [
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
  ];
  const sum = terms.reduce((total, term, n) => total + term / (x + n), 0.99999999999980993);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Continued fraction of the incomplete beta function. @see Lentz 1976. */
function betaFraction(a: number, b: number, x: number): number {
  const TINY = 1e-300, MAX_STEPS = 10_000;
  const away = (value: number) => Math.abs(value) < TINY ? TINY : value;
  let c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), fraction = d;
  for (let m = 1; m <= MAX_STEPS; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return fraction;
}

/** Regularised incomplete beta function I_x(a, b); a, b > 0, x in [0, 1]. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  return x < (a + 1) / (a + b + 2)
    ? front * betaFraction(a, b, x) / a
    : 1 - front * betaFraction(b, a, 1 - x) / b;
}

/** Finds the root of an increasing function between two values, by 60 bisections. */
export function rootBetween(low: number, high: number, f: (x: number) => number): number {
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (f(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Quantile of the F distribution; degrees of freedom may be fractions. */
export function fQuantile(p: number, df1: number, df2: number): number {
  const x = rootBetween(0, 1, (x) => incompleteBeta(x, df1 / 2, df2 / 2) - p);
  return df2 * x / (df1 * (1 - x));
}

/** Quantile of Student's t distribution, p ≥ .5. */
export const tQuantile = (p: number, df: number): number => Math.sqrt(fQuantile(2 * p - 1, 1, df));

/** Probability of at most k successes in n trials with probability .5. */
export const binomialHalfCdf = (k: number, n: number): number =>
  k < 0 ? 0 : k >= n ? 1 : incompleteBeta(0.5, n - k, k + 1);

/** Lower tail and density of the chi-square distribution, by the series of the gamma function. */
function chiSquareAt(x: number, freedom: number): { below: number; density: number } {
  const MAX_TERMS = 100_000, a = freedom / 2, y = x / 2;
  let term = 1 / a, sum = term;
  for (let n = 1; n < MAX_TERMS && term > 1e-16 * sum; n++) {
    term *= y / (a + n);
    sum += term;
  }
  const front = Math.exp(a * Math.log(y) - y - logGamma(a));
  return { below: Math.min(1, front * sum), density: front / x };
}

/**
 * Quantiles of the chi-square distribution at the middles of `count` equal parts of probability.
 *
 * @param freedom  Degrees of freedom, at least 1.
 * @returns Increasing values. Newton steps from each quantile to the next.
 */
export function chiSquareQuantiles(freedom: number, count: number): Float64Array {
  const MAX_STEPS = 100, quantiles = new Float64Array(count);
  // the median is below the degrees of freedom
  let x = rootBetween(0, freedom, (x) => chiSquareAt(x, freedom).below - 0.5 / count);
  for (let at = 0; at < count; at++) {
    for (let step = 0; step < MAX_STEPS; step++) {
      const { below, density } = chiSquareAt(x, freedom);
      const change = ((at + 0.5) / count - below) / density;
      x += change;
      if (Math.abs(change) < 1e-9 * x) break;
    }
    quantiles[at] = x;
  }
  return quantiles;
}
