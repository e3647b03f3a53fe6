import { methodErrorOf } from "@/model/norms/method_error.ts";
import type { Measure, NormSubject } from "@/model/norms/norms.ts";
import { type Method, PLAIN_METHOD, rankOfZ } from "@/model/norms/percentile_rank.ts";
import { isDoubted } from "@/model/norms/region_agreement.ts";
import { keyOf, type MeasureKey, normOfMeasure } from "@/model/regions/measures.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/** z of a difference of the sides that one person in a thousand has. */
const SIDES_LIMIT = 3.2905267;
/**
 * Correlation of the sides of one region among healthy people, and of the method's errors of both
 * sides.
 */
const PAIR_CORRELATION = 0.8, ERROR_CORRELATION = 0.5;
/** Largest correlation of two sides that a norm of their sum may imply. */
const MAX_CORRELATION = 0.98;
/**
 * z beyond which a difference is marked and may be outside: one person in a hundred, and one in
 * twenty.
 */
const MARKED = 2.5758293, POSSIBLE = 1.959964;

/**
 * How much larger the left side is than the norms of both sides say, as a logarithm of the ratio.
 */
interface SidesDifference {
  /** ln(left / right) minus that of the norms; the method's bias is taken away */
  difference: number;
  /** spread among healthy people */
  healthySd: number;
  /** spread of the method's error */
  errorSd: number;
}

type Sides<T> = readonly [left: T, right: T];

/** Correlation of two sums of one hemisphere each, from the norm of both together. */
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
 * Difference of two sides against their own norms. Local norms move and widen the sides as they do
 * the percentiles, and take the systematic error of the method away.
 *
 * @param keys of the left and the right side, such as "19" and "20", or "temporal_left" and
 *   "temporal_right".
 * @param values mm³, each > 0.
 * @returns `null` without a norm, or where a side has no band or is doubted.
 */
export function sidesDifferenceOf(
  measure: Measure,
  keys: Sides<MeasureKey>,
  values: Sides<number>,
  subject: NormSubject | null,
  { hasOpinion, localNorms, doubtedLabels }: Method = PLAIN_METHOD,
): SidesDifference | null {
  if (keys.some((key) => isDoubted(key, doubtedLabels))) return null;
  const side = (key: MeasureKey, value: number) => {
    const error = methodErrorOf(key, measure, hasOpinion);
    const norm = subject && normOfMeasure(key, measure, subject);
    if (!norm || !error?.hasBands || measure !== "volume" || value <= 0) return null;
    const local = localNorms?.(measure, key);
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

/** Total spread of a difference: healthy people and the error of the method. */
const totalSd = ({ healthySd, errorSd }: SidesDifference) => Math.hypot(healthySd, errorSd);

/**
 * A difference of two sides in spreads of its error and of healthy people together; positive: the
 * left is larger.
 */
export const surpriseOfSides = (sides: SidesDifference): number =>
  sides.difference / totalSd(sides);

/**
 * Percentile of a difference of the sides among healthy people, with the error of the method.
 * `level` is 1 where healthy sides and the error together give it to one person in a hundred. Low
 * percentiles: the left is the smaller side.
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
 * Whether left and right differ by more than healthy sides and the error of the method together let
 * one person in a thousand have. Only where both have bands.
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
