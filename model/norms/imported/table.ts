import type { MeasureKey } from "@/model/regions/measures.ts";
import { sumOfLogNorms } from "@/model/norms/curves.ts";
import {
  ICV_MEAN_ML,
  ICV_SD_ML,
  type Measure,
  type Norm,
  type NormSubject,
  type Sex,
  type TableNorms,
} from "@/model/norms/norms.ts";
import { zOfPercentile } from "@/model/norms/percentile_rank.ts";

/** Norms of one measure and sex over age, and over ICV if the table contains ICVs. */
export interface TableCurve {
  measure: Measure;
  key: MeasureKey;
  sex: Sex | "any";
  /** ages in years, ascending, at least two */
  ages: readonly number[];
  /** ICVs in mL, ascending; empty: the table does not depend on the ICV */
  icvsMl: readonly number[];
  /** whether mean and SD are those of log10 of mm³ */
  isLog10: boolean;
  /** percentiles of the columns in `values`, ascending; `null`: the columns are mean and SD */
  percents: readonly number[] | null;
  /** one row for each age and ICV, ICV fastest; values in mm³ or mm, or log10 of mm³ */
  values: readonly (readonly number[])[];
}

/** Imported norms in the form in which they are stored. */
export interface NormTable {
  title: string;
  source: string;
  licence: string;
  /**
   * program that measured the sample (Sulcus or FreeSurfer), which determines the correction of
   * values
   */
  software: "freesurfer" | "sulcus";
  /** engine version of a sample that Sulcus measured; `null`: FreeSurfer */
  engineVersion: string | null;
  curves: readonly TableCurve[];
}

/**
 * Position of a value on an ascending axis: lower index and fraction; `null` outside of the axis.
 */
function placeOn(axis: readonly number[], value: number): { at: number; part: number } | null {
  const last = axis.length - 1;
  if (!(value >= axis[0]! && value <= axis[last]!)) return null;
  let at = 0;
  while (at < last - 1 && axis[at + 1]! <= value) at++;
  const low = axis[at]!, high = axis[at + 1] ?? low;
  return { at, part: high > low ? (value - low) / (high - low) : 0 };
}

/** Columns of a curve at an age and ICV, interpolated linearly; `null` outside of the curve. */
function columnsAt(
  { ages, icvsMl, values }: TableCurve,
  age: number,
  icvMl: number,
): number[] | null {
  const a = placeOn(ages, age), i = icvsMl.length > 0 ? placeOn(icvsMl, icvMl) : NO_AXIS;
  if (!a || !i) return null;
  const width = Math.max(1, icvsMl.length);
  const row = (ageAt: number, icvAt: number) =>
    values[Math.min(ageAt, ages.length - 1) * width + Math.min(icvAt, width - 1)]!;
  return row(a.at, i.at).map((_, n) => {
    const along = (ageAt: number) =>
      row(ageAt, i.at)[n]! * (1 - i.part) + row(ageAt, i.at + 1)[n]! * i.part;
    return along(a.at) * (1 - a.part) + along(a.at + 1) * a.part;
  });
}
const NO_AXIS = { at: 0, part: 0 };

/** Norm of the columns, with more spread where the subject's ICV is unknown. */
function normOfColumns(
  { isLog10, percents }: TableCurve,
  columns: readonly number[],
  extraSd: number,
): Norm {
  if (!percents) return { mean: columns[0]!, sd: Math.hypot(columns[1]!, extraSd), isLog10 };
  const zs = percents.map(zOfPercentile), mean = columns[percents.indexOf(50)]!;
  return normOfKnots(zs, (z, n) => {
    const from = columns[n]! - mean;
    return mean + Math.sign(from) * Math.hypot(from, z * extraSd);
  });
}

/** Norm through values at z scores; its SD is that of the outermost values. */
function normOfKnots(zs: readonly number[], valueOf: (z: number, n: number) => number): Norm {
  const knots = zs.map((z, n) => ({ z: Math.abs(z) < 1e-9 ? 0 : z, value: valueOf(z, n) }));
  const first = knots[0]!, last = knots.at(-1)!;
  return {
    mean: knots.find(({ z }) => z === 0)!.value,
    sd: (last.value - first.value) / (last.z - first.z),
    isLog10: false,
    knots,
  };
}

/** Change of the expected value with one SD of the ICV within a sex. */
function icvSpread({ icvsMl, percents }: TableCurve, at: (icvMl: number) => number[] | null) {
  const low = icvsMl[0], high = icvsMl.at(-1);
  if (low === undefined || high === undefined || high <= low) return 0;
  const column = percents ? percents.indexOf(50) : 0;
  return ICV_SD_ML * (at(high)![column]! - at(low)![column]!) / (high - low);
}

function normOn(curve: TableCurve, { age, sex, icvMl }: NormSubject): Norm | null {
  const at = (icv: number) => columnsAt(curve, age, icv);
  const columns = at(icvMl ?? ICV_MEAN_ML[sex]);
  return columns && normOfColumns(curve, columns, icvMl === null ? icvSpread(curve, at) : 0);
}

/** Factor 2 × 0.8: correlation of left and right assumed by the published norms' pairs. */
const PAIR_FACTOR = 1.6;
const sdOfPair = (left: number, right: number) =>
  Math.sqrt(left ** 2 + right ** 2 + PAIR_FACTOR * left * right);

/** Norm of left + right; `null` if the two norms are of different kinds. */
function sumOf(left: Norm, right: Norm): Norm | null {
  if (left.isLog10 !== right.isLog10) return null;
  if (left.isLog10) return sumOfLogNorms(left, right);
  const mean = left.mean + right.mean;
  if (!left.knots && !right.knots) {
    return { mean, sd: sdOfPair(left.sd, right.sd), isLog10: false };
  }
  if (!left.knots || !right.knots || left.knots.length !== right.knots.length) return null;
  return normOfKnots(left.knots.map(({ z }) => z), (z, n) => {
    const l = left.knots![n]!.value - left.mean, r = right.knots![n]!.value - right.mean;
    return mean + Math.sign(z) * sdOfPair(Math.abs(l), Math.abs(r));
  });
}

/** Keys of the sides that a key sums; `null` for a side or a midline region. */
export function sidesOf(measure: Measure, key: MeasureKey): [MeasureKey, MeasureKey] | null {
  if (/_(left|right)$/.test(key)) return null;
  if (/^\d+$/.test(key)) return null;
  const [left, right] = key.split("+");
  if (left && right) return [left, right];
  return measure === "thickness" && key !== "thickness" ? null : [`${key}_left`, `${key}_right`];
}

const half = (norm: Norm): Norm => ({
  ...norm,
  mean: norm.mean / 2,
  sd: norm.sd / 2,
  ...norm.knots && { knots: norm.knots.map(({ z, value }) => ({ z, value: value / 2 })) },
});

/** The norms of a table; sums of two sides that the table lacks follow from the sides. */
export function tableNormsOf({ curves, software }: NormTable): TableNorms {
  const byName = new Map(
    curves.map((curve) => [`${curve.measure}:${curve.key}:${curve.sex}`, curve]),
  );
  const direct = (measure: Measure, key: MeasureKey, subject: NormSubject): Norm | null => {
    const curve = byName.get(`${measure}:${key}:${subject.sex}`) ??
      byName.get(`${measure}:${key}:any`);
    return curve ? normOn(curve, subject) : null;
  };
  return {
    isOwnMethod: software === "sulcus",
    normOf: (measure, key, subject) => {
      const norm = direct(measure, key, subject);
      if (norm) return norm;
      const sides = sidesOf(measure, key);
      const left = sides && direct(measure, sides[0], subject),
        right = sides && direct(measure, sides[1], subject);
      const sum = left && right && sumOf(left, right);
      return sum && measure === "thickness" ? half(sum) : sum;
    },
  };
}

/** Ages that all measures of a table have in common, years. */
export const tableAges = ({ curves }: NormTable): { from: number; to: number } => ({
  from: Math.max(...curves.map(({ ages }) => ages[0]!)),
  to: Math.min(...curves.map(({ ages }) => ages.at(-1)!)),
});

/** Number of different measures of a table. */
export const measureCount = ({ curves }: NormTable): number =>
  new Set(curves.map(({ measure, key }) => `${measure}:${key}`)).size;
