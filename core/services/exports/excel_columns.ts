import { soundAge } from "@/model/plausible.ts";
import { LOBES } from "@/model/regions/measures.ts";
import { isCortex, isInverted, isMeasured, PARTS } from "@/model/regions/regions.ts";
import type { PercentileRank } from "@/model/schema/percentile_rank.ts";
import type { Aggregate, PatientRow, RegionData, ThicknessData } from "@/model/schema/patients.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { reportText } from "@/model/text/report/report.ts";
import type { SheetCell } from "@/core/services/exports/workbook.ts";
import type { AnalysisResults, FlairResults } from "@/core/storage/analyses.ts";
import type { AppliedNorms } from "@/core/services/norms/applied_norms.ts";
import { aggregatesOf, thicknessDataOf } from "@/core/services/analyses/cortex_data.ts";
import { type LesionData, lesionDataOf } from "@/core/services/analyses/lesion_data.ts";
import { bandNameOf } from "@/core/services/norms/band_names.ts";
import { regionDataOf } from "@/core/services/analyses/region_data.ts";

/** A study with the results that are completed. */
export interface ExportedStudy {
  row: PatientRow;
  results: AnalysisResults | null;
  flair: FlairResults | null;
  /** what the percentiles are read with; the published norms alone by default */
  norms?: AppliedNorms;
}

const PATIENT: readonly [string, (row: PatientRow) => SheetCell][] = [
  ["No.", (row) => row.pid],
  ["Patient ID", (row) => row.patient_id],
  ["Name", (row) => row.patient_name],
  ["Sex", (row) => row.patient_sex === null ? null : row.patient_sex === "male" ? "M" : "F"],
  ["Age", (row) => row.patient_age],
  ["Birth date", (row) => row.patient_birthdate],
  ["Study date", (row) => row.study_date],
  ["Labels", (row) => row.label_list.map((label) => label.label_name).join(", ") || null],
  ["T1w status", (row) => row.t1_analysis_status],
  ["T1w analysis date", (row) => row.t1_analysis_date],
  ["T2w status", (row) => row.t2_analysis_status],
  ["T2w analysis date", (row) => row.t2_analysis_date],
];

const round2 = (value: number) => Math.round(value * 100) / 100;
const gradeOf = (results: AnalysisResults | null): SheetCell =>
  typeof results?.quality.grade === "string" ? results.quality.grade : null;

const WHOLE: readonly [string, (study: ExportedStudy) => SheetCell][] = [
  ["T1w quality", ({ results }) => gradeOf(results)],
  ["T2w quality", ({ flair }) => flair?.grade ?? null],
  [
    "Thickness absent because",
    ({ results }) => results?.thicknessReason ? reportText.voxelsTooLarge.en : null,
  ],
  ["ICV (mL)", ({ results, flair }) => {
    const icv = results?.icvMm3 ?? flair?.icvMm3 ?? null;
    return icv === null ? null : round2(icv / 1000);
  }],
  ["Norms", ({ results, norms }) => results ? normsName(norms?.name, "en") : null],
];

const LESIONS: readonly [string, (lesions: LesionData, icvMl: number | null) => SheetCell][] = [
  ["Cerebral white matter with WMH (mL)", ({ wm }) => wm],
  ["WMH (mL)", ({ wmh }) => wmh],
  ["WMH % of ICV", ({ wmh }, icvMl) => icvMl === null ? null : round2(100 * wmh / icvMl)],
  ["WMH % of cerebral white matter with WMH", ({ wmh_detail }) => wmh_detail.ratio_percent],
  ["Deep WMH (mL)", ({ deep_wmh }) => deep_wmh],
  ["Periventricular WMH (mL)", ({ peri_wmh }) => peri_wmh],
  ["Lesions", ({ wmh_detail }) => wmh_detail.lesion_count],
];
const PERCENT_ICV = "% of ICV";

const BASES = [["age/sex", "rank_volume"], ["age/sex/ICV", "rank_icv"]] as const;
/** A percentile with its error: the percentile only where it has a band, the 80 % interval always. */
const RANK = ["percentile", "low", "high", "band"] as const;
const SIDES = ["left", "right", "total"] as const;
const isPair = (labels: readonly number[]) => labels.length === 2;
/** Parts that are measured well enough for a volume. */
const MEASURED = PARTS.filter(({ labels }) => isMeasured(labels[0]));
/** Sums with bands of their own: the cortex and its lobes. */
const SUMS: readonly [Aggregate["key"], string][] = [
  ["cortex", "Cerebral cortex"],
  ...LOBES.map((
    lobe,
  ): [Aggregate["key"], string] => [lobe, `${lobe[0]!.toUpperCase()}${lobe.slice(1)} lobe`]),
];
const CORTEX = PARTS.filter(({ labels }) => isPair(labels) && isCortex(labels[0]));

const titled = (...words: string[]) => words.filter((word) => word !== "").join(" ");

/** Titles of the columns; each study has one cell under each. Volumes in mL, thickness in mm, percentiles 0..100. */
export const EXCEL_HEAD: readonly string[] = [
  ...PATIENT.map(([title]) => title),
  ...WHOLE.map(([title]) => title),
  ...LESIONS.map(([title]) => title),
  ...MEASURED.flatMap(({ part, labels }) => {
    const sides = isPair(labels) ? SIDES : [""];
    return [
      ...sides.map((side) => titled(part, side, "volume (mL)")),
      titled(part, isPair(labels) ? "total" : "", PERCENT_ICV),
      ...BASES.flatMap(([basis]) =>
        sides.flatMap((side) => RANK.map((what) => titled(part, side, what, `by ${basis}`)))
      ),
    ];
  }),
  ...SUMS.flatMap(([, name]) => [
    ...SIDES.map((side) => titled(name, side, "volume (mL)")),
    titled(name, "total", PERCENT_ICV),
    ...SIDES.flatMap((side) => RANK.map((what) => titled(name, side, what, "by age/sex/ICV"))),
  ]),
  ...CORTEX.flatMap(({ part }) => [
    ...["left", "right"].map((side) => `${part} ${side} thickness (mm)`),
    ...["left", "right"].flatMap((side) => RANK.map((what) => `${part} ${side} thickness ${what}`)),
  ]),
];

const rankCells = (rank: PercentileRank | null | undefined, isFluid: boolean): SheetCell[] =>
  rank
    ? [rank.has_bands ? rank.percentile : null, rank.low, rank.high, bandNameOf(rank, isFluid)]
    : [null, null, null, null];

function regionCells(region: RegionData | undefined, labels: readonly number[]): SheetCell[] {
  const sides = isPair(labels) ? SIDES : ["total"] as const, isFluid = isInverted(labels[0]!);
  return [
    ...sides.map((side) => region?.[`volume_${side}`] ?? null),
    region?.icv_percent ?? null,
    ...BASES.flatMap(([, field]) =>
      sides.flatMap((side) => rankCells(region?.[`${field}_${side}`], isFluid))
    ),
  ];
}

const sumCells = (sum: Aggregate | undefined): SheetCell[] => [
  ...SIDES.map((side) => sum?.[`volume_${side}`] ?? null),
  sum?.icv_percent ?? null,
  ...SIDES.flatMap((side) => rankCells(sum?.[`rank_icv_${side}`], false)),
];

function thicknessCells(region: ThicknessData | undefined): SheetCell[] {
  // 0 stands for a region too small to be measured
  const measured = (mm: number | undefined) => mm || null;
  return [
    measured(region?.thick_left),
    measured(region?.thick_right),
    ...rankCells(region?.rank_thick_left, false),
    ...rankCells(region?.rank_thick_right, false),
  ];
}

/** The cells of a study, under {@link EXCEL_HEAD}. */
export function excelRowOf(study: ExportedStudy): SheetCell[] {
  const { row, results, flair, norms } = study;
  const subject = {
    age: soundAge(row),
    sex: row.patient_sex,
    grade: results?.quality.grade,
    localNorms: norms?.localNorms,
  };
  const regions = new Map(
    results
      ? regionDataOf(results.volumesMm3, results.icvMm3, subject, results.hasLesions)
        .map((region) => [region.part_index[0], region])
      : [],
  );
  const thickness = new Map(
    results?.thicknessMm
      ? thicknessDataOf(results.thicknessMm, subject).map((region) => [region.part_index[0], region])
      : [],
  );
  const sums = results ? aggregatesOf(results, subject) : [];
  const lesions = flair && lesionDataOf(flair), icvMm3 = results?.icvMm3 ?? flair?.icvMm3 ?? null;
  return [
    ...PATIENT.map(([, cell]) => cell(row)),
    ...WHOLE.map(([, cell]) => cell(study)),
    ...LESIONS.map(([, cell]) => lesions && cell(lesions, icvMm3 === null ? null : icvMm3 / 1000)),
    ...MEASURED.flatMap(({ labels }) => regionCells(regions.get(labels[0]), labels)),
    ...SUMS.flatMap(([key]) => sumCells(sums.find((sum) => sum.key === key))),
    ...CORTEX.flatMap(({ labels }) => thicknessCells(thickness.get(labels[0]))),
  ];
}
