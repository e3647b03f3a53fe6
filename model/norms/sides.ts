import type { Measure, NormSubject } from "@/model/norms/norms.ts";
import { comparedWith, type Method, PLAIN_METHOD, rankOfZ } from "@/model/norms/percentile_rank.ts";
import { isDoubted } from "@/model/norms/region_agreement.ts";
import { keyOf, type MeasureKey, normOfMeasure } from "@/model/regions/measures.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/** z of a left-right difference that only one healthy person in a thousand exceeds. */
const SIDES_LIMIT = 3.2905267;
/**
 * Correlation of the two sides of a region among healthy people, and of the errors of both sides.
 */
const PAIR_CORRELATION = 0.8, ERROR_CORRELATION = 0.5;
/** Maximum correlation of two sides derived from the norm of their sum. */
const MAX_CORRELATION = 0.98;
/**
 * z beyond which a left-right difference is marked (1 in 100 people), or possibly abnormal (1 in
 * 20).
 */
const MARKED = 2.5758293, POSSIBLE = 1.959964;

/** Log ratio of left to right, minus the ratio that the norms of both sides predict. */
interface SidesDifference {
  /** ln(left / right) minus the norms' ln(left / right), without the method's bias */
  difference: number;
  /** SD of the difference among healthy people (log ratio) */
  healthySd: number;
  /** SD of the measurement error (log ratio) */
  errorSd: number;
}

type Sides<T> = readonly [left: T, right: T];

/** Correlation of a left and a right sum, derived from the norm of both together. */
function correlationOf(
  measure: Measure,
  [left, right]: Sides<MeasureKey>,
  subject: NormSubject,
): number {
  if (!left.endsWith("_left")) return PAIR_CORRELATION;
  const [l, r, both] = [left, right, left.slice(0, -"_left".length)].map((key) =>
    normOfMeasure(key, measure, subject)
  );
  if (!l || !r || !both || l.isLog10 || r.isLog10 || both.isLog10) return PAIR_CORRELATION;
  const covariance = (both.sd ** 2 - l.sd ** 2 - r.sd ** 2) / 2;
  return Math.min(MAX_CORRELATION, Math.max(0, covariance / (l.sd * r.sd)));
}

/**
 * Left-right difference relative to the norms of both sides. Local norms shift and widen the sides
 * as for percentiles, and remove the method's systematic error.
 *
 * @param keys Keys of the left and right side: "19" and "20", "temporal_left" and "temporal_right".
 * @param values Volumes of both sides, mm³, each > 0.
 * @returns `null` without a norm, for a doubted side, or if the error is too large for bands.
 */
export function sidesDifferenceOf(
  measure: Measure,
  keys: Sides<MeasureKey>,
  values: Sides<number>,
  subject: NormSubject | null,
  method: Method = PLAIN_METHOD,
): SidesDifference | null {
  if (keys.some((key) => isDoubted(key, method.doubtedLabels))) return null;
  const side = (key: MeasureKey, value: number) => {
    const reference = subject && comparedWith(measure, key, subject, method);
    if (!reference?.error.hasBands || measure !== "volume" || value <= 0) return null;
    const { norm, error } = reference;
    const local = method.localNorms?.(measure, key);
    const sd = norm.isLog10 ? norm.sd * Math.LN10 : norm.sd / norm.mean;
    const bias = local?.bias ?? error.bias;
    const from = Math.log(value) - bias -
      (norm.isLog10 ? norm.mean * Math.LN10 : Math.log(norm.mean));
    if (!local) return { from, sd, error: Math.hypot(error.biasSd, error.randomSd) };
    return {
      from: from - sd * local.offset,
      sd: sd * local.scale,
      error: Math.hypot(error.randomSd, sd * (local.offsetSd ?? 0)),
    };
  };
  const l = side(keys[0], values[0]), r = side(keys[1], values[1]);
  if (!l || !r || !subject) return null;
  const spread = (a: number, b: number, correlation: number) =>
    Math.sqrt(Math.max(0, a ** 2 + b ** 2 - 2 * correlation * a * b));
  return {
    difference: l.from - r.from,
    healthySd: spread(l.sd, r.sd, correlationOf(measure, keys, subject)),
    errorSd: spread(l.error, r.error, ERROR_CORRELATION),
  };
}

/** Total SD of a left-right difference: healthy variation and measurement error combined. */
const totalSd = ({ healthySd, errorSd }: SidesDifference) => Math.hypot(healthySd, errorSd);

/** Left-right difference in total SDs (healthy variation and error); positive: left is larger. */
export const surpriseOfSides = (sides: SidesDifference): number =>
  sides.difference / totalSd(sides);

/**
 * Percentile of a left-right difference among healthy people, with the measurement error.
 * `level` is 1 if only one healthy person in a hundred has such a difference, error included.
 * Low percentiles: the left side is smaller.
 */
export function rankOfSides(sides: SidesDifference): PercentileRank {
  const { difference, healthySd, errorSd } = sides, surprise = Math.abs(surpriseOfSides(sides));
  const reading = { limits: [], isInverted: difference > 0 };
  return {
    ...rankOfZ(difference / healthySd, errorSd / healthySd, reading),
    level: surprise >= MARKED ? 1 : 0,
    possible_level: surprise >= POSSIBLE ? 1 : 0,
    is_usual: surprise < POSSIBLE,
    doubt: null,
  };
}

/**
 * Whether left and right differ more than in one healthy person in a thousand, error included.
 * Checked only for pairs in which both sides have bands.
 */
export function areSidesImplausible(
  measure: Measure,
  [left, right]: Sides<number>,
  values: Sides<number>,
  subject: NormSubject | null,
  method: Method = PLAIN_METHOD,
): boolean {
  const sides = sidesDifferenceOf(
    measure,
    [keyOf([left]), keyOf([right])],
    values,
    subject,
    method,
  );
  return sides !== null && Math.abs(surpriseOfSides(sides)) > SIDES_LIMIT;
}
