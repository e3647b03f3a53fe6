// Separates the healthy part of a mixed population, from histograms of residuals.
// Implemented from published descriptions of the method, not ported from a program.
import {
  AGE_BANDS,
  BIN_WIDTH,
  BINS,
  middleOf,
  Z_MAX,
  Z_MIN,
} from "@/model/norms/indirect/histogram.ts";

/**
 * Prior expectations about the residuals; all values are z scores.
 *
 * The scanner's offset is normal around 0, with the between-scanner SD of the error table.
 * SD of healthy residuals: √(1² + e²), with 1 between persons and e of the measurement.
 * Patients deviate in one direction only.
 */
export interface FitPrior {
  /** SD of the offset between scanners, > 0 */
  offsetSd: number;
  /** SD of the random measurement error of one head, ≥ 0 */
  randomSd: number;
  /** −1: illness makes the measure smaller; 1: larger (fluid) */
  direction: -1 | 1;
}

/** Healthy and ill part of a population; locations and scales in z. */
export interface Mixture {
  /** mean and sd of the healthy residuals */
  offset: number;
  scale: number;
  /**
   * distance of the ill mean from the healthy mean, ≥ {@link MIN_DEFICIT}, and SD of the ill part
   */
  deficit: number;
  illSd: number;
  /** fraction of ill people in each age band, 0..1 */
  illShares: readonly number[];
  /** log posterior density, up to a constant that depends on the counts alone */
  score: number;
}

/** Expected deficit of the ill part, SD of that deficit between structures, and minimum, z. */
const DEFICIT = { mean: 2, sd: 0.7 }, MIN_DEFICIT = 0.8;
/** SD of the ill part around its mean without measurement error, z: as in {@link rankOfZ}. */
const ILL_SD = 1.2;
/**
 * Weight of the expected SDs, as a number of people. The SD of the healthy part (60 people) is
 * within about 10 % of the expected SD; the ill part is less certain.
 */
const SCALE_WEIGHT = 60, ILL_WEIGHT = 20;
/** Expected fraction of ill people in an age band, and the weight of that prior in people. */
const ILL_SHARE = 0.35, SHARE_WEIGHT = 6;
/** Fraction of residuals from failed analyses, uniform between the limits. */
const STRAY = 0.01;
/** Maximum number of EM iterations, and the change in z below which the iteration stops. */
const STEPS = 100, ENOUGH = 4e-4;

/** Centres of the priors; each bootstrap replicate uses other centres. */
export interface Centres {
  offset: number;
  /** factors by which a bootstrap replicate multiplies the expected SDs */
  scaleFactor: number;
  illFactor: number;
  deficit: number;
  illShare: number;
}
export const CENTRES: Centres = {
  offset: 0,
  scaleFactor: 1,
  illFactor: 1,
  deficit: DEFICIT.mean,
  illShare: ILL_SHARE,
};

/** SDs from which a bootstrap replicate draws the centres of the priors. */
export const CENTRE_SPREADS = {
  scale: 1 / Math.sqrt(2 * SCALE_WEIGHT),
  ill: 1 / Math.sqrt(2 * ILL_WEIGHT),
  deficit: DEFICIT.sd,
};

const MIDDLES = Float64Array.from({ length: BINS }, (_, bin) => middleOf(bin));
const ALL_BINS = Array.from({ length: BINS }, (_, bin) => bin);
const STRAY_DENSITY = STRAY / (Z_MAX - Z_MIN);
const INV_ROOT_2PI = 1 / Math.sqrt(2 * Math.PI);

/** Density of a normal distribution at bin centres; shape of `out` is [BINS]. */
function densities(mean: number, sd: number, bins: readonly number[], out: Float64Array): void {
  const factor = (1 - STRAY) * INV_ROOT_2PI / sd;
  for (const bin of bins) {
    const x = (MIDDLES[bin]! - mean) / sd;
    out[bin] = factor * Math.exp(-0.5 * x * x);
  }
}

/**
 * Most likely mixture of healthy and ill people by expectation and maximization (Dempster, Laird,
 * Rubin 1977), from the counts of all age bands. The healthy part has one offset and scale for all
 * ages; the ill fraction differs between age bands. As in refineR (Ammer et al. 2021, Sci Rep
 * 11:16023), only the healthy part is modelled, on a histogram; the remainder need not be healthy.
 * Differs from refineR: residuals are normal by construction of the norms, so no power transform is
 * fitted; the ill part has a wide one-sided distribution; priors come from the error table.
 *
 * @param counts Shape [bands][{@link BINS}]; fractional, never negative.
 * @param start  Initial offset, z; the result is a local maximum near this offset.
 */
export function fitMixture(
  counts: readonly ArrayLike<number>[],
  prior: FitPrior,
  start: number | Mixture,
  centres: Centres = CENTRES,
): Mixture {
  const { direction } = prior, usualScale = Math.hypot(1, prior.randomSd) * centres.scaleFactor;
  const usualIll = Math.hypot(ILL_SD, prior.randomSd) * centres.illFactor;
  const isWarm = typeof start !== "number";
  let offset = isWarm ? start.offset : start, scale = isWarm ? start.scale : usualScale;
  let deficit = isWarm ? start.deficit : centres.deficit, illSd = isWarm ? start.illSd : usualIll;
  const shares = isWarm ? [...start.illShares] : counts.map(() => ILL_SHARE);
  const healthy = new Float64Array(BINS), ill = new Float64Array(BINS);
  const bins = ALL_BINS.filter((bin) => counts.some((band) => band[bin]! > 0));
  let fit = 0;
  for (let step = 0; step < STEPS; step++) {
    densities(offset, scale, bins, healthy);
    densities(offset + direction * deficit, illSd, bins, ill);
    // sums of weight, z and z² of the healthy part and of the ill part
    let h0 = 0, h1 = 0, h2 = 0, i0 = 0, i1 = 0, i2 = 0;
    fit = 0;
    for (let band = 0; band < counts.length; band++) {
      const row = counts[band]!, share = shares[band]!;
      let illSum = 0, healthySum = 0;
      for (const bin of bins) {
        const count = row[bin]!;
        if (count === 0) continue;
        const z = MIDDLES[bin]!, a = (1 - share) * healthy[bin]!, b = share * ill[bin]!;
        const total = a + b + STRAY_DENSITY, ha = count * a / total, ib = count * b / total;
        fit += count * Math.log(total);
        h0 += ha;
        h1 += ha * z;
        h2 += ha * z * z;
        i0 += ib;
        i1 += ib * z;
        i2 += ib * z * z;
        healthySum += ha;
        illSum += ib;
      }
      shares[band] = (illSum + SHARE_WEIGHT * centres.illShare) /
        (illSum + healthySum + SHARE_WEIGHT);
    }
    // healthy mean: combines healthy residuals, ill residuals without the deficit, and the prior
    const wh = 1 / scale ** 2, wi = 1 / illSd ** 2, wo = 1 / prior.offsetSd ** 2;
    const moved = (wh * h1 + wi * (i1 - direction * deficit * i0) + wo * centres.offset) /
      (wh * h0 + wi * i0 + wo);
    const wd = 1 / DEFICIT.sd ** 2;
    deficit = Math.max(
      MIN_DEFICIT,
      (wi * direction * (i1 - moved * i0) + wd * centres.deficit) / (wi * i0 + wd),
    );
    const illMean = moved + direction * deficit;
    scale = Math.sqrt(
      (SCALE_WEIGHT * usualScale ** 2 + h2 - 2 * moved * h1 + moved ** 2 * h0) /
        (SCALE_WEIGHT + h0),
    );
    illSd = Math.sqrt(
      (ILL_WEIGHT * usualIll ** 2 + i2 - 2 * illMean * i1 + illMean ** 2 * i0) / (ILL_WEIGHT + i0),
    );
    const change = Math.abs(moved - offset);
    offset = moved;
    if (change < ENOUGH && step > 4) break;
  }
  const spreadScore = (weight: number, ratio: number) =>
    -weight * (Math.log(ratio) + 0.5 / ratio ** 2);
  const score = fit - 0.5 * ((offset - centres.offset) / prior.offsetSd) ** 2 -
    0.5 * ((deficit - centres.deficit) / DEFICIT.sd) ** 2 +
    spreadScore(SCALE_WEIGHT, scale / usualScale) + spreadScore(ILL_WEIGHT, illSd / usualIll) +
    shares.reduce((sum, share) =>
      sum + SHARE_WEIGHT * (centres.illShare * Math.log(share) +
          (1 - centres.illShare) * Math.log(1 - share)), 0);
  return { offset, scale, deficit, illSd, illShares: shares, score };
}

/** Expected count in each bin, summed over all age bands; shape [BINS]. */
export function expectedCounts(
  mixture: Mixture,
  direction: -1 | 1,
  sizes: readonly number[],
): { healthy: number[]; all: number[] } {
  const h = new Float64Array(BINS), i = new Float64Array(BINS);
  densities(mixture.offset, mixture.scale, ALL_BINS, h);
  densities(mixture.offset + direction * mixture.deficit, mixture.illSd, ALL_BINS, i);
  let healthySize = 0, illSize = 0;
  for (let band = 0; band < AGE_BANDS.length; band++) {
    healthySize += sizes[band]! * (1 - mixture.illShares[band]!);
    illSize += sizes[band]! * mixture.illShares[band]!;
  }
  const healthy = Array.from(h, (density) => BIN_WIDTH * healthySize * density);
  return {
    healthy,
    all: healthy.map((count, bin) =>
      count + BIN_WIDTH * (illSize * i[bin]! + (healthySize + illSize) * STRAY_DENSITY)
    ),
  };
}
