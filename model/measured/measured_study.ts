import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import type { NormSubject, Sex } from "@/model/norms/norms.ts";
import { type Method, PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import { type AgreementFacts, doubtedLabelsOf } from "@/model/norms/region_agreement.ts";
import { type Ranker, rankerOf, rankWarnings } from "@/model/norms/ranks.ts";
import { aggregatesOf, thicknessDataOf } from "@/model/measured/cortex_data.ts";
import { type LesionData, lesionDataOf, type LesionVolumes } from "@/model/measured/lesion_data.ts";
import {
  type ExtractionFacts,
  gradeWithIcv,
  measuredIcvMm3,
  warningsOf,
} from "@/model/measured/icv_basis.ts";
import {
  icvOfPercentages,
  icvOfPercentiles,
  icvRankOf,
  isIcvOdd,
  normReasonOf,
  normSubjectOf,
  regionDataOf,
  scannerReasonOf,
  type Subject,
} from "@/model/measured/region_data.ts";
import { type Measured, measureOf } from "@/model/measured/structures.ts";
import { soundAge } from "@/model/patient/plausible.ts";
import { fazekasEquivalentOf } from "@/model/regions/fazekas.ts";
import type {
  Aggregate,
  AnalysisQuality,
  NormReason,
  RegionData,
  ThicknessData,
} from "@/model/schema/studies/patients.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/** Patient data as stored at the time of a study. */
export interface MeasuredPatient {
  patient_birthdate: string | null;
  study_date: string | null;
  /** age in whole years at the study date; ignored when a date or the age is implausible */
  patient_age: number | null;
  patient_sex: Sex | null;
}

/** Measurements of a T1w analysis. */
export interface T1Figures extends AgreementFacts {
  /** volumes by label, mm³; length 105 */
  volumesMm3: readonly number[];
  icvMm3: number;
  /** whether the second network was used, and if not, why */
  secondOpinion?: { reason?: unknown } | null | undefined;
  /** quality control of the engine, with `grade` and `warnings` */
  quality: object;
  /** thickness by label, mm; absent if not measured */
  thicknessMm?: readonly number[] | undefined;
  /** mean thickness [left, right], mm */
  thicknessSidesMm?: readonly [number, number] | undefined;
  /** whether label 28 contains the lesions of a FLAIR series */
  hasLesions?: boolean | undefined;
}

/** Measurements of a FLAIR analysis. */
export interface FlairFigures extends LesionVolumes {
  icvMm3?: number | null;
}

/** Stored data from which all printed values of a study are computed. */
export interface StudySource {
  patient: MeasuredPatient;
  t1: T1Figures | null;
  flair: FlairFigures | null;
  /** analysis method and local norms; by default only the published norms */
  method?: Method | undefined;
  /** percentiles at which bands begin: the user's, or the default in outputs for all users */
  thresholds?: readonly number[] | undefined;
}

/**
 * Measured values of one study; list, viewer, report, tables, DICOM, FHIR and HL7 all print these.
 */
export interface MeasuredStudy {
  subject: Subject;
  /** why the T1w result has no percentiles; `null` with percentiles, and without a T1w result */
  normReason: NormReason | null;
  /** age, sex and ICV for the norms (no ICV if unsuitable); `null` without percentiles */
  normSubject: NormSubject | null;
  thresholds: readonly number[];
  t1: T1Figures | null;
  /**
   * ICV of the T1w result, otherwise of the FLAIR result
   * `null` if not measured, as for brain-extracted images
   */
  icvMm3: number | null;
  /** ICV for volumes in percent of the ICV; `null` if not measured or implausible */
  wholeMm3: number | null;
  /** rank of the T1w result's ICV among people of the same sex */
  icvRank: PercentileRank | null;
  /** ICV implausible for the patient's sex, even if the scanner's percentiles are withheld */
  isIcvBeyond: boolean;
  /** function that ranks by age, sex and, if suitable, ICV */
  ranks: Ranker;
  /** function that ranks by age and sex */
  ranksBySex: Ranker;
  regions: readonly RegionData[];
  aggregates: readonly Aggregate[];
  /** cortical thickness by region; `null` if not measured */
  thickness: readonly ThicknessData[] | null;
  /** mean thickness of left, right and both hemispheres, mm; 0 when not measured */
  meanThickness: MeanThickness;
  /** volume of the brain without ventricles, mm³; `null` without a T1w result */
  brain: Measured | null;
  lesions: LesionData | null;
  /**
   * Fazekas grade for the lesion volume;
   * `null` for a volume of low confidence or a poor segmentation
   */
  fazekasEquivalent: 0 | 1 | 2 | 3 | null;
  /** codes of the warnings that the norms add to those of the engine */
  normWarnings: readonly string[];
  /** warnings of the T1w result including {@link normWarnings}; `null` without a T1w result */
  quality: AnalysisQuality | null;
}

interface MeanThickness {
  leftMm: number;
  rightMm: number;
  rank: Record<"left" | "right" | "total", PercentileRank | null>;
}

/** Quality control of a T1w analysis as stored by the engine; invalid fields are dropped. */
export function qualityOf(facts: ExtractionFacts): AnalysisQuality {
  const { grade } = facts.quality as { grade?: unknown };
  return {
    grade: grade === "A" || grade === "B" || grade === "C" ? grade : null,
    warnings: warningsOf(facts),
  };
}

/** Age, sex and ICV of the patient for which the percentiles of a study are computed. */
export function subjectOf(
  { patient, t1, method }: Pick<StudySource, "patient" | "t1" | "method">,
): Subject {
  const grade = (t1?.quality as { grade?: unknown } | undefined)?.grade;
  const doubtedLabels = doubtedLabelsOf(t1 ?? {});
  return {
    age: soundAge(patient),
    sex: patient.patient_sex,
    grade,
    ...(doubtedLabels.size > 0
      ? { method: { ...PLAIN_METHOD, ...method, doubtedLabels } }
      : method && { method }),
  };
}

function meanThicknessOf(t1: T1Figures | null, ranks: Ranker): MeanThickness {
  const [leftMm, rightMm] = t1?.thicknessSidesMm ?? [0, 0], hasBoth = leftMm > 0 && rightMm > 0;
  return {
    leftMm,
    rightMm,
    rank: {
      left: ranks.thickness("thickness_left", leftMm),
      right: ranks.thickness("thickness_right", rightMm),
      total: hasBoth ? ranks.thickness("thickness", (leftMm + rightMm) / 2) : null,
    },
  };
}

/** Warning of an implausible ICV, which does not concern percentiles. */
const ICV_WARNING = "icv_out_of_range";

/** Computes every value of a study with its percentile. Pure function. */
export function measureStudy(source: StudySource): MeasuredStudy {
  const { t1, flair, thresholds = DEFAULT_THRESHOLDS } = source, subject = subjectOf(source);
  const icvMm3 = t1 ? measuredIcvMm3(t1) : flair?.icvMm3 ?? null;
  const { method } = subject,
    normSubject = t1 && normSubjectOf(subject, icvOfPercentiles(icvMm3, subject));
  const ranks = rankerOf(normSubject, thresholds, method);
  const ranksBySex = rankerOf(t1 && normSubjectOf(subject, null), thresholds, method);
  const regions = t1 ? regionDataOf(t1.volumesMm3, icvMm3, subject, t1.hasLesions, thresholds) : [];
  const aggregates = t1 ? aggregatesOf({ ...t1, icvMm3 }, subject, thresholds) : [];
  const icvRank = t1 && icvRankOf(icvMm3, subject), meanThickness = meanThicknessOf(t1, ranksBySex);
  const brain = t1 && measureOf(t1.volumesMm3, ranks).brain(),
    lesions = flair && lesionDataOf(flair, subject.grade);
  const otherRanks = [brain?.rank.total ?? null, meanThickness.rank.total];
  const wholeMm3 = icvOfPercentages(icvMm3, subject, t1?.volumesMm3 ?? []);
  const engineQuality = t1 && qualityOf(t1), isIcvBeyond = t1 !== null && isIcvOdd(icvMm3, subject);
  const scannerReason = scannerReasonOf(method);
  const normWarnings = [
    ...t1 && scannerReason ? [scannerReason] : [],
    ...t1 && method?.isWithoutVolumes ? ["volumes_not_accepted"] : [],
    // also if the ICV has no percentile rank: an implausible ICV limits the quality grade, and
    // volumes are not printed as percentages of it
    ...icvMm3 !== null && (isIcvBeyond || wholeMm3 === null) && !icvRank?.doubt &&
        !engineQuality?.warnings.includes(ICV_WARNING)
      ? [ICV_WARNING]
      : [],
    ...normSubject && method?.isUnaccepted ? ["scanner_not_accepted"] : [],
    ...rankWarnings({ regions, aggregates, icv: icvRank, others: otherRanks }),
  ];
  const isSure = lesions?.wmh_detail.is_low_confidence === false && subject.grade !== "C";
  return {
    subject,
    normReason: t1 && normReasonOf(subject),
    normSubject,
    thresholds,
    t1,
    icvMm3,
    wholeMm3,
    icvRank,
    isIcvBeyond,
    ranks,
    ranksBySex,
    regions,
    aggregates,
    thickness: t1?.thicknessMm ? thicknessDataOf(t1.thicknessMm, subject, thresholds) : null,
    meanThickness,
    brain,
    lesions,
    fazekasEquivalent: lesions && isSure ? fazekasEquivalentOf(lesions.wmh) : null,
    normWarnings,
    quality: engineQuality && {
      grade: gradeWithIcv(engineQuality.grade, isIcvBeyond),
      warnings: [...engineQuality.warnings, ...normWarnings],
    },
  };
}
