// Columns of an exported table: those of a study as a whole, and measures of chosen parts of the
// brain.
import { LOBES } from "@/model/regions/measures.ts";
import { isMeasured, PARTS } from "@/model/regions/regions.ts";
import type { ExportColumns } from "@/model/schema/report/excel.ts";
import { EXPORT_FIELDS, EXPORT_MEASURES } from "@/model/schema/report/excel.ts";

/** Sums that are measured beside the parts: the cortex and its lobes. */
export const EXPORT_SUMS = ["cortex", ...LOBES] as const;

/** Every part that can be chosen, sums last; a part is named as in model/regions/regions.ts. */
export const EXPORT_PARTS: readonly string[] = [
  ...PARTS.filter(({ labels }) => isMeasured(labels[0])).map(({ part }) => part),
  ...EXPORT_SUMS,
];

/** A table with every field, measure and part of the brain. */
export const EVERYTHING: ExportColumns = {
  fields: [...EXPORT_FIELDS],
  measures: [...EXPORT_MEASURES],
  parts: [...EXPORT_PARTS],
};

const REPORT_PARTS: readonly string[] = [
  "Hippocampus",
  "Amygdala",
  "Thalamus",
  "Lateral ventricle",
  "Inferior lateral ventricle",
  "Entorhinal",
  ...EXPORT_SUMS,
];
/** Measures that the report prints first: the parts relevant to dementia, and lesions. */
export const REPORT_TABLE: ExportColumns = {
  fields: [
    "number",
    "patient_id",
    "name",
    "sex",
    "age",
    "study_date",
    "t1_grade",
    "icv",
    "wmh",
    "wmh_deep",
    "wmh_peri",
    "lesions",
  ],
  measures: ["volume", "rank_icv"],
  parts: EXPORT_PARTS.filter((part) => REPORT_PARTS.includes(part)),
};
