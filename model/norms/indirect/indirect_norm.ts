import { Random } from "@/model/random.ts";
import {
  CENTRE_SPREADS,
  CENTRES,
  expectedCounts,
  fitMixture,
  type FitPrior,
  type Mixture,
} from "@/model/norms/indirect/healthy_fit.ts";
import { BINS, type Histogram, sizeOf } from "@/model/norms/indirect/histogram.ts";

/** Minimum number of routine studies: with fewer, the healthy part cannot be identified. */
export const MIN_ROUTINE = 100;
/** Number of bootstrap replicates, and the seed that makes intervals reproducible. */
const REPLICATES = 60, SEED = 20211;
/** z of the 95th percentile, for 90 % intervals. */
const Z95 = 1.6448536;

/** Codes of the reasons why routine studies yield no norm for a measure. */
export const REFUSALS = [
  // fewer studies than MIN_ROUTINE
  "too_few",
  // two different distributions of healthy people fit the histogram about equally well
  "ambiguous",
  // most of the studies would be classified as ill
  "few_healthy",
  // the offset is larger than differences between scanners
  "implausible",
  // the fitted mixture does not match the shape of the histogram
  "misfit",
  // the confidence interval of the offset is too wide
  "imprecise",
] as const;
export type Refusal = typeof REFUSALS[number];

/**
 * Estimated healthy part of a measure's routine studies; location and scale in z, 90 % intervals.
 */
export interface HealthyPart {
  n: number;
  offset: number;
  offsetLow: number;
  offsetHigh: number;
  offsetSd: number;
  scale: number;
  scaleLow: number;
  scaleHigh: number;
  /** fraction of studies that are healthy in this measure, 0..1 */
  healthyShare: number;
}

export type IndirectNorm =
  | { refusal: Refusal; part: HealthyPart | null }
  | { refusal: null; part: HealthyPart };

/** Minimum estimated fraction of healthy studies. */
const MIN_HEALTHY = 0.35;
/** Maximum offset in between-scanner SDs: a larger one has another cause than the scanner. */
const MAX_OFFSET = 2.5;
/** A second maximum at least this far from the first (z), with a score this close, is ambiguous. */
const RIVAL_DISTANCE = 0.8, RIVAL_SCORE = 3;
/** Maximum standard error of the offset, z. */
const MAX_OFFSET_SD = 0.4;
/** Maximum chi-square per degree of freedom. */
const MAX_MISFIT = 2.2;
/** Minimum expected count in a bin of the chi-square statistic. */
const MIN_CELL = 6;

const bandSizes = (counts: readonly ArrayLike<number>[]): number[] =>
  counts.map((band) => {
    let sum = 0;
    for (let bin = 0; bin < BINS; bin++) sum += band[bin]!;
    return sum;
  });

/**
 * Local maxima of the posterior from several starting points, best first.
 * Maxima within 0.1 z are merged.
 */
function maxima(counts: readonly ArrayLike<number>[], prior: FitPrior): Mixture[] {
  const reach = Math.max(1, MAX_OFFSET * prior.offsetSd);
  const starts = [0, -0.5, 0.5, -1, 1].map((part) => part * reach);
  const fits = starts.map((start) => fitMixture(counts, prior, start))
    .sort((a, b) => b.score - a.score);
  return fits.filter((fit, at) =>
    fits.slice(0, at).every((better) => Math.abs(better.offset - fit.offset) > 0.1)
  );
}

/** Chi-square per degree of freedom of the counts against a mixture; small bins are merged. */
export function misfitOf(
  counts: readonly ArrayLike<number>[],
  mixture: Mixture,
  direction: -1 | 1,
): number {
  const { all } = expectedCounts(mixture, direction, bandSizes(counts));
  let chi = 0, cells = 0, expected = 0, observed = 0;
  const close = () => {
    chi += (observed - expected) ** 2 / expected;
    cells++;
    expected = observed = 0;
  };
  for (let bin = 0; bin < BINS; bin++) {
    expected += all[bin]!;
    for (const band of counts) observed += band[bin]!;
    if (expected >= MIN_CELL) close();
  }
  if (expected > 0) close();
  return chi / Math.max(1, cells - 5);
}

/** Resamples the residuals with replacement within each age band; shape as `counts`. */
function resample(counts: readonly (readonly number[])[], random: Random): Float64Array[] {
  return counts.map((band) => {
    const drawn = new Float64Array(BINS), sums: number[] = [], bins: number[] = [];
    let size = 0;
    band.forEach((count, bin) => {
      if (count === 0) return;
      size += count;
      sums.push(size);
      bins.push(bin);
    });
    for (let i = 0; i < size; i++) {
      const at = random.uniform() * size;
      let low = 0, high = sums.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sums[middle]! > at) high = middle;
        else low = middle + 1;
      }
      drawn[bins[low]!]!++;
    }
    return drawn;
  });
}

/**
 * SDs of offset and scale by the bootstrap: each replicate resamples studies and prior centres.
 * With resampled centres the SDs are those of the posterior distribution
 * (randomize-then-optimize: Bardsley et al. 2014, SIAM J Sci Comput 36:A1895).
 */
function spreads(histogram: Histogram, prior: FitPrior, best: Mixture) {
  const random = new Random(SEED);
  const offsets: number[] = [], scales: number[] = [];
  for (let replicate = 0; replicate < REPLICATES; replicate++) {
    const drawn = resample(histogram.counts, random);
    const fit = fitMixture(drawn, prior, best, {
      offset: prior.offsetSd * random.normal(),
      scaleFactor: Math.exp(CENTRE_SPREADS.scale * random.normal()),
      illFactor: Math.exp(CENTRE_SPREADS.ill * random.normal()),
      deficit: CENTRES.deficit + CENTRE_SPREADS.deficit * random.normal(),
      illShare: 0.05 + 0.65 * random.uniform(),
    });
    offsets.push(fit.offset);
    scales.push(Math.log(fit.scale));
  }
  const sdOf = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return Math.sqrt(
      values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
    );
  };
  return { offsetSd: sdOf(offsets), logScaleSd: sdOf(scales) };
}

/**
 * Estimates offset and scale of the healthy people among routine studies of one measure.
 *
 * @param histogram Residuals of one study per patient, of reliable results only.
 * @param prior     Prior SDs of offset and scale, z, from the table of measurement errors.
 * @returns a refusal if the healthy part cannot be separated, with any estimate for plotting.
 */
export function indirectNorm(histogram: Histogram, prior: FitPrior): IndirectNorm {
  const n = sizeOf(histogram), { counts } = histogram;
  if (n < MIN_ROUTINE) return { refusal: "too_few", part: null };
  const sizes = bandSizes(counts), inside = sizes.reduce((sum, size) => sum + size, 0);
  // most residuals are failures or outside the range: no fit is possible
  if (inside < Math.max(MIN_ROUTINE / 2, MIN_HEALTHY * n)) {
    return { refusal: "few_healthy", part: null };
  }
  const [best, ...others] = maxima(counts, prior) as [Mixture, ...Mixture[]];
  const healthy = sizes.reduce((sum, size, band) => sum + size * (1 - best.illShares[band]!), 0);
  const { offsetSd, logScaleSd } = spreads(histogram, prior, best);
  const factor = Math.exp(Z95 * logScaleSd);
  const part: HealthyPart = {
    n,
    offset: best.offset,
    offsetLow: best.offset - Z95 * offsetSd,
    offsetHigh: best.offset + Z95 * offsetSd,
    offsetSd,
    scale: best.scale,
    scaleLow: best.scale / factor,
    scaleHigh: best.scale * factor,
    healthyShare: healthy / n,
  };
  const isRival = ({ offset, score }: Mixture) =>
    Math.abs(offset - best.offset) > RIVAL_DISTANCE && score > best.score - RIVAL_SCORE;
  const refusal: Refusal | null = part.healthyShare < MIN_HEALTHY
    ? "few_healthy"
    : Math.abs(best.offset) > MAX_OFFSET * prior.offsetSd
    ? "implausible"
    : misfitOf(counts, best, prior.direction) > MAX_MISFIT
    ? "misfit"
    : others.some(isRival)
    ? "ambiguous"
    : offsetSd > MAX_OFFSET_SD
    ? "imprecise"
    : null;
  return { refusal, part };
}
