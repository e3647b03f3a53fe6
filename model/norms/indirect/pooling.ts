import {
  addHistograms,
  AGE_BANDS,
  BINS,
  emptyHistogram,
  type Histogram,
  middleOf,
  sizeOf,
} from "@/model/norms/indirect/histogram.ts";

/** Histogram of one measure as stored and exchanged between sites. */
export interface SparseHistogram {
  /** for each age band: bin, count, bin, count, … with ascending bins and counts of at least 1 */
  bands: number[][];
  outside: number;
}

export const sparseOf = ({ counts, outside }: Histogram): SparseHistogram => ({
  bands: counts.map((band) => band.flatMap((count, bin) => count > 0 ? [bin, count] : [])),
  outside,
});

/**
 * The histogram of sparse counts.
 * @throws {RangeError} when bands, bins or counts violate the format of {@link SparseHistogram}.
 */
export function histogramFrom({ bands, outside }: SparseHistogram): Histogram {
  const histogram = { ...emptyHistogram(), outside };
  const isCount = (value: number, least: number) => Number.isSafeInteger(value) && value >= least;
  if (bands.length !== AGE_BANDS.length || !isCount(outside, 0)) {
    throw new RangeError("Cannot read counts: other age bands");
  }
  bands.forEach((pairs, band) => {
    let last = -1;
    if (pairs.length % 2 !== 0) throw new RangeError("Cannot read counts: a bin without a count");
    for (let at = 0; at < pairs.length; at += 2) {
      const bin = pairs[at]!, count = pairs[at + 1]!;
      if (!isCount(bin, last + 1) || bin >= BINS || !isCount(count, 1)) {
        throw new RangeError("Cannot read counts: a bin or count is out of range");
      }
      histogram.counts[band]![bin] = count;
      last = bin;
    }
  });
  return histogram;
}

/** Median and interquartile range of the residuals that are in a bin, z, over all age bands. */
function centreOf(histogram: Histogram): { median: number; spread: number } {
  const all = Array.from(
    { length: BINS },
    (_, bin) => histogram.counts.reduce((sum, band) => sum + band[bin]!, 0),
  );
  const size = all.reduce((sum, count) => sum + count, 0);
  const at = (share: number) => {
    let sum = 0;
    const bin = all.findIndex((count) => (sum += count) >= share * size);
    return middleOf(Math.max(0, bin));
  };
  return { median: at(0.5), spread: at(0.75) - at(0.25) };
}

/**
 * Maximum difference between the medians of two sites that are pooled: in standard errors, and in
 * z.
 */
const MAX_ERRORS = 4, MAX_DISTANCE = 0.3;

/**
 * Whether the residuals of two sites may come from one population: medians may differ by chance,
 * or by a third of an SD. Sites with differing scanners are not averaged.
 */
export function canPool(a: Histogram, b: Histogram): boolean {
  const [first, second] = [centreOf(a), centreOf(b)];
  // standard error of a median of normal values: 1.2533 sd / √n; sd = interquartile range / 1.349
  const error = 1.2533 / 1.349 *
    Math.hypot(first.spread / Math.sqrt(sizeOf(a)), second.spread / Math.sqrt(sizeOf(b)));
  const distance = Math.abs(first.median - second.median);
  return distance <= Math.max(MAX_DISTANCE, MAX_ERRORS * error);
}

/** Tolerance for two biases to count as equal; they may differ by rounding. */
const SAME_BIAS = 1e-6;

/**
 * Whether two biases are equal: residuals after another bias cannot be added.
 * An update of the error table changes biases, while earlier counts and norms are still stored.
 */
export const isSameBias = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_BIAS;

/** Sum of this site's counts and the counts of all other sites that agree with this site. */
export function pooled(
  ofSite: Histogram,
  ofOthers: readonly Histogram[],
): { histogram: Histogram; isWhole: boolean } {
  // without studies of this site, nothing shows which other scanners agree with its scanner
  const fitting = ofOthers.filter((histogram) =>
    sizeOf(histogram) > 0 && canPool(ofSite, histogram)
  );
  return {
    histogram: fitting.reduce(addHistograms, ofSite),
    isWhole: fitting.length === ofOthers.length,
  };
}
