import { isCortex, PARTS } from "@/model/regions.ts";
import type { PatientRow, RegionData, ThicknessData } from "@/model/schema/patients.ts";
import { reportText } from "@/model/text/report.ts";
import type { SheetCell } from "@/core/report/sheet.ts";
import type { AnalysisResults, FlairResults } from "@/core/storage/analyses.ts";
import { thicknessDataOf } from "@/core/services/cortex_data.ts";
import { lesionDataOf } from "@/core/services/lesion_data.ts";
import { regionDataOf } from "@/core/services/region_data.ts";

/** A study with the results that are completed. */
export interface ExportedStudy {
  row: PatientRow;
  results: AnalysisResults | null;
  flair: FlairResults | null;
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
];

const LESIONS = [
  ["White matter (mL)", "wm"],
  ["WMH (mL)", "wmh"],
  ["Deep WMH (mL)", "deep_wmh"],
  ["Periventricular WMH (mL)", "peri_wmh"],
] as const;

const VOLUMES = [
  ["volume", "(mL)", "volume"],
  ["percentile by age/sex", "", "np_volume"],
  ["percentile by age/sex/ICV", "", "np_icv"],
] as const;
const SIDES = ["left", "right", "total"] as const;
const isPair = (labels: readonly number[]) => labels.length === 2;
const CORTEX = PARTS.filter(({ labels }) => isPair(labels) && isCortex(labels[0]));

const titled = (...words: string[]) => words.filter((word) => word !== "").join(" ");

/** Titles of the columns; each study has one cell under each. Volumes in mL, thickness in mm, percentiles 0..100. */
export const EXCEL_HEAD: readonly string[] = [
  ...PATIENT.map(([title]) => title),
  ...WHOLE.map(([title]) => title),
  ...LESIONS.map(([title]) => title),
  ...PARTS.flatMap(({ part, labels }) =>
    VOLUMES.flatMap(([what, unit]) =>
      isPair(labels) ? SIDES.map((side) => titled(part, side, what, unit)) : [titled(part, what, unit)]
    )
  ),
  ...CORTEX.flatMap(({ part }) =>
    ["thickness (mm)", "thickness percentile"].flatMap((
      what,
    ) => [`${part} left ${what}`, `${part} right ${what}`])
  ),
];

function regionCells(region: RegionData | undefined, isSided: boolean): SheetCell[] {
  const sides = isSided ? SIDES : ["total"] as const;
  return VOLUMES.flatMap(([, , field]) => sides.map((side) => region?.[`${field}_${side}`] ?? null));
}

function thicknessCells(region: ThicknessData | undefined): SheetCell[] {
  // 0 stands for a region too small to be measured
  const measured = (mm: number | undefined) => mm || null;
  return [
    measured(region?.thick_left),
    measured(region?.thick_right),
    region?.np_thick_left ?? null,
    region?.np_thick_right ?? null,
  ];
}

/** The cells of a study, under {@link EXCEL_HEAD}. */
export function excelRowOf(study: ExportedStudy): SheetCell[] {
  const { row, results, flair } = study;
  const subject = { age: row.patient_age, sex: row.patient_sex, grade: results?.quality.grade };
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
  const lesions = flair && lesionDataOf(flair);
  return [
    ...PATIENT.map(([, cell]) => cell(row)),
    ...WHOLE.map(([, cell]) => cell(study)),
    ...LESIONS.map(([, field]) => lesions?.[field] ?? null),
    ...PARTS.flatMap(({ labels }) => regionCells(regions.get(labels[0]), isPair(labels))),
    ...CORTEX.flatMap(({ labels }) => thicknessCells(thickness.get(labels[0]))),
  ];
}
