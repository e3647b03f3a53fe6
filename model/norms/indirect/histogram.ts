/**
 * Counts of residuals by age band: the input of the indirect norm, and all that sites exchange.
 * Counts do not show which person a count belongs to,
 * nor which counts of two measures belong to the same person.
 */

/** Youngest age of each age band, years; the last band ends at {@link NORM_AGE_MAX}. */
export const AGE_BANDS = [18, 50, 65, 80] as const;
/** Range of residuals (z scores against the published norms); values beyond count as outside. */
export const Z_MIN = -8, Z_MAX = 8;
/** Width of a histogram bin, z. */
export const BIN_WIDTH = 0.1;
export const BINS = Math.round((Z_MAX - Z_MIN) / BIN_WIDTH);

/** Residual of one study: age in years at the study date, z against the published norms. */
export interface Residual {
  age: number;
  z: number;
}

/** Histogram of the residuals of one measure. */
export interface Histogram {
  /** shape [{@link AGE_BANDS}][{@link BINS}], integers; bin b begins at Z_MIN + b · width */
  counts: number[][];
  /** residuals below {@link Z_MIN} or from {@link Z_MAX} on, which cannot be of healthy people */
  outside: number;
}

/** z at the middle of a bin. */
export const middleOf = (bin: number): number => Z_MIN + (bin + 0.5) * BIN_WIDTH;

export const emptyHistogram = (): Histogram => ({
  counts: AGE_BANDS.map(() => Array<number>(BINS).fill(0)),
  outside: 0,
});

/** Index of the age band of an age; ages below the first band belong to it. */
export const bandOf = (age: number): number =>
  Math.max(0, AGE_BANDS.findLastIndex((youngest) => age >= youngest));

/**
 * Counts residuals by age band and bin.
 * @throws {RangeError} for an age or z that is not finite, which is the caller's mistake.
 */
export function histogramOf(residuals: readonly Residual[]): Histogram {
  const histogram = emptyHistogram();
  for (const { age, z } of residuals) {
    if (!Number.isFinite(age) || !Number.isFinite(z)) {
      throw new RangeError("Cannot count a residual: age or z is not finite");
    }
    const bin = Math.floor((z - Z_MIN) / BIN_WIDTH);
    if (bin < 0 || bin >= BINS) histogram.outside++;
    else histogram.counts[bandOf(age)]![bin]!++;
  }
  return histogram;
}

/** Adds two histograms. */
export const addHistograms = (a: Histogram, b: Histogram): Histogram => ({
  counts: a.counts.map((band, at) => band.map((count, bin) => count + b.counts[at]![bin]!)),
  outside: a.outside + b.outside,
});

/** Total number of residuals, including those outside the range. */
export const sizeOf = ({ counts, outside }: Histogram): number =>
  counts.reduce((sum, band) => band.reduce((total, count) => total + count, sum), outside);
