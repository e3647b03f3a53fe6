// Columns of an exported table: fields of a study, and measures of chosen brain parts.
import { LOBES } from "@/model/regions/measures.ts";
import { isMeasured, PARTS } from "@/model/regions/regions.ts";
import type { ExportColumns } from "@/model/schema/report/excel.ts";
import { EXPORT_FIELDS, EXPORT_MEASURES } from "@/model/schema/report/excel.ts";

/** Aggregates that are measured in addition to the parts: the cortex and its lobes. */
export const EXPORT_SUMS = ["cortex", ...LOBES] as const;

/** All selectable parts, aggregates last; parts are named as in model/regions/regions.ts. */
export const EXPORT_PARTS: readonly string[] = [
  ...PARTS.filter(({ labels }) => isMeasured(labels[0])).map(({ part }) => part),
  ...EXPORT_SUMS,
];

/** Names of all fields, measures and brain parts that a table can contain. */
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
/** Default measures: the parts relevant to dementia, which the report prints first, and lesions. */
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
