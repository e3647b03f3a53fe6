/**
 * Smallest change beyond the variation of repeated scans,
 * percent of the mean, by the keys of `trackedValues`.
 */
export interface ChangeLimits {
  /** number of pairs of repeated scans from which the limit was computed */
  pairs: number;
  percent: Readonly<Record<string, number>>;
}

/** Minimum number of pairs: with fewer, the confidence interval of the SD is wider than twofold. */
const MIN_REPEATS = 3;

/**
 * Two-sided 95 % quantiles of Student's t for 1, 2, … degrees of freedom; the last one for all
 * more.
 */
const T_95 = [
  12.71,
  4.3,
  3.18,
  2.78,
  2.57,
  2.45,
  2.36,
  2.31,
  2.26,
  2.23,
  2.2,
  2.18,
  2.16,
  2.14,
  2.13,
  2.12,
  2.11,
  2.1,
  2.09,
  2.09,
];
const T_LAST = 1.96;

/**
 * Change limits from pairs of scans between which nothing changed:
 * 95 % of such pairs differ by less.
 * The mean difference is 0 and not estimated, so n pairs have n degrees of freedom.
 *
 * @param pairs  Values of the first and of the second scan, each by the keys of `trackedValues`.
 * @returns `null` below {@link MIN_REPEATS} pairs; keys with fewer pairs are left out.
 */
export function limitsFromRepeats(
  pairs: readonly (readonly [Readonly<Record<string, number>>, Readonly<Record<string, number>>])[],
): ChangeLimits | null {
  if (pairs.length < MIN_REPEATS) return null;
  const percent: Record<string, number> = {};
  for (const key of Object.keys(pairs[0]![0])) {
    const squares = pairs.flatMap(([first, second]) => {
      const a = first[key], b = second[key];
      return a !== undefined && b !== undefined && a + b > 0
        ? [(200 * (b - a) / (a + b)) ** 2]
        : [];
    });
    if (squares.length < MIN_REPEATS) continue;
    const sd = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
    percent[key] = Math.round(100 * (T_95[squares.length - 1] ?? T_LAST) * sd) / 100;
  }
  return { pairs: pairs.length, percent };
}
