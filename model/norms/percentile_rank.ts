import type { CurvePlace } from "@/model/norms/curves.ts";
import { type AgreementFacts, doubtedLabelsOf, isDoubted } from "@/model/norms/region_agreement.ts";
import { type MethodError, methodErrorOf } from "@/model/norms/method_error.ts";
import { type MeasureKey, normOfMeasure } from "@/model/regions/measures.ts";
import {
  ICV_MEAN_ML,
  ICV_SD_ML,
  type Measure,
  type Norm,
  normalCdf,
  type NormSubject,
  valueAt,
  zOf,
} from "@/model/norms/norms.ts";
import { isDetermined } from "@/model/norms/rank_format.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/**
 * How a rank is read: z where the bands begin, ascending; of fluid, high values are marked (D2 §9).
 */
interface Reading {
  limits: readonly number[];
  isInverted: boolean;
}

/**
 * A site's own norm of a measure, from its controls: their mean z and its spread, both as Sulcus
 * gives them without.
 */
export interface LocalNorm {
  offset: number;
  scale: number;
  /** standard error of the offset, z */
  offsetSd?: number;
  /**
   * bias that was taken away from the controls: the same is taken away from who is read with them
   */
  bias?: number;
  /** from routine studies, of which the healthy part was estimated; absent: from controls */
  isIndirect?: true;
}
/** The local norm of a measure; `null` where there is none. */
export type LocalNorms = (measure: Measure, key: MeasureKey) => LocalNorm | null;

/** How a result was made, and the norms it is compared with. */
export interface Method {
  /** a second opinion had its part in the labels: their error is another */
  hasOpinion: boolean;
  /** norms of this site or scanner; `null`: the published ones alone */
  localNorms: LocalNorms | null;
  /** labels with borders that are likely wrong (`doubtedLabelsOf`): they have no percentile */
  doubtedLabels?: ReadonlySet<number>;
}
/** A result's record of the second opinion. */
interface MethodFacts {
  secondOpinion?: { isUsed?: unknown } | null | undefined;
}
export const PLAIN_METHOD: Method = { hasOpinion: false, localNorms: null };

/** The method of a result, by its own records of the networks, and the published norms. */
export function methodOf(
  results: (AgreementFacts & MethodFacts) | null | undefined,
): Method {
  const doubtedLabels = doubtedLabelsOf(results ?? {});
  return {
    hasOpinion: results?.secondOpinion?.isUsed === true,
    localNorms: null,
    ...(doubtedLabels.size > 0 && { doubtedLabels }),
  };
}

/**
 * Probabilities that the statements need: a firm band, a possible band, "usual". Firm is 0.9 where
 * 0.8 is promised: on sites that the error was not measured on, it is larger than said more often
 * than a normal distribution has it.
 */
const FIRM = 0.9, POSSIBLE = 0.5, USUAL = 0.8;
/** z of the 10th and the 90th percentile: an 80 % interval. */
const Z90 = 1.2815516;
/**
 * Largest error, z, that leaves a percentile and a band worth printing: chosen by leaving sites out
 * (docs/accuracy.md).
 */
const USEFUL_SD = 1;
/**
 * The same for norms from routine studies, in spreads of the healthy: a mean error of the
 * percentiles of at most 12 points (docs/accuracy/routine_norms.md).
 */
const INDIRECT_SD = 0.6;
/** z of the percentile 99.9 */
const Z999 = 3.0902323;
/**
 * Of whom a firm band must hold: people, one in twenty of them with a deficit of 2 ± 1.2 standard
 * deviations.
 */
const PATIENTS = { share: 0.05, mean: -2, sd: 1.2 };
/** Spreads of the ICV beyond which it is doubted. */
const ICV_LIMIT = 3;

const round2 = (value: number) => Math.round(value * 100) / 100;

/** z of a percentile. */
export function zOfPercentile(percentile: number): number {
  let low = -8, high = 8;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (100 * normalCdf(middle) < percentile) low = middle;
    else high = middle;
  }
  return low;
}

/** z of the percentiles that begin the bands. */
export const limitsOf = (thresholds: readonly number[]): number[] => thresholds.map(zOfPercentile);

/** Density of a normal distribution, but for a constant factor. */
const density = (x: number, sd: number) => Math.exp(-0.5 * (x / sd) ** 2) / sd;

/**
 * Probability that the true z is at most `limit` when `z` was measured with an error of `sd`,
 * nothing else known.
 */
const probabilityBelow = (z: number, sd: number, limit: number): number =>
  normalCdf((limit - z) / sd);

/** The same among people of whom most are healthy: {@link PATIENTS}. */
function likelyAmongPeople(z: number, sd: number, limit: number): number {
  let below = 0, all = 0;
  for (const group of [{ share: 1 - PATIENTS.share, mean: 0, sd: 1 }, PATIENTS]) {
    const variance = group.sd ** 2 + sd ** 2;
    const weight = group.share * density(z - group.mean, Math.sqrt(variance));
    const mean = (z * group.sd ** 2 + group.mean * sd ** 2) / variance;
    below += weight * normalCdf((limit - mean) / (group.sd * sd / Math.sqrt(variance)));
    all += weight;
  }
  return all > 0 ? below / all : probabilityBelow(z, sd, limit);
}

/**
 * Percentile, 80 % interval and band of a z score with an error.
 *
 * The percentile and the interval are those of the measurement alone. A firm band must hold with 90
 * % among people of whom few are patients, so that a healthy person with a large error is not
 * called low. A possible band, and "usual", are judged without that knowledge, so that a patient is
 * not called usual because patients are rare. Which of both is used where was chosen by simulation:
 * `percentile_rank_test.ts`.
 *
 * Where the interval is too wide to say anything there are no bands either.
 *
 * @param sd Spread of the error, z.
 */
export function rankOfZ(
  z: number,
  sd: number,
  reading: Reading,
  canHaveBands = true,
): PercentileRank {
  const error = Math.max(sd, 1e-3), read = reading.isInverted ? -z : z;
  const { limits } = reading, widest = limits[limits.length - 1];
  const low = round2(100 * normalCdf(z - Z90 * error)),
    high = round2(100 * normalCdf(z + Z90 * error));
  const hasBands = canHaveBands && isDetermined({ low, high });
  const count = (holds: (limit: number) => boolean) => hasBands ? limits.filter(holds).length : 0;
  const level = count((limit) => likelyAmongPeople(read, error, limit) >= FIRM);
  const isBeyond = (hasBands ? read : read - Z90 * error) > Z999;
  return {
    percentile: round2(100 * normalCdf(z)),
    low,
    high,
    has_bands: hasBands,
    level,
    possible_level: Math.max(
      level,
      count((limit) => probabilityBelow(read, error, limit) >= POSSIBLE),
    ),
    is_usual: hasBands && !isBeyond &&
      (widest === undefined || probabilityBelow(read, error, widest) <= 1 - USUAL),
    doubt: isBeyond ? "value" : null,
  };
}

/** z of a value after subtraction of the method's bias, and the spread of its error. */
function errorOfZ(
  value: number,
  norm: Norm,
  error: MethodError,
  measure: Measure,
  local: LocalNorm | null,
): { z: number; sd: number } {
  const isVolume = measure === "volume";
  const bias = local?.bias ?? error.bias;
  const corrected = isVolume ? value * Math.exp(-bias) : value - bias;
  // of next to nothing the error is not next to nothing
  const size = norm.isLog10 ? 1 / Math.LN10 : Math.max(corrected, norm.mean / 2);
  const inZ = (spread: number) => (isVolume ? spread * size : spread) / norm.sd;
  const z = zOf(corrected, norm);
  if (!local) return { z, sd: inZ(Math.hypot(error.biasSd, error.randomSd)) };
  // the controls were measured on this scanner: its systematic part is in the offset
  return {
    z: (z - local.offset) / local.scale,
    sd: Math.hypot(inZ(error.randomSd), local.offsetSd ?? 0) / local.scale,
  };
}

/**
 * The error table's spreads of a measure in z of a subject at its norm; `null` without a norm or
 * a known error.
 *
 * @returns `biasSd` between scanners, `randomSd` between heads of one scanner.
 */
export function errorSpreads(
  measure: Measure,
  key: MeasureKey,
  subject: NormSubject,
  hasOpinion: boolean,
): { biasSd: number; randomSd: number } | null {
  const error = methodErrorOf(key, measure, hasOpinion), norm = subjectNorm(measure, key, subject);
  if (!norm || !error) return null;
  const usual = valueAt(0, norm);
  const value = measure === "volume" ? usual * Math.exp(error.bias) : usual + error.bias;
  const sdOf = (part: Partial<MethodError>) =>
    errorOfZ(value, norm, { ...error, biasSd: 0, randomSd: 0, ...part }, measure, null).sd;
  return {
    biasSd: sdOf({ biasSd: error.biasSd }),
    randomSd: sdOf({ randomSd: error.randomSd }),
  };
}

/**
 * Whether an error leaves a band that says something: at most 1 z of a woman of 45.
 */
export function areBandsUseful(measure: Measure, key: MeasureKey, error: MethodError): boolean {
  const subject: NormSubject = { age: 45, sex: "female", icvMl: ICV_MEAN_ML.female };
  const norm = normOfMeasure(key, measure, subject);
  if (!norm) return false;
  const usual = valueAt(0, norm),
    value = measure === "volume" ? usual * Math.exp(error.bias) : usual + error.bias;
  return errorOfZ(value, norm, error, measure, null).sd <= USEFUL_SD;
}

/** Norm of a measure; the ICV is compared within the sex. */
const subjectNorm = (measure: Measure, key: MeasureKey, subject: NormSubject): Norm | null =>
  key === "icv"
    ? { mean: 1000 * ICV_MEAN_ML[subject.sex], sd: 1000 * ICV_SD_ML, isLog10: false }
    : normOfMeasure(key, measure, subject);

/**
 * z of a measure corrected for the method's bias, with the spread of its error; `null` without norm
 * or known error, and where the region's borders are likely wrong.
 */
export function measuredZ(
  measure: Measure,
  key: MeasureKey,
  value: number,
  subject: NormSubject,
  method: Method = PLAIN_METHOD,
): { z: number; sd: number; hasBands: boolean } | null {
  return isDoubted(key, method.doubtedLabels)
    ? null
    : zOfMeasured(measure, key, value, subject, method);
}

/** The same, whatever the borders are. */
function zOfMeasured(
  measure: Measure,
  key: MeasureKey,
  value: number,
  subject: NormSubject,
  { hasOpinion, localNorms }: Method,
): { z: number; sd: number; hasBands: boolean } | null {
  const error = methodErrorOf(key, measure, hasOpinion);
  const norm = subjectNorm(measure, key, subject);
  if (!norm || !error) return null;
  const local = localNorms?.(measure, key) ?? null;
  const read = errorOfZ(value, norm, error, measure, local);
  if (local?.isIndirect) return { ...read, hasBands: read.sd <= INDIRECT_SD };
  // with controls of the scanner its systematic error is gone
  return { ...read, hasBands: error.hasBands || (local !== null && read.sd <= USEFUL_SD) };
}

/** The rank of a region with borders that are likely wrong: its percentile may be any. */
const WITHHELD: PercentileRank = {
  percentile: 50,
  low: 0,
  high: 100,
  has_bands: false,
  level: 0,
  possible_level: 0,
  is_usual: false,
  doubt: "region",
};

/**
 * Percentile of a measured value among healthy people, with the error of the method.
 *
 * @param key   See {@link MeasureKey}; "icv" is compared within the sex.
 * @param value mm³, or mm.
 * @returns `null` without a norm or without a known error.
 */
export function rankOf(
  measure: Measure,
  key: MeasureKey,
  value: number,
  subject: NormSubject | null,
  reading: Reading,
  method: Method = PLAIN_METHOD,
): PercentileRank | null {
  const measured = subject && zOfMeasured(measure, key, value, subject, method);
  if (!measured) return null;
  if (isDoubted(key, method.doubtedLabels)) return WITHHELD;
  const rank = rankOfZ(measured.z, measured.sd, reading, measured.hasBands);
  return key === "icv" && Math.abs(measured.z) > ICV_LIMIT
    ? { ...rank, is_usual: false, doubt: "value" }
    : rank;
}

/** Offset of a volume's norm curve for this method and site. */
export function curvePlaceOf(
  key: MeasureKey,
  { hasOpinion, localNorms }: Method = PLAIN_METHOD,
): CurvePlace {
  const local = localNorms?.("volume", key), error = methodErrorOf(key, "volume", hasOpinion);
  return {
    factor: Math.exp(local?.bias ?? error?.bias ?? 0),
    offset: local?.offset ?? 0,
    scale: local?.scale ?? 1,
  };
}

/**
 * 80 % interval of a volume, in its own unit and with the method's bias as the volume has it;
 * `null` without an error.
 */
export function volumeInterval(
  key: MeasureKey,
  volume: number,
  { hasOpinion, localNorms }: Method = PLAIN_METHOD,
): [low: number, high: number] | null {
  const error = methodErrorOf(key, "volume", hasOpinion);
  if (!error) return null;
  const sd = localNorms?.("volume", key)
    ? error.randomSd
    : Math.hypot(error.biasSd, error.randomSd);
  return [volume * Math.exp(-Z90 * sd), volume * Math.exp(Z90 * sd)];
}
