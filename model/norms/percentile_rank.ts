import type { CurvePlace } from "@/model/norms/curves.ts";
import { type AgreementFacts, doubtedLabelsOf, isDoubted } from "@/model/norms/region_agreement.ts";
import {
  type MethodError,
  methodErrorOf,
  THICKNESS_OFFSET_MM,
} from "@/model/norms/method_error.ts";
import { type MeasureKey, normOfMeasure } from "@/model/regions/measures.ts";
import {
  ICV_MEAN_ML,
  ICV_SD_ML,
  type Measure,
  type Norm,
  normalCdf,
  type NormSubject,
  sdNear,
  type TableNorms,
  valueAt,
  zOf,
} from "@/model/norms/norms.ts";
import { isDetermined } from "@/model/norms/rank_format.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/**
 * Thresholds with which a value is ranked: z at which bands begin, ascending.
 * For fluid, high values are marked (D2 §9).
 */
interface Reading {
  limits: readonly number[];
  isInverted: boolean;
}

/**
 * Local norm of a measure from a site's controls: mean and SD of the controls' z scores,
 * computed without local norms.
 */
export interface LocalNorm {
  offset: number;
  scale: number;
  /** standard error of the offset, z */
  offsetSd?: number;
  /** measurement bias removed from the controls; the same bias is removed from patients' values */
  bias?: number;
  /** true: estimated from routine studies; absent: from controls */
  isIndirect?: true;
}
/** The local norm of a measure; `null` without one. */
export type LocalNorms = (measure: Measure, key: MeasureKey) => LocalNorm | null;

/** Analysis method of a result, and the norms with which the result is compared. */
export interface Method {
  /** whether a second opinion influenced the labels, which have a different error then */
  hasOpinion: boolean;
  /**
   * mm by which the result's thickness exceeds that of the error table's engine; absent: 0
   * the excess arises because the result's engine subtracted less
   */
  thicknessExcessMm?: number;
  /** local norms of this site or scanner; `null`: only the published norms */
  localNorms: LocalNorms | null;
  /** imported norms, which replace published norms for the same measures, ages and ICVs */
  tableNorms?: TableNorms;
  /** labels with borders that are probably wrong (`doubtedLabelsOf`): no percentile */
  doubtedLabels?: ReadonlySet<number>;
  /** the results of the scanner have changed: every percentile is withheld */
  isStopped?: true;
  /** with `isStopped`: the header has not been read, so the scanner may be a stopped one */
  isUnread?: true;
  /** with `isStopped`: two people have refused percentiles of the scanner */
  isRefused?: true;
  /** with `isRefused`: volumes were refused too, and get a mark */
  isWithoutVolumes?: true;
  /** no two people have accepted the scanner for percentiles: percentiles get a mark */
  isUnaccepted?: true;
}

/**
 * Whether percentiles may be painted into voxels, in any output: a map has no room for the mark of
 * a scanner that is not accepted, and shows nothing of a stopped one.
 */
export const mayPaintPercentiles = (
  method: Pick<Method, "isStopped" | "isUnaccepted"> | null | undefined,
): boolean => !method?.isStopped && !method?.isUnaccepted;

/** Record about the second opinion in a result, and the offset subtracted from the thickness. */
interface MethodFacts {
  secondOpinion?: { isUsed?: unknown } | null | undefined;
  /** offset in a stored result, mm; absent before engine 0.6.0, which subtracted nothing */
  thicknessOffsetMm?: number | undefined;
  /** offset in a result of the current engine, mm */
  thickness?: { offsetMm: number } | null | undefined;
}
export const PLAIN_METHOD: Method = { hasOpinion: false, localNorms: null };

/** Method of a result, from the result's records about networks, with the published norms only. */
export function methodOf(
  results: (AgreementFacts & MethodFacts) | null | undefined,
): Method {
  const doubtedLabels = doubtedLabelsOf(results ?? {});
  const { thickness, thicknessOffsetMm } = results ?? {};
  const excess = THICKNESS_OFFSET_MM - (thickness?.offsetMm ?? thicknessOffsetMm ?? 0);
  return {
    hasOpinion: results?.secondOpinion?.isUsed === true,
    localNorms: null,
    ...(Math.abs(excess) > ROUNDING_MM && { thicknessExcessMm: excess }),
    ...(doubtedLabels.size > 0 && { doubtedLabels }),
  };
}

/** Rounding of the offsets that results and the error table store, mm. */
const ROUNDING_MM = 1e-6;

/** Error of a measure in results of a method; `null` if unknown. */
export function errorOf(
  measure: Measure,
  key: MeasureKey,
  { hasOpinion, thicknessExcessMm = 0 }: Method,
): MethodError | null {
  const error = methodErrorOf(key, measure, hasOpinion);
  return error && measure === "thickness" && thicknessExcessMm !== 0
    ? { ...error, bias: error.bias + thicknessExcessMm }
    : error;
}

/**
 * Minimum probabilities of the statements: firm band, possible band, normal. A firm band needs 0.9
 * although 0.8 is claimed, because on sites outside the error table's data the error exceeds the
 * estimate more often than a normal distribution predicts.
 */
const FIRM = 0.9, POSSIBLE = 0.5, USUAL = 0.8;
/** z of the 90th percentile, for an 80 % interval. */
const Z90 = 1.2815516;
/**
 * Maximum error, z, for which a percentile and a band are printed.
 * Chosen by leave-one-site-out validation (docs/accuracy.md).
 */
const USEFUL_SD = 1;
/**
 * Maximum error for norms from routine studies, in SDs of the healthy part.
 * Limits the mean error of percentiles to 12 points (docs/accuracy/routine_norms.md).
 */
const INDIRECT_SD = 0.6;
/** z score of the 99.9th percentile */
const Z999 = 3.0902323;
/** Population assumed for firm bands: 1 in 20 people is a patient, with a deficit of 2 ± 1.2 SD. */
const PATIENTS = { share: 0.05, mean: -2, sd: 1.2 };
/** z of the ICV beyond which it is considered implausible. */
const ICV_LIMIT = 3;

const round2 = (value: number) => Math.round(value * 100) / 100;

/** Cache of z by percentile: printed percentiles have two decimals, so that they recur. */
const zByPercentile = new Map<number, number>();
const MAX_PERCENTILES = 10_001;

/** z of a percentile of the normal distribution. */
export function zOfPercentile(percentile: number): number {
  let z = zByPercentile.get(percentile);
  if (z === undefined) {
    z = searchZ(percentile);
    if (zByPercentile.size >= MAX_PERCENTILES) zByPercentile.clear();
    zByPercentile.set(percentile, z);
  }
  return z;
}

function searchZ(percentile: number): number {
  let low = -8, high = 8;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (100 * normalCdf(middle) < percentile) low = middle;
    else high = middle;
  }
  return low;
}

/** z of the percentiles at which bands begin. */
export const limitsOf = (thresholds: readonly number[]): number[] => thresholds.map(zOfPercentile);

/** Density of a normal distribution, up to a constant factor. */
const density = (x: number, sd: number) => Math.exp(-0.5 * (x / sd) ** 2) / sd;

/**
 * Probability that the true z is at most `limit`, after measuring `z` with an error SD of `sd`.
 * The prior is flat.
 */
const probabilityBelow = (z: number, sd: number, limit: number): number =>
  normalCdf((limit - z) / sd);

/** Probability that the true z is at most `limit` in a population with few {@link PATIENTS}. */
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
 * Percentile and interval are those of the measurement alone. A firm band must hold with 90 %
 * probability in a population with few patients, so that a healthy person with a large measurement
 * error is not called low. A possible band, and "normal", use a flat prior: the rarity of patients
 * must not make an abnormal value "normal".
 * Simulations determined which prior is used for which statement: `percentile_rank_test.ts`.
 *
 * There are no bands either if the interval is too wide to be informative.
 *
 * @param sd SD of the measurement error, z.
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

/** z of a value after subtraction of the method's bias, and the SD of the value's error. */
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
  // a near-zero volume would give a near-zero error: half of the norm is the lower limit
  const size = norm.isLog10 ? 1 / Math.LN10 : Math.max(corrected, norm.mean / 2);
  const inZ = (spread: number) => (isVolume ? spread * size : spread) / sdNear(corrected, norm);
  const z = zOf(corrected, norm);
  if (!local) return { z, sd: inZ(Math.hypot(error.biasSd, error.randomSd)) };
  // controls were measured on this scanner, so the offset includes the scanner's systematic error
  return {
    z: (z - local.offset) / local.scale,
    sd: Math.hypot(inZ(error.randomSd), local.offsetSd ?? 0) / local.scale,
  };
}

/**
 * SDs of the measurement error in z scores, for a value at the median of the norm.
 * `null` without a norm or a known error.
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

/** Whether the error is small enough for bands: at most 1 z for a woman aged 45. */
export function areBandsUseful(measure: Measure, key: MeasureKey, error: MethodError): boolean {
  const subject: NormSubject = { age: 45, sex: "female", icvMl: ICV_MEAN_ML.female };
  const norm = normOfMeasure(key, measure, subject);
  if (!norm) return false;
  const usual = valueAt(0, norm),
    value = measure === "volume" ? usual * Math.exp(error.bias) : usual + error.bias;
  return errorOfZ(value, norm, error, measure, null).sd <= USEFUL_SD;
}

/** Norm of a measure; the ICV has one per sex. */
const subjectNorm = (measure: Measure, key: MeasureKey, subject: NormSubject): Norm | null =>
  key === "icv"
    ? { mean: 1000 * ICV_MEAN_ML[subject.sex], sd: 1000 * ICV_SD_ML, isLog10: false }
    : normOfMeasure(key, measure, subject);

/**
 * Norm with which a measure is compared (imported, otherwise published), and the method's error
 * against that norm. `null` if there is no norm, or if the error is unknown.
 */
export function comparedWith(
  measure: Measure,
  key: MeasureKey,
  subject: NormSubject,
  method: Method,
): { norm: Norm; error: MethodError; isImported: boolean } | null {
  const error = errorOf(measure, key, method);
  const imported = method.tableNorms?.normOf(measure, key, subject) ?? null;
  const norm = imported ?? subjectNorm(measure, key, subject);
  if (!norm || !error) return null;
  const isOwn = imported !== null && method.tableNorms!.isOwnMethod;
  return { norm, error: isOwn ? { ...error, bias: 0 } : error, isImported: imported !== null };
}

/**
 * z of a measure corrected for the method's bias, with the SD of the error. `null` without a norm
 * or known error, or if the region's borders are probably wrong.
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

/** Bias-corrected z of a measure, regardless of whether the region's borders are reliable. */
function zOfMeasured(
  measure: Measure,
  key: MeasureKey,
  value: number,
  subject: NormSubject,
  method: Method,
): { z: number; sd: number; hasBands: boolean } | null {
  const reference = comparedWith(measure, key, subject, method);
  if (!reference) return null;
  const { norm, error, isImported } = reference;
  const local = method.localNorms?.(measure, key) ?? null;
  const read = errorOfZ(value, norm, error, measure, local);
  // narrow norms enlarge an error in z: whether a band is useful was decided with published norms
  if (isImported) return { ...read, hasBands: error.hasBands && read.sd <= USEFUL_SD };
  if (local?.isIndirect) return { ...read, hasBands: read.sd <= INDIRECT_SD };
  // a norm from controls of this scanner removes the scanner's systematic error
  return { ...read, hasBands: error.hasBands || (local !== null && read.sd <= USEFUL_SD) };
}

/** Rank of a region with probably wrong borders: its percentile is unknown. */
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
 * Percentile of a measured value among healthy people, with the measurement error.
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

/**
 * Adjustment of a volume's norm curve to this method and site.
 *
 * @param subject Age and ICV decide whether curve and percentile are those of imported norms.
 */
export function curvePlaceOf(
  key: MeasureKey,
  { hasOpinion, localNorms, tableNorms }: Method = PLAIN_METHOD,
  subject: NormSubject | null = null,
): CurvePlace {
  const error = methodErrorOf(key, "volume", hasOpinion);
  if (tableNorms && subject && tableNorms.normOf("volume", key, subject)) {
    return {
      factor: tableNorms.isOwnMethod ? 1 : Math.exp(error?.bias ?? 0),
      offset: 0,
      scale: 1,
      normOf: (other) => tableNorms.normOf("volume", key, other),
    };
  }
  const local = localNorms?.("volume", key);
  return {
    factor: Math.exp(local?.bias ?? error?.bias ?? 0),
    offset: local?.offset ?? 0,
    scale: local?.scale ?? 1,
  };
}

/** 80 % interval of a volume, in the unit of the volume, bias not removed; `null` if unknown. */
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
