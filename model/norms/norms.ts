import table from "@/model/norms/norms.json" with { type: "json" };

export const NORM_AGE_MIN = 18;
export const NORM_AGE_MAX = 100;

/** Centre of the regressions, the middle of the normative sample: age in years, then ICV in mL. */
export const NORM_AGE_CENTRE = 54.960257, NORM_ICV_CENTRE_ML = 1523.1606;
/** Mean ICV by sex, mL: the ICV at which `np_volume_*` is evaluated. */
export const ICV_MEAN_ML = { male: 1596, female: 1409 } as const;
/** SD of ICV within a sex, mL. */
export const ICV_SD_ML = 126;

export type Sex = "male" | "female";
export type Measure = "volume" | "thickness";
export interface NormSubject {
  /** age in years at the study date */
  age: number;
  sex: Sex;
  /**
   * Intracranial volume, mL; `null` when unknown: then the sex mean is used and the SD is widened.
   */
  icvMl: number | null;
}
/** Expected value and SD of a measure; mm³ or mm, or log10 of mm³ where `isLog10`. */
export interface Norm {
  mean: number;
  sd: number;
  isLog10: boolean;
  /**
   * values at z scores of imported quantiles, both ascending; z is linear in the value between them
   * beyond the ends, z continues with the slope at the end
   */
  knots?: readonly { z: number; value: number }[];
}
/** Imported norms in the form that ranks use. */
export interface TableNorms {
  /** finds the norm of a measure; `null` if the table lacks the measure, age or ICV */
  normOf: (measure: Measure, key: string, subject: NormSubject) => Norm | null;
  /** whether this engine measured the sample: norms then include the engine's systematic error */
  isOwnMethod: boolean;
}

/** Regression coefficients by key, in the order of the table's columns, which start at `log10`. */
const rowsOf = (measure: Measure) =>
  new Map(
    table.rows.filter((row) => row[1] === measure)
      .map((row) => [String(row[0]), row.slice(2) as number[]]),
  );
const rows: Record<Measure, ReadonlyMap<string, readonly number[]>> = {
  volume: rowsOf("volume"),
  thickness: rowsOf("thickness"),
};

/** True where the norms are valid: 18 to 100 years. */
export const isNormAge = (age: number | null | undefined): age is number =>
  age !== null && age !== undefined && age >= NORM_AGE_MIN && age <= NORM_AGE_MAX;

/**
 * Norm of a region (label as text) or of an aggregate (`cortex`, `white_matter`, `brain`, …).
 *
 * @returns `null` if the table has no such row, or the age is outside 18..100.
 * @see Potvin 2021, regression tables evaluated for Siemens, 3 T, 1 mm voxels.
 */
export function normOf(key: string | number, measure: Measure, subject: NormSubject): Norm | null {
  const r = rows[measure].get(String(key));
  if (!r || !isNormAge(subject.age)) return null;
  const [log10, b0, age1, age2, age3, icv1, icv2, icv3, ageIcv, ageMale, icvMale, male, sd] = r as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const a = subject.age - NORM_AGE_CENTRE, m = subject.sex === "male" ? 1 : 0;
  const e = (subject.icvMl ?? ICV_MEAN_ML[subject.sex]) - NORM_ICV_CENTRE_ML;
  const mean = b0 + age1 * a + age2 * a ** 2 + age3 * a ** 3 + icv1 * e + icv2 * e ** 2 +
    icv3 * e ** 3 +
    ageIcv * a * e + ageMale * a * m + icvMale * e * m + male * m;
  const spread = subject.icvMl === null ? Math.hypot(sd, icv1 * ICV_SD_ML) : sd;
  return { mean, sd: spread, isLog10: log10 === 1 };
}

/**
 * Norm of left + right: sd = √(sL² + sR² + 1.6·sL·sR).
 * `null` if a side has no norm, or a norm in log10.
 */
export function normOfPair(
  left: string | number,
  right: string | number,
  measure: Measure,
  subject: NormSubject,
): Norm | null {
  const l = normOf(left, measure, subject), r = normOf(right, measure, subject);
  if (!l || !r || l.isLog10 || r.isLog10) return null;
  return {
    mean: l.mean + r.mean,
    sd: Math.sqrt(l.sd ** 2 + r.sd ** 2 + 1.6 * l.sd * r.sd),
    isLog10: false,
  };
}

/** Point and slope (value per z) of the segment between knots that contains a value or z. */
function segmentAt(
  knots: NonNullable<Norm["knots"]>,
  isBefore: (knot: typeof knots[0]) => boolean,
) {
  let at = 0;
  while (at < knots.length - 2 && isBefore(knots[at + 1]!)) at++;
  const low = knots[at]!, high = knots[at + 1]!;
  return { low, slope: (high.value - low.value) / (high.z - low.z) };
}

/** z of a value (mm³ or mm) against a norm. */
export function zOf(value: number, { mean, sd, isLog10, knots }: Norm): number {
  if (knots) {
    const { low, slope } = segmentAt(knots, (knot) => knot.value <= value);
    return low.z + (value - low.value) / slope;
  }
  return ((isLog10 ? Math.log10(Math.max(value, 1e-6)) : value) - mean) / sd;
}

/** Change of a value that corresponds to one z: the SD, or the slope between two knots. */
export const sdNear = (value: number, { sd, knots }: Norm): number =>
  knots ? segmentAt(knots, (knot) => knot.value <= value).slope : sd;

/** Normative percentile 0..100 of a value (mm³ or mm). */
export const percentileOf = (value: number, norm: Norm): number =>
  100 * normalCdf(zOf(value, norm));

/** Value (mm³ or mm) at a z score, for the norm curves of reports. */
export const valueAt = (z: number, { mean, sd, isLog10, knots }: Norm): number => {
  if (knots) {
    const { low, slope } = segmentAt(knots, (knot) => knot.z <= z);
    return low.value + (z - low.z) * slope;
  }
  const y = mean + z * sd;
  return isLog10 ? 10 ** y : y;
};

/**
 * Standard normal distribution function, absolute error < 1e-7.
 * @see Abramowitz & Stegun 1964, 7.1.26 applied to erf.
 */
export function normalCdf(z: number): number {
  const x = Math.abs(z) / Math.SQRT2, t = 1 / (1 + 0.3275911 * x);
  const poly = t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = 1 - poly * Math.exp(-x * x);
  return z >= 0 ? 0.5 * (1 + erf) : 0.5 * (1 - erf);
}
