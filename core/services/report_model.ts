import { curveOf, normOfTotal } from "@/model/curves.ts";
import {
  NORM_AGE_MAX,
  NORM_AGE_MIN,
  normOf,
  type NormSubject,
  percentileOf,
  type Sex,
} from "@/model/norms.ts";
import { NORMS_CITATION, NORMS_NAME } from "@/model/norms_source.ts";
import { isCortex, isInverted, regionOf } from "@/model/regions.ts";
import type { RegionData } from "@/model/schema/patients.ts";
import type { MainRow, MainRowKey, ReferenceChart, ReportResponse } from "@/model/schema/report.ts";
import type { Language } from "@/model/text.ts";
import { normReasonOf, regionDataOf } from "@/core/services/region_data.ts";

/** Marked by default: below the 5th percentile, and between the 5th and the 25th. The curves show the same ones. */
export const DEFAULT_THRESHOLDS = [5, 25];
/** Age axis of the curves, years; longer when the patient is outside of it. */
const CURVE_AGES = { from: 20, to: 90 };

/** Everything a report is made of. */
export interface ReportInput {
  pid: number;
  language: Language;
  isAnonymized: boolean;
  generatedAt: string;
  version: string;
  hospitalName: string;
  /** ascending, 1 to 3 */
  thresholds: readonly number[];
  opinion: { opinion_id: number; message: string };
  patient: {
    id: string;
    name: string;
    age: number | null;
    sex: Sex | null;
    birthDate: string | null;
    studyDate: string | null;
    isFlairUploaded: boolean;
  };
  series: ReportResponse["series"];
  analysis: {
    finishedAt: string | null;
    engineVersion: string;
    /** index = label, length 105 */
    volumesMm3: readonly number[];
    icvMm3: number;
    quality: Record<string, unknown>;
  };
  images: ReportResponse["images"];
}

const round2 = (value: number): number => Math.round(value * 100) / 100;
/** Stands for a name on an anonymised report. */
const MASK = "***";

interface Measured {
  left: number | null;
  right: number | null;
  total: number;
  np: { left: number | null; right: number | null; total: number | null };
  isInverted: boolean;
}

/** How many thresholds a percentile is beyond; fluid is read from the other end (D2 §9). */
export function bandLevel(percentile: number, thresholds: readonly number[], isInverted: boolean): number {
  const distance = isInverted ? 100 - percentile : percentile;
  return thresholds.filter((threshold) => distance < threshold).length;
}

/** The report of one analysed study. Pure: the same input gives the same report. */
export function buildReport(input: ReportInput): ReportResponse {
  const { patient, analysis, thresholds } = input;
  const reason = normReasonOf(patient);
  const icvMl = analysis.icvMm3 / 1000;
  const subject: NormSubject | null = reason === null
    ? { age: patient.age!, sex: patient.sex!, icvMl }
    : null;
  const regions = regionDataOf(analysis.volumesMm3, analysis.icvMm3, patient);
  const measure = measureOf(analysis.volumesMm3, regions, subject);
  const brain = measure.brain();

  return {
    pid: input.pid,
    report_type: "t1",
    language: input.language,
    anonymized: input.isAnonymized,
    generated_at: input.generatedAt,
    product: "Sulcus",
    version: input.version,
    cert_type: "DEMO",
    hospital_name: input.hospitalName,
    logo_url: null,
    patient: {
      patient_id: input.isAnonymized ? MASK : patient.id,
      patient_name: input.isAnonymized ? MASK : patient.name,
      patient_age: patient.age,
      patient_sex: patient.sex,
      patient_birthdate: input.isAnonymized ? null : patient.birthDate,
      study_date: patient.studyDate,
    },
    analysis_date: analysis.finishedAt,
    series: input.series,
    reference: {
      name: NORMS_NAME,
      citation: NORMS_CITATION,
      age_min: NORM_AGE_MIN,
      age_max: NORM_AGE_MAX,
      in_range: reason === null,
      reason,
      segmentation: `${analysis.engineVersion.replace(/^(?:sulcus-engine )?/, "Sulcus engine ")}, ` +
        "Desikan-Killiany/FreeSurfer labels",
    },
    threshold_list: [...thresholds],
    page_list: [],
    opinion: input.opinion,
    qc: qualityOf(analysis.quality, brain.total / analysis.icvMm3),
    icv: { volume: round2(icvMl), np: null, curve: [] },
    regions,
    main_page: {
      rows: mainRows(input, measure, brain),
      charts: [
        chart("hippocampus", [19, 20], measure.part("Hippocampus"), input, icvMl),
        chart("lateral_ventricles", [15, 16], measure.part("Lateral ventricle"), input, icvMl),
      ],
    },
    atrophy_score: null,
    lobes: [],
    hippocampus: null,
    mta: null,
    wmh: null,
    longitudinal: null,
    images: input.images,
  };
}

/** Volumes in mm³ with their percentiles, for single parts and for sums of many labels. */
function measureOf(
  volumesMm3: readonly number[],
  regions: readonly RegionData[],
  subject: NormSubject | null,
) {
  const sum = (keep: (label: number) => boolean) =>
    volumesMm3.reduce(
      (total, mm3, label) => label > 0 && label < 105 && keep(label) ? total + mm3 : total,
      0,
    );
  const against = (key: string, mm3: number) => {
    const norm = subject && normOf(key, "volume", subject);
    return norm ? round2(percentileOf(mm3, norm)) : null;
  };
  return {
    /** The part as everywhere else in the product; its total against left + right where the table has none. */
    part(name: string): Measured {
      const region = regions.find((r) => r.brain_regions === name)!;
      const [left, right] = region.part_index as [number, number];
      const total = volumesMm3[left]! + volumesMm3[right]!;
      const norm = subject && normOfTotal([left, right], subject);
      return {
        left: volumesMm3[left]!,
        right: volumesMm3[right]!,
        total,
        np: {
          left: region.np_icv_left,
          right: region.np_icv_right,
          total: region.np_icv_total ?? (norm ? round2(percentileOf(total, norm)) : null),
        },
        isInverted: isInverted(left),
      };
    },
    cortex(): Measured {
      const side = (hemisphere: "L" | "R") =>
        sum((label) => isCortex(label) && regionOf(label)?.hemisphere === hemisphere);
      const left = side("L"), right = side("R"), total = left + right;
      return {
        left,
        right,
        total,
        np: {
          left: against("cortex_left", left),
          right: against("cortex_right", right),
          total: against("cortex", total),
        },
        isInverted: false,
      };
    },
    /** Every label but the ventricles and the fluid, as the norms' "brain without ventricles". */
    brain(): Measured {
      const total = sum((label) => !((label >= 15 && label <= 18) || (label >= 25 && label <= 27)));
      return {
        left: null,
        right: null,
        total,
        np: { left: null, right: null, total: against("brain", total) },
        isInverted: false,
      };
    },
  };
}

function mainRows(input: ReportInput, measure: ReturnType<typeof measureOf>, brain: Measured): MainRow[] {
  const { thresholds, analysis, patient } = input;
  const millilitres = (mm3: number | null) => mm3 === null ? null : round2(mm3 / 1000);
  const row = (key: MainRowKey, m: Measured): MainRow => ({
    key,
    volume_left: millilitres(m.left),
    volume_right: millilitres(m.right),
    volume_total: millilitres(m.total),
    icv_percent: round2(100 * m.total / analysis.icvMm3),
    np_left: m.np.left,
    np_right: m.np.right,
    np_total: m.np.total,
    is_inverted: m.isInverted,
    band: m.np.total === null ? null : bandLevel(m.np.total, thresholds, m.isInverted),
    missing: null,
  });
  const none: Omit<MainRow, "key"> = {
    volume_left: null,
    volume_right: null,
    volume_total: null,
    icv_percent: null,
    np_left: null,
    np_right: null,
    np_total: null,
    is_inverted: false,
    band: null,
    missing: null,
  };
  return [
    { key: "icv", ...none, volume_total: round2(analysis.icvMm3 / 1000) },
    row("brain", brain),
    row("cortex", measure.cortex()),
    row("white_matter", measure.part("Cerebral white matter")),
    row("hippocampus", measure.part("Hippocampus")),
    row("amygdala", measure.part("Amygdala")),
    row("thalamus", measure.part("Thalamus")),
    row("lateral_ventricles", measure.part("Lateral ventricle")),
    { key: "wmh", ...none, missing: patient.isFlairUploaded ? "not_measured" : "flair_needed" },
    { key: "thickness", ...none, missing: "not_measured" },
  ];
}

function chart(
  key: ReferenceChart["key"],
  labels: readonly number[],
  measured: Measured,
  { patient }: ReportInput,
  icvMl: number,
): ReferenceChart {
  const hasNorms = normReasonOf(patient) === null;
  const ages = {
    from: Math.min(CURVE_AGES.from, patient.age ?? CURVE_AGES.from),
    to: Math.max(CURVE_AGES.to, patient.age ?? CURVE_AGES.to),
  };
  return {
    key,
    curve: hasNorms
      ? curveOf(labels, { sex: patient.sex!, icvMl }, ages).map((point) => ({
        age: point.age,
        p5: round2(point.p5),
        p25: round2(point.p25),
        p50: round2(point.p50),
        p75: round2(point.p75),
        p95: round2(point.p95),
      }))
      : [],
    volume: round2(measured.total / 1000),
    np: measured.np.total,
    is_inverted: measured.isInverted,
  };
}

/** What the engine says of its work, as far as it is in a known form. */
function qualityOf(quality: Record<string, unknown>, brainFraction: number): ReportResponse["qc"] {
  const { grade, snr, warnings } = quality;
  return {
    snr: typeof snr === "number" ? snr : null,
    grade: grade === "A" || grade === "B" || grade === "C" ? grade : null,
    warnings: Array.isArray(warnings) ? warnings.map((warning) => String(warning)) : [],
    brain_icv_percent: round2(100 * brainFraction),
  };
}
