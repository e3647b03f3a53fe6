// Longer than 400 lines: builds the contents of a report from results, norms and settings.
import { printedPercentile } from "@/model/norms/rank_format.ts";
import type { LinearKey, LinearMeasures } from "@/model/linear/linear_measures.ts";
import { linearOf, printedValue } from "@/model/linear/printed_linear.ts";
import { asymmetriesOf, concludeStudy } from "@/model/findings/findings.ts";
import { agreeingOpinions } from "@/model/findings/agreement.ts";
import { worded } from "@/model/findings/sentences.ts";
import { curveOf } from "@/model/norms/curves.ts";
import { keyOf } from "@/model/regions/measures.ts";
import { NORM_AGE_MAX, NORM_AGE_MIN, type Sex } from "@/model/norms/norms.ts";
import {
  curvePlaceOf,
  type Method,
  PLAIN_METHOD,
  volumeInterval,
} from "@/model/norms/percentile_rank.ts";
import { NORMS_CITATION } from "@/model/norms/norms_source.ts";
import type { PageCode } from "@/model/report/pages.ts";
import type { ThicknessReason } from "@/model/schema/studies/patients.ts";
import type { Conclusion } from "@/model/schema/report/finding.ts";
import type {
  MainRow,
  MainRowKey,
  ReferenceChart,
  ReportResponse,
} from "@/model/schema/report/report.ts";
import type { CertType, LocalNormName } from "@/model/schema/studies/study.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { engineName } from "@/model/measured/engine_name.ts";
import type { LesionVolumes } from "@/model/measured/lesion_data.ts";
import {
  type MeasuredStudy,
  measureStudy,
  type StudySource,
} from "@/model/measured/measured_study.ts";
import { methodErrorOfReport } from "@/server/core/norms/service/method_error_text.ts";
import { measuredChanges } from "@/server/core/analyses/service/finding.ts";
import type { LongitudinalResults } from "@/server/core/analyses/storage/longitudinal.ts";
import {
  atrophyScoreOf,
  hippocampusOf,
  icvOf,
  lobesOf,
  mtaCutoffOf,
  normChangeOf,
} from "@/server/core/reports/service/report_score.ts";
import { type Measured, measureOf } from "@/model/measured/structures.ts";
import { trajectoryOf } from "@/server/core/reports/service/report_trajectory.ts";
import { reportVisitsOf } from "@/server/core/reports/service/report_visits.ts";

/** Ages in years at the ends of the norm curves; extended to include the patient's age. */
export const CURVE_AGES = { from: 20, to: 90 };
const curveAgesOf = (age: number | null) => ({
  from: Math.min(CURVE_AGES.from, age ?? CURVE_AGES.from),
  to: Math.max(CURVE_AGES.to, age ?? CURVE_AGES.to),
});

/** Input common to all reports, whichever series were analysed. */
export interface ReportFrame {
  pid: number;
  language: Language;
  isAnonymized: boolean;
  generatedAt: string;
  /** IANA name of the time zone for printed times; UTC by default */
  timeZone?: string;
  version: string;
  /** certificate of the licence; with DEMO, every page has a watermark */
  certType: CertType;
  hospitalName: string;
  /** 1 to 3 ascending percentiles beyond which values are marked */
  thresholds: readonly number[];
  opinion: { opinion_id: number; message: string };
  /** codes of the selected pages, in addition to the Main Page */
  pages: readonly PageCode[];
  patient: {
    id: string;
    name: string;
    age: number | null;
    sex: Sex | null;
    birthDate: string | null;
    studyDate: string | null;
    /** DICOM date that was used because Study Date is empty; absent if it is not */
    studyDateSource?: "series" | "acquisition";
    isFlairUploaded: boolean;
  };
  /** measurement method and local norms for percentiles; absent: only the published norms */
  method?: Method;
  /** name of the local norms, for their citation */
  localNormName?: LocalNormName | null;
  series: ReportResponse["series"];
  seriesList: ReportResponse["series_list"];
  images: ReportResponse["images"];
}

/** Input of a report for a study with a T1w analysis. */
export interface ReportInput extends ReportFrame {
  analysis: {
    finishedAt: string | null;
    engineVersion: string;
    /** volume of each label, mm³; the index is the label, length 105 */
    volumesMm3: readonly number[];
    icvMm3: number;
    quality: Record<string, unknown>;
    /** volumes measured by the second network, to check those of the first */
    secondOpinion?: Record<string, unknown> | null | undefined;
    /** cortical thickness of each label, mm; the index is the label */
    thicknessMm?: readonly number[] | undefined;
    /** mean cortical thickness of the left and of the right hemisphere, mm */
    thicknessSidesMm?: readonly [number, number] | undefined;
    /** reason why thickness was not measured */
    thicknessReason?: ThicknessReason | null | undefined;
    /** whether label 28 (white matter hypointensities) contains lesions */
    hasLesions?: boolean | undefined;
    linear?: LinearMeasures | undefined;
  };
  /** results of the FLAIR series; `null` if no FLAIR was analysed */
  lesions?: LesionVolumes & { warnings?: readonly string[] } | null;
  /** MTA grades (medial temporal atrophy) that a physician entered */
  mta?:
    | { left: number | null; right: number | null; entered_by: string; entered_at: string }
    | null;
  /** measurements of all the patient's studies that were processed jointly */
  longitudinal?: LongitudinalResults | null;
  /** method of each study in `longitudinal`, by study number; absent: the method of this study */
  visitMethods?: ReadonlyMap<number, Method>;
}

/** Computes all measured values of a report with their percentiles. */
export const figuresOf = (
  { patient, thresholds, method }: ReportFrame,
  { t1, flair }: Pick<StudySource, "t1" | "flair">,
): MeasuredStudy =>
  measureStudy({
    patient: {
      patient_birthdate: patient.birthDate,
      study_date: patient.studyDate,
      patient_age: patient.age,
      patient_sex: patient.sex,
    },
    t1,
    flair,
    method,
    thresholds,
  });

/** White matter hyperintensities for the report; `null` without a FLAIR result. */
export function wmhOf(
  { lesions, fazekasEquivalent }: Pick<MeasuredStudy, "lesions" | "fazekasEquivalent">,
): ReportResponse["wmh"] {
  if (!lesions) return null;
  const { wm, wmh: total, deep_wmh: deep, peri_wmh: peri, wmh_detail } = lesions;
  const {
    ratio_percent,
    is_low_confidence,
    is_minimal,
    is_unreliable,
    tissue,
    lesion_count,
    lesions: listed,
    places,
  } = wmh_detail;
  return {
    total,
    deep,
    peri,
    wm,
    ratio_percent,
    is_low_confidence,
    is_minimal,
    ...(is_unreliable && { is_unreliable }),
    tissue,
    np: null,
    lesion_count,
    ...(listed && { lesions: listed }),
    ...(places && { places }),
    fazekas_equivalent: fazekasEquivalent,
  };
}

/** Rounds to two decimals, as for all values in a report. */
export const round2 = (value: number): number => Math.round(value * 100) / 100;
/** A volume in percent of the ICV (`MeasuredStudy.wholeMm3`). */
const percentOf = (mm3: number, wholeMm3: number | null): number | null =>
  wholeMm3 === null ? null : round2(100 * mm3 / wholeMm3);
/** Printed in place of the patient's name in an anonymised report. */
const MASK = "***";

/** Values that are common to all reports. */
export function reportHead(
  input: ReportFrame,
): Pick<
  ReportResponse,
  | "pid"
  | "language"
  | "anonymized"
  | "generated_at"
  | "time_zone"
  | "product"
  | "version"
  | "cert_type"
  | "hospital_name"
  | "logo_url"
  | "patient"
  | "series"
  | "series_list"
  | "threshold_list"
  | "page_list"
  | "opinion"
  | "images"
> {
  const { patient } = input;
  return {
    pid: input.pid,
    language: input.language,
    anonymized: input.isAnonymized,
    generated_at: input.generatedAt,
    ...(input.timeZone === undefined ? {} : { time_zone: input.timeZone }),
    product: "Sulcus",
    version: input.version,
    cert_type: input.certType,
    hospital_name: input.hospitalName,
    logo_url: null,
    patient: {
      patient_id: input.isAnonymized ? MASK : patient.id,
      patient_name: input.isAnonymized ? MASK : patient.name,
      patient_age: patient.age,
      patient_sex: patient.sex,
      patient_birthdate: input.isAnonymized ? null : patient.birthDate,
      study_date: patient.studyDate,
      ...(patient.studyDateSource ? { study_date_source: patient.studyDateSource } : {}),
    },
    series: input.series,
    series_list: input.seriesList,
    threshold_list: [...input.thresholds],
    page_list: [...input.pages],
    opinion: input.opinion,
    images: input.images,
  };
}

const segmentationBy = (version: string, language: Language): string =>
  textIn(reportText.labelsBy, language, { engine: engineName(version, language) });

/** Builds the report of a study with a T1w analysis. Pure function. */
export function buildReport(input: ReportInput): ReportResponse {
  const { analysis } = input;
  const study = figuresOf(input, { t1: analysis, flair: input.lesions ?? null });
  const { normReason: reason, normSubject: subject, ranks, thresholds, aggregates } = study;
  const { icvMm3, subject: { method } } = study, ages = curveAgesOf(study.subject.age);
  const trajectory = input.longitudinal
    ? trajectoryOf(
      input.longitudinal,
      subject,
      input.patient.studyDate,
      (pid) => input.visitMethods?.get(pid) ?? method ?? PLAIN_METHOD,
    )
    : null;
  const measure = measureOf(analysis.volumesMm3, ranks);
  const brain = study.brain!, quality = study.quality!, wmh = wmhOf(study);
  const atrophy_score = atrophyScoreOf(analysis.volumesMm3, subject, thresholds, method);

  return {
    ...reportHead(input),
    report_type: input.lesions ? "t1t2" : "t1",
    analysis_date: analysis.finishedAt,
    reference: {
      name: normsName(input.localNormName, input.language),
      citation: NORMS_CITATION,
      ...(input.localNormName ? { local_norms: input.localNormName } : {}),
      age_min: NORM_AGE_MIN,
      age_max: NORM_AGE_MAX,
      in_range: reason === null,
      ...methodErrorOfReport(input.language, reason === null),
      reason,
      ...(subject?.icvMl === null
        ? {
          without_icv: icvMm3 === null ? "brain_extracted" as const : "icv_beyond_norms" as const,
        }
        : {}),
      segmentation: segmentationBy(analysis.engineVersion, input.language),
    },
    qc: {
      grade: quality.grade,
      warnings: [
        ...quality.warnings,
        ...input.lesions?.warnings ?? [],
      ],
      snr: typeof analysis.quality.snr === "number" ? analysis.quality.snr : null,
      brain_icv_percent: percentOf(brain.total, study.wholeMm3),
    },
    icv: icvOfReport(study, ages),
    regions: [...study.regions],
    thickness: study.thickness && [...study.thickness],
    aggregates: [...aggregates],
    main_page: {
      rows: mainRows(input, study, measure, wmh),
      charts: [
        chart("hippocampus", [19, 20], measure.part("Hippocampus"), study),
        chart("lateral_ventricles", [15, 16], measure.part("Lateral ventricle"), study),
      ],
    },
    atrophy_score,
    conclusion: conclusionOf(input, study, atrophy_score),
    asymmetries: asymmetriesOf(study).map(({ part, percent, rank }) => ({ part, percent, rank })),
    lobes: lobesOf(aggregates, subject, method),
    hippocampus: hippocampusOf(analysis.volumesMm3, subject, ranks, ages, method),
    ...linearOfReport(linearOf(analysis)),
    mta: {
      left: null,
      right: null,
      entered_by: null,
      entered_at: null,
      ...input.mta,
      ...(input.isAnonymized ? { entered_by: null } : {}),
      cutoff: mtaCutoffOf(study.subject.age),
    },
    wmh,
    longitudinal: input.longitudinal ? reportVisitsOf(input.longitudinal) : null,
    ...(trajectory && { trajectory }),
    ...(input.longitudinal?.limits && { change_limits: input.longitudinal.limits }),
    norm_change_percent: normChangeOf(subject),
  };
}

/** ICV with percentile rank and curve, and whether the ICV is too implausible for percentages. */
export const icvOfReport = (
  { icvMm3, wholeMm3, normSubject, ranks, subject: { method } }: MeasuredStudy,
  ages: { from: number; to: number },
): ReportResponse["icv"] => ({
  ...icvOf(icvMm3, normSubject, ranks, ages, method),
  ...icvMm3 !== null && wholeMm3 === null && { is_implausible: true },
});

/** Widths and angle of the ventricles as printed in the report; empty if not measured. */
function linearOfReport(measures: LinearMeasures | null): Pick<ReportResponse, "linear"> {
  if (!measures) return {};
  const of = (key: LinearKey) => printedValue(measures, key);
  return {
    linear: {
      evans: of("evans"),
      frontal_horns: of("frontal_horns"),
      inner_skull: of("inner_skull"),
      third_ventricle: of("third_ventricle"),
      callosal_angle: of("callosal_angle"),
    },
  };
}

/** The conclusion as findings, and as sentences in the report's language. */
export function conclusionOf(
  { pid, language, longitudinal }: Pick<ReportInput, "pid" | "language" | "longitudinal">,
  study: MeasuredStudy,
  score: ReportResponse["atrophy_score"],
): Conclusion {
  const changes = measuredChanges(study, { visits: longitudinal ?? null, pid });
  const concluded = concludeStudy(study, { changes, score });
  return {
    ...concluded,
    ...worded(concluded, studyWords(study), language),
    agreeing: agreeingOpinions(concluded, study),
  };
}

/** Facts about the study that the sentences depend on, such as missing norms. */
const studyWords = ({ normReason, normSubject, normWarnings, t1 }: MeasuredStudy) => ({
  isProvisional: normWarnings.includes("scanner_not_accepted"),
  normReason,
  hasT1: t1 !== null,
  hasIcv: normSubject?.icvMl !== null,
});

/** A row of the Main Page's table in which all values are missing. */
export const EMPTY_ROW: Omit<MainRow, "key"> = {
  volume_left: null,
  volume_right: null,
  volume_total: null,
  icv_percent: null,
  np_left: null,
  np_right: null,
  np_total: null,
  rank_left: null,
  rank_right: null,
  rank_total: null,
  is_inverted: false,
  band: null,
  missing: null,
};

function mainRows(
  input: ReportInput,
  study: MeasuredStudy,
  measure: ReturnType<typeof measureOf>,
  wmh: ReportResponse["wmh"],
): MainRow[] {
  const { icvMm3, wholeMm3 } = study;
  const millilitres = (mm3: number | null) => mm3 === null ? null : round2(mm3 / 1000);
  const row = (key: MainRowKey, m: Measured): MainRow => ({
    key,
    volume_left: millilitres(m.left),
    volume_right: millilitres(m.right),
    volume_total: millilitres(m.total),
    icv_percent: percentOf(m.total, wholeMm3),
    np_left: printedPercentile(m.rank.left),
    np_right: printedPercentile(m.rank.right),
    np_total: printedPercentile(m.rank.total),
    rank_left: m.rank.left,
    rank_right: m.rank.right,
    rank_total: m.rank.total,
    is_inverted: m.isInverted,
    band: m.rank.total?.has_bands ? m.rank.total.level : null,
    missing: null,
  });
  return [
    {
      key: "icv",
      ...EMPTY_ROW,
      volume_total: millilitres(icvMm3),
      missing: icvMm3 === null ? "not_measured" : null,
    },
    row("brain", study.brain!),
    row("cortex", measure.cortex()),
    row("white_matter", measure.part("Cerebral white matter")),
    row("hippocampus", measure.part("Hippocampus")),
    row("amygdala", measure.part("Amygdala")),
    row("thalamus", measure.part("Thalamus")),
    row("lateral_ventricles", measure.part("Lateral ventricle")),
    wmhRow(wmh, wholeMm3, input.patient.isFlairUploaded),
    thicknessRow(study, input.analysis.thicknessReason),
  ];
}

/** @param wholeMm3 ICV for the volume in percent; `null`: the row has no percentage. */
export function wmhRow(
  wmh: ReportResponse["wmh"],
  wholeMm3: number | null,
  isFlairUploaded: boolean,
): MainRow {
  if (!wmh) {
    return { key: "wmh", ...EMPTY_ROW, missing: isFlairUploaded ? "not_measured" : "flair_needed" };
  }
  return {
    key: "wmh",
    ...EMPTY_ROW,
    volume_total: wmh.total,
    icv_percent: percentOf(1000 * wmh.total, wholeMm3),
    missing: wmh.is_minimal ? "minimal" : wmh.is_low_confidence ? "low_confidence" : null,
  };
}

function thicknessRow(
  { meanThickness }: MeasuredStudy,
  reason: ThicknessReason | null | undefined,
): MainRow {
  const { leftMm: left, rightMm: right, rank } = meanThickness, hasBoth = left > 0 && right > 0;
  // a stored mean thickness of 0 mm means that it was not measured
  if (left === 0 && right === 0) {
    return { key: "thickness", ...EMPTY_ROW, missing: reason ?? "not_measured" };
  }
  const { left: rank_left, right: rank_right, total: rank_total } = rank;
  return {
    key: "thickness",
    ...EMPTY_ROW,
    volume_left: left === 0 ? null : round2(left),
    volume_right: right === 0 ? null : round2(right),
    volume_total: hasBoth ? round2((left + right) / 2) : null,
    np_left: printedPercentile(rank_left),
    np_right: printedPercentile(rank_right),
    np_total: printedPercentile(rank_total),
    rank_left,
    rank_right,
    rank_total,
    band: rank_total?.has_bands ? rank_total.level : null,
  };
}

function chart(
  key: ReferenceChart["key"],
  labels: readonly number[],
  measured: Measured,
  { normSubject, subject: { age, method } }: MeasuredStudy,
): ReferenceChart {
  const ages = curveAgesOf(age), at = keyOf(labels);
  // a volume with uncertain borders has no percentile, and a curve would show it
  const subject = measured.rank.total?.doubt === "region" ? null : normSubject;
  const interval = subject && volumeInterval(at, measured.total / 1000, method);
  return {
    key,
    curve: subject
      ? curveOf(labels, subject, ages, curvePlaceOf(at, method, subject)).map((point) => ({
        age: point.age,
        p5: round2(point.p5),
        p25: round2(point.p25),
        p50: round2(point.p50),
        p75: round2(point.p75),
        p95: round2(point.p95),
      }))
      : [],
    volume: round2(measured.total / 1000),
    low: interval && round2(interval[0]),
    high: interval && round2(interval[1]),
    np: printedPercentile(measured.rank.total),
    rank: measured.rank.total,
    is_inverted: measured.isInverted,
  };
}
