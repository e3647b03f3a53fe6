import { normOfTotal } from "@/model/norms/curves.ts";
import {
  type Measure,
  type Norm,
  NORM_AGE_CENTRE,
  NORM_ICV_CENTRE_ML,
  normOf,
  normOfPair,
  type NormSubject,
} from "@/model/norms/norms.ts";
import {
  hasPercentile,
  isCortex,
  isInverted,
  type RegionGroup,
  regionOf,
  REGIONS,
} from "@/model/regions/regions.ts";

/** Lobes of the cortex, in the order of lists. */
export const LOBES = [
  "frontal",
  "parietal",
  "temporal",
  "occipital",
  "cingulate",
  "insula",
] as const;

/**
 * Key of a measure: a label ("19"), both sides of a pair ("19+20"), a lobe or the cortex as a whole
 * or of one side ("frontal", "cortex_left"), "white_matter", "brain" (no ventricles), "icv".
 * For thickness: a label, "thickness_left", "thickness_right",
 * and "thickness" (the mean of both sides).
 */
export type MeasureKey = string;

/** Key of a midline label, of one side, or of left + right. */
export const keyOf = (labels: readonly number[]): MeasureKey => labels.join("+");

/**
 * Whether a label is a ventricle or CSF, which "brain" excludes:
 * lateral, inferior lateral, third and fourth ventricle, and CSF.
 */
export const isVentricle = (label: number): boolean =>
  (label >= 15 && label <= 18) || (label >= 25 && label <= 27);

/** Cache of the labels of keys. */
const labelsByKey = new Map<MeasureKey, readonly number[]>();
const MAX_KEYS = 2000;

/** Labels summed by a volume key; empty for any other key. */
export function labelsOf(key: MeasureKey): readonly number[] {
  let labels = labelsByKey.get(key);
  if (!labels) {
    labels = readLabels(key);
    if (labelsByKey.size >= MAX_KEYS) labelsByKey.clear();
    labelsByKey.set(key, labels);
  }
  return labels;
}

function readLabels(key: MeasureKey): number[] {
  if (/^\d+(\+\d+)*$/.test(key)) return key.split("+").map(Number);
  const [, name, side] = /^([a-z_]+?)(?:_(left|right))?$/.exec(key) ?? [];
  const hemisphere = side === "left" ? "L" : side === "right" ? "R" : null;
  const keep = name === "cortex"
    ? isCortex
    : name === "white_matter"
    ? (label: number) => label <= 2
    : name === "brain"
    ? (label: number) => !isVentricle(label)
    : null;
  return REGIONS.filter(({ label, group, hemisphere: own }) =>
    (keep ? keep(label) : isCortex(label) && group === name as RegionGroup) &&
    (hemisphere === null || own === hemisphere)
  ).map(({ label }) => label);
}

/** Whether a key is fluid, where high percentiles are marked (D2 §9). */
export const isInvertedKey = (key: MeasureKey): boolean =>
  /^\d/.test(key) && key.split("+").every((label) => isInverted(Number(label)));

const SIDES = ["", "_left", "_right"] as const;

/** Keys of all volumes that are printed with a percentile. */
export const VOLUME_KEYS: readonly MeasureKey[] = [
  ...REGIONS.filter(({ label }) => hasPercentile(label)).map(({ label }) => keyOf([label])),
  ...REGIONS.filter(({ label, hemisphere }) => hasPercentile(label) && hemisphere === "L")
    .map(({ label }) => keyOf([label, label + 1])),
  ...["cortex", ...LOBES].flatMap((name) => SIDES.map((side) => name + side)),
  "white_matter",
  "brain",
  "icv",
];

/** Keys of all thickness measures. */
export const THICKNESS_KEYS: readonly MeasureKey[] = [
  "thickness_left",
  "thickness_right",
  ...REGIONS.filter(({ label }) => isCortex(label)).map(({ label }) => keyOf([label])),
];

/**
 * Correlation of left and right of a cortical region, then that of two different cortical regions.
 */
const SAME_REGION = 0.8, OTHER_REGION = 0.15;

/**
 * Norm of a sum of cortical regions. The SD assumes a correlation of 0.8 between a region's sides
 * (as for every pair) and 0.15 between regions.
 * With these values the 34 regions of a hemisphere reproduce the published SD of the cortex (0.149
 * left, 0.155 right), and the hemispheres correlate with 0.96 (published: 0.97).
 */
function normOfRegions(
  labels: readonly number[],
  measure: Measure,
  subject: NormSubject,
): Norm | null {
  let mean = 0, variance = 0;
  const norms: { part: string; sd: number }[] = [];
  for (const label of labels) {
    const norm = normOf(label, measure, subject),
      part = regionOf(label)?.part ?? "";
    if (!norm || norm.isLog10) return null;
    mean += norm.mean;
    for (const otherNorm of norms) {
      variance += 2 * norm.sd * otherNorm.sd *
        (otherNorm.part === part ? SAME_REGION : OTHER_REGION);
    }
    variance += norm.sd ** 2;
    norms.push({ part, sd: norm.sd });
  }
  return labels.length === 0 ? null : { mean, sd: Math.sqrt(variance), isLog10: false };
}

/** Norm of a measure's key; `null` if the table has none. Volumes in mm³, thickness in mm. */
export function normOfMeasure(
  key: MeasureKey,
  measure: Measure,
  subject: NormSubject,
): Norm | null {
  if (measure === "thickness") {
    if (key !== "thickness") return normOf(key, measure, subject);
    const sum = normOfPair("thickness_left", "thickness_right", measure, subject);
    return sum && { ...sum, mean: sum.mean / 2, sd: sum.sd / 2 };
  }
  const directNorm = normOf(key, measure, subject);
  if (directNorm) return directNorm;
  const labels = labelsOf(key);
  return key.includes("+") ? normOfTotal(labels, subject) : normOfRegions(labels, measure, subject);
}

/** Volume of each label for a person at the centre of the norms, mm³: weight of a part in a sum. */
export function usualVolume(label: number): number {
  const norm = normOf(label, "volume", {
    age: NORM_AGE_CENTRE,
    sex: "female",
    icvMl: NORM_ICV_CENTRE_ML,
  });
  return norm === null ? 0 : norm.isLog10 ? 10 ** norm.mean : norm.mean;
}
