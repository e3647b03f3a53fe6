import { asymmetryPercent } from "@/model/regions/asymmetry.ts";
import { keyOf, labelsOf } from "@/model/regions/measures.ts";
import {
  isNormAge,
  NORM_AGE_CENTRE,
  NORM_AGE_MIN,
  type NormSubject,
  type Sex,
} from "@/model/norms/norms.ts";
import { type Method, PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import { isMeasured, LABEL_COUNT, type Part, PARTS } from "@/model/regions/regions.ts";
import type { NormReason, RegionData } from "@/model/schema/studies/patients.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { printedPercentile } from "@/model/norms/rank_format.ts";
import { type Ranker, rankerOf } from "@/model/norms/ranks.ts";

/** Age (whole years at the study date) and sex of a patient; `null` when unknown. */
export interface Subject {
  age: number | null;
  sex: Sex | null;
  /**
   * grade of the analysis; absent: not considered
   * only grades A and B have percentiles, since those of a failed segmentation mislead
   */
  grade?: unknown;
  /** analysis method and local norms; by default only the published norms */
  method?: Method;
}

/** Reasons of the scanner, not of the person or the images, for missing percentiles. */
export type ScannerReason = "scanner_stopped" | "scanner_unread" | "scanner_refused";

/** Whether percentiles are withheld because of the scanner. */
export const isScannerReason = (reason: NormReason | null): reason is ScannerReason =>
  reason === "scanner_stopped" || reason === "scanner_unread" || reason === "scanner_refused";

/** Scanner's reason for missing percentiles by a method. */
export const scannerReasonOf = (method: Method | undefined): ScannerReason | null =>
  !method?.isStopped
    ? null
    : method.isUnread
    ? "scanner_unread"
    : method.isRefused
    ? "scanner_refused"
    : "scanner_stopped";

/** Reason why norms cannot be applied to a person's result, or `null`. */
export function personReasonOf(
  { age, sex, grade }: Subject,
): Exclude<NormReason, ScannerReason> | null {
  // checks the age first: better images would not give a child percentiles
  if (age !== null && !isNormAge(age)) return "age_outside_norms";
  if (grade !== undefined && grade !== "A" && grade !== "B") return "quality";
  if (age === null) return "age_unknown";
  return sex === null ? "sex_unknown" : null;
}

/** Reason why a subject has no percentiles, or `null`. */
export const normReasonOf = (subject: Subject): NormReason | null =>
  personReasonOf(subject) ?? scannerReasonOf(subject.method);

/** The subject for the norms; `null` where {@link normReasonOf} gives a reason. */
export function normSubjectOf(subject: Subject, icvMl: number | null): NormSubject | null {
  const { age, sex } = subject;
  return normReasonOf(subject) === null && age !== null && sex !== null
    ? { age, sex, icvMl }
    : null;
}

/** Ranks the ICV among people of the same sex. */
export const icvRankOf = (icvMm3: number | null, subject: Subject): PercentileRank | null =>
  icvMm3 === null
    ? null
    : rankerOf(normSubjectOf(subject, icvMm3 / 1000), [], subject.method).volume("icv", icvMm3);

/**
 * Whether the ICV is implausible for the patient's sex, at any age and quality grade; no other code
 * decides this. Children's heads are smaller: for them only the upper limit holds.
 */
export function isIcvOdd(
  icvMm3: number | null,
  { age, sex, method }: Omit<Subject, "grade">,
): boolean {
  if (icvMm3 === null || sex === null) return false;
  const { isStopped: _, tableNorms, ...plain } = method ?? PLAIN_METHOD;
  // the published norm of the ICV has no ages, imported ones may have
  const subject = isNormAge(age)
    ? { age, sex, method: { ...plain, ...tableNorms && { tableNorms } } }
    : { age: NORM_AGE_CENTRE, sex, method: plain };
  const rank = icvRankOf(icvMm3, subject), isChild = age !== null && age < NORM_AGE_MIN;
  return rank !== null && rank.doubt !== null && !(isChild && rank.percentile < 50);
}

/**
 * ICV at which volumes are compared, mL.
 * `null` (comparison by age and sex only) if the ICV was not measured or is implausible.
 */
export const icvOfPercentiles = (icvMm3: number | null, subject: Subject): number | null =>
  icvMm3 === null || icvRankOf(icvMm3, subject)?.doubt ? null : icvMm3 / 1000;

/** Range of the intracranial volume of heads of all ages, mm³: wide, to exclude only failures. */
const ICV_OF_HEADS_MM3 = { low: 500_000, high: 2_500_000 };

/**
 * ICV for volumes in percent of the ICV, mm³; every output calls this function.
 * `null` if the ICV was not measured, or is implausible: outside {@link ICV_OF_HEADS_MM3}, smaller
 * than the brain in it, or {@link isIcvOdd}.
 *
 * @param volumesMm3 Volumes by label; empty without a T1w result.
 */
export function icvOfPercentages(
  icvMm3: number | null,
  person: Omit<Subject, "grade">,
  volumesMm3: readonly number[],
): number | null {
  if (icvMm3 === null) return null;
  const { low, high } = ICV_OF_HEADS_MM3;
  const brainMm3 = labelsOf("brain").reduce((sum, label) => sum + (volumesMm3[label] ?? 0), 0);
  const isPlausible = icvMm3 >= Math.max(low, brainMm3) && icvMm3 <= high;
  return isPlausible && !isIcvOdd(icvMm3, person) ? icvMm3 : null;
}

/**
 * Whether label 28 (white matter hypointensities) has a row. The label comes from the FLAIR series:
 * without one, 0 mL would be a false finding.
 * With grade C the row is left out, because a table of regions has no room for "not reliable".
 */
const isPrinted = ({ labels: [label] }: Part, hasLesions: boolean, { grade }: Subject): boolean =>
  isMeasured(label) && (label !== 28 || hasLesions && grade !== "C");

const round2 = (value: number) => Math.round(value * 100) / 100;
/** A volume as printed: mL with two decimals. */
export const millilitres = (mm3: number): number => round2(mm3 / 1000);

/**
 * Volumes of all brain parts with percentiles and errors. Parts that are not measured well enough
 * (the fluid around the brain, the corpus callosum) have no row.
 *
 * @param volumesMm3  Volumes by label, length 105.
 * @param icvMm3 Intracranial volume, `null` if not measured.
 * `np_icv_*` is evaluated at this volume, `np_volume_*` at the mean of the sex.
 * @param hasLesions  A FLAIR series has been analysed: label 28 has a row, except with grade C.
 * @param thresholds  percentiles at which bands begin.
 * @returns `null` percentiles outside 18..100 years, without sex, with grade C, or without a norm.
 * `np_icv_*` and `rank_icv_*` are also `null` if {@link icvOfPercentiles} is.
 */
export function regionDataOf(
  volumesMm3: readonly number[],
  icvMm3: number | null,
  subject: Subject,
  hasLesions = false,
  thresholds?: readonly number[],
): RegionData[] {
  const ranker = (icvMl: number | null) =>
    rankerOf(normSubjectOf(subject, icvMl), thresholds, subject.method);
  const icvMl = icvOfPercentiles(icvMm3, subject);
  const bySex = ranker(null), byIcv = icvMl === null ? null : ranker(icvMl);
  const wholeMm3 = icvOfPercentages(icvMm3, subject, volumesMm3);
  return PARTS.filter((part) => isPrinted(part, hasLesions, subject)).map(
    ({ part, labels }): RegionData => {
      const [first, second] = labels;
      const firstMm3 = volumesMm3[first] ?? 0;
      const secondMm3 = second === undefined ? 0 : volumesMm3[second] ?? 0;
      const ranksOf = (ranks: Ranker | null) =>
        ranks === null
          ? { left: null, right: null, total: null }
          : second === undefined
          ? { left: null, right: null, total: ranks.volume(keyOf([first]), firstMm3) }
          : ranks.pair([first, second], [firstMm3, secondMm3]);
      const sex = ranksOf(bySex), icv = ranksOf(byIcv), isPair = second !== undefined;
      return {
        part_index: isPair ? [first, second] : [first],
        brain_regions: part,
        volume_total: millilitres(firstMm3 + secondMm3),
        volume_left: isPair ? millilitres(firstMm3) : null,
        volume_right: isPair ? millilitres(secondMm3) : null,
        ...(wholeMm3 === null
          ? {}
          : { icv_percent: round2(100 * (firstMm3 + secondMm3) / wholeMm3) }),
        ...(wholeMm3 === null || !isPair ? {} : {
          icv_percent_left: round2(100 * firstMm3 / wholeMm3),
          icv_percent_right: round2(100 * secondMm3 / wholeMm3),
        }),
        asymmetry_percent: isPair ? asymmetryPercent(firstMm3, secondMm3) : null,
        np_volume_total: printedPercentile(sex.total),
        np_volume_left: printedPercentile(sex.left),
        np_volume_right: printedPercentile(sex.right),
        np_icv_total: printedPercentile(icv.total),
        np_icv_left: printedPercentile(icv.left),
        np_icv_right: printedPercentile(icv.right),
        rank_volume_total: sex.total,
        rank_volume_left: sex.left,
        rank_volume_right: sex.right,
        rank_icv_total: icv.total,
        rank_icv_left: icv.left,
        rank_icv_right: icv.right,
      };
    },
  );
}

/** Value of a voxel without a percentile in the percentile map. */
export const NO_NORM = 255;

/**
 * Percentile of the region at each voxel (`t1w_np_mask_file`), by age and sex, whole percent.
 * {@link NO_NORM} outside the brain, and for regions without a percentile.
 *
 * @param labels Label map, values 0..104.
 */
export function percentileMapOf(
  labels: Uint8Array,
  regions: readonly RegionData[],
): Uint8Array<ArrayBuffer> {
  const byLabel = new Uint8Array(256).fill(NO_NORM);
  const set = (label: number | undefined, rank: PercentileRank | null) => {
    const percentile = printedPercentile(rank);
    if (label !== undefined && label < LABEL_COUNT && percentile !== null) {
      byLabel[label] = Math.round(percentile);
    }
  };
  for (const region of regions) {
    const [first, second] = region.part_index;
    set(first, second === undefined ? region.rank_volume_total : region.rank_volume_left);
    set(second, region.rank_volume_right);
  }
  const out = new Uint8Array(labels.length);
  for (let i = 0; i < labels.length; i++) out[i] = byLabel[labels[i]!]!;
  return out;
}
