import { NORM_AGE_MAX, NORM_AGE_MIN } from "@/model/norms/norms.ts";
import { NORMS_CITATION, NORMS_NAME } from "@/model/norms/norms_source.ts";
import type { MainRow, ReportResponse } from "@/model/schema/report/report.ts";
import type { FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import { flairStructuresOf } from "@/server/core/analyses/service/files/flair_structures.ts";
import { engineName } from "@/model/measured/engine_name.ts";
import type { LesionVolumes } from "@/model/measured/lesion_data.ts";
import { methodErrorOfReport } from "@/server/core/norms/service/method_error_text.ts";
import {
  conclusionOf,
  CURVE_AGES,
  EMPTY_ROW,
  figuresOf,
  icvOfReport,
  type ReportFrame,
  reportHead,
  round2,
  wmhOf,
  wmhRow,
} from "@/server/core/reports/service/report_model.ts";

/** Input of a report for a study with FLAIR but no T1w analysis. */
export interface FlairReportInput extends ReportFrame {
  isT1Uploaded: boolean;
  flair: LesionVolumes & {
    finishedAt: string | null;
    engineVersion: string;
    /** ICV; `null` when it was not measured on FLAIR */
    icvMm3: number | null;
    grade: "A" | "B" | "C";
    /** quality warnings by their code in model/text/quality.ts */
    warnings?: string[];
    deepStructures?: FlairResults["deepStructures"];
  };
}

const NEEDS_T1 = [
  "brain",
  "cortex",
  "white_matter",
  "hippocampus",
  "amygdala",
  "thalamus",
  "lateral_ventricles",
] as const;

/**
 * Report of a study with FLAIR but no T1w analysis: intracranial volume, lesions, deep structures.
 * Measures that need T1w are empty rows; there are no percentiles. Pure function.
 */
export function buildFlairReport(input: FlairReportInput): ReportResponse {
  const { flair } = input, study = figuresOf(input, { t1: null, flair }), wmh = wmhOf(study);
  const icvMl = flair.icvMm3 === null ? null : round2(flair.icvMm3 / 1000);
  const structures = flairStructuresOf(flair);
  const missing = input.isT1Uploaded ? "not_measured" : "t1_needed";
  const rows: MainRow[] = [
    { key: "icv", ...EMPTY_ROW, volume_total: icvMl, missing: icvMl === null ? missing : null },
    ...NEEDS_T1.map((key): MainRow => ({ key, ...EMPTY_ROW, missing })),
    wmhRow(wmh, study.wholeMm3, true),
    { key: "thickness", ...EMPTY_ROW, missing },
  ];
  return {
    ...reportHead(input),
    report_type: "t2",
    analysis_date: flair.finishedAt,
    reference: {
      name: NORMS_NAME,
      citation: NORMS_CITATION,
      age_min: NORM_AGE_MIN,
      age_max: NORM_AGE_MAX,
      in_range: false,
      ...methodErrorOfReport(input.language, false),
      reason: null,
      segmentation: `${engineName(flair.engineVersion, input.language)}, FLAIR`,
    },
    qc: {
      grade: flair.grade,
      warnings: [...flair.warnings ?? [], ...study.normWarnings],
      snr: null,
      brain_icv_percent: null,
    },
    icv: icvOfReport(study, CURVE_AGES),
    regions: [],
    thickness: null,
    aggregates: [],
    main_page: { rows, charts: [] },
    ...(structures.length > 0 && { flair_structures: structures }),
    atrophy_score: null,
    conclusion: conclusionOf(input, study, null),
    lobes: [],
    hippocampus: null,
    mta: null,
    wmh,
    longitudinal: null,
    norm_change_percent: {},
  };
}
