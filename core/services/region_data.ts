import { normOfTotal } from "@/model/curves.ts";
import { isNormAge, type Norm, normOf, type NormSubject, percentileOf, type Sex } from "@/model/norms.ts";
import { hasPercentile, LABEL_COUNT, type Part, PARTS } from "@/model/regions.ts";
import type { NormReason, RegionData } from "@/model/schema/patients.ts";

/** Age in whole years at the study date and sex, as far as they are known. */
export interface Subject {
  age: number | null;
  sex: Sex | null;
  /** of the analysis; percentiles of a failed segmentation would mislead, so grade C has none */
  grade?: unknown;
}

/** Why a subject has no percentiles, or `null` when it has. */
export function normReasonOf({ age, sex, grade }: Subject): NormReason | null {
  // no better picture would give a child percentiles: its age comes first
  if (age !== null && !isNormAge(age)) return "age_outside_norms";
  if (grade === "C") return "quality";
  if (age === null) return "age_unknown";
  return sex === null ? "sex_unknown" : null;
}

/** The norms' view of a subject with {@link normReasonOf} `null`, else `null`. */
export function normSubjectOf(subject: Subject, icvMl: number | null): NormSubject | null {
  const { age, sex } = subject;
  return normReasonOf(subject) === null && age !== null && sex !== null ? { age, sex, icvMl } : null;
}

/** White matter hypointensities come from the FLAIR series; without one, 0 mL would be a false finding. */
const isMeasured = ({ labels }: Part, hasLesions: boolean): boolean => labels[0] !== 28 || hasLesions;

const round2 = (value: number) => Math.round(value * 100) / 100;
const millilitres = (mm3: number) => round2(mm3 / 1000);
const percentile = (mm3: number, norm: Norm | null) => norm === null ? null : round2(percentileOf(mm3, norm));

/**
 * Volumes and percentiles of every part of the brain.
 *
 * @param volumesMm3  index = label, length 105.
 * @param icvMm3      intracranial volume; `np_icv_*` is evaluated at it, `np_volume_*` at the mean of the sex.
 * @param hasLesions  A FLAIR series has been analysed: label 28 has a row.
 * @returns Percentiles are `null` outside 18..100 years, without sex, with grade C, and for labels without a norm.
 */
export function regionDataOf(
  volumesMm3: readonly number[],
  icvMm3: number,
  subject: Subject,
  hasLesions = false,
): RegionData[] {
  const bySex = normSubjectOf(subject, null), byIcv = normSubjectOf(subject, icvMm3 / 1000);
  const single = (label: number, mm3: number, norms: NormSubject | null) =>
    norms && hasPercentile(label) ? percentile(mm3, normOf(label, "volume", norms)) : null;

  return PARTS.filter((part) => isMeasured(part, hasLesions)).map(({ part, labels }): RegionData => {
    const [first, second] = labels;
    const firstMm3 = volumesMm3[first] ?? 0;
    if (second === undefined) {
      return {
        part_index: [first],
        brain_regions: part,
        volume_total: millilitres(firstMm3),
        volume_left: null,
        volume_right: null,
        np_volume_total: single(first, firstMm3, bySex),
        np_volume_left: null,
        np_volume_right: null,
        np_icv_total: single(first, firstMm3, byIcv),
        np_icv_left: null,
        np_icv_right: null,
      };
    }
    const secondMm3 = volumesMm3[second] ?? 0, totalMm3 = firstMm3 + secondMm3;
    const pair = (norms: NormSubject | null) =>
      norms && hasPercentile(first) && hasPercentile(second)
        ? percentile(totalMm3, normOfTotal([first, second], norms))
        : null;
    return {
      part_index: [first, second],
      brain_regions: part,
      volume_total: millilitres(totalMm3),
      volume_left: millilitres(firstMm3),
      volume_right: millilitres(secondMm3),
      np_volume_total: pair(bySex),
      np_volume_left: single(first, firstMm3, bySex),
      np_volume_right: single(second, secondMm3, bySex),
      np_icv_total: pair(byIcv),
      np_icv_left: single(first, firstMm3, byIcv),
      np_icv_right: single(second, secondMm3, byIcv),
    };
  });
}

/** Value of a voxel without a norm in the percentile map. */
export const NO_NORM = 255;

/**
 * Percentile of the region at each voxel (`t1w_np_mask_file`), by age and sex, whole percent 0..100;
 * {@link NO_NORM} outside the brain and where there is no norm.
 *
 * @param labels Label map, values 0..104.
 */
export function percentileMapOf(labels: Uint8Array, regions: readonly RegionData[]): Uint8Array<ArrayBuffer> {
  const byLabel = new Uint8Array(256).fill(NO_NORM);
  const set = (label: number | undefined, value: number | null) => {
    if (label !== undefined && label < LABEL_COUNT && value !== null) byLabel[label] = Math.round(value);
  };
  for (const region of regions) {
    const [first, second] = region.part_index;
    set(first, second === undefined ? region.np_volume_total : region.np_volume_left);
    set(second, region.np_volume_right);
  }
  const out = new Uint8Array(labels.length);
  for (let i = 0; i < labels.length; i++) out[i] = byLabel[labels[i]!]!;
  return out;
}

/** Whole years between two dates `YYYY-MM-DD`, rounded down; `null` when one is unknown or they are reversed. */
export function ageInYears(birthDate: string | null, atDate: string | null): number | null {
  if (!birthDate || !atDate || birthDate > atDate) return null;
  const [by, bm, bd] = birthDate.split("-").map(Number) as [number, number, number];
  const [y, m, d] = atDate.split("-").map(Number) as [number, number, number];
  return y - by - (m < bm || (m === bm && d < bd) ? 1 : 0);
}
