import * as z from "zod/mini";
import { listState } from "@/model/schema/studies/patients.ts";
import { filterFields, hasFilterRanges } from "@/model/schema/worklist/filters.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Maximum number of studies listed individually in a request. */
const MAX_PIDS = 50_000;

/** Columns that describe a whole study, in the order of the table. */
export const EXPORT_FIELDS = [
  "number",
  "patient_id",
  "name",
  "sex",
  "age",
  "birth_date",
  "study_date",
  "labels",
  "t1_status",
  "t1_analysed",
  "t2_status",
  "t2_analysed",
  "t1_grade",
  "t2_grade",
  "thickness_absent",
  "icv",
  "evans_index",
  "evans_index_low",
  "evans_index_high",
  "frontal_horns",
  "frontal_horns_low",
  "frontal_horns_high",
  "third_ventricle",
  "third_ventricle_low",
  "third_ventricle_high",
  "callosal_angle",
  "callosal_angle_low",
  "callosal_angle_high",
  "norms",
  "white_matter",
  "wmh",
  "wmh_icv",
  "wmh_white_matter",
  "wmh_deep",
  "wmh_peri",
  "lesions",
  "lesions_pv",
  "lesions_pv_ml",
  "lesions_jc",
  "lesions_jc_ml",
  "lesions_dwm",
  "lesions_dwm_ml",
  "lesions_it",
  "lesions_it_ml",
  "lesions_dgm",
  "lesions_dgm_ml",
  "lesions_since",
  "lesions_new",
  "lesions_enlarging",
  "lesions_shrinking",
  "lesions_gone",
  "lesions_possible",
  "lesions_confirmed",
  "conclusion",
  "conclusion_signed",
] as const;
export type ExportField = (typeof EXPORT_FIELDS)[number];

/** Exported measures of each brain part; a rank consists of percentile, 80 % interval and band. */
export const EXPORT_MEASURES = [
  "volume",
  "icv_percent",
  "rank_sex",
  "rank_icv",
  "thickness",
  "rank_thickness",
  "flair_volume",
] as const;

const MAX_PARTS = 80, MAX_PART_LENGTH = 60;

/** Chosen columns of a table of studies; unknown names of brain regions are ignored. */
const exportColumns = z.object({
  fields: z.array(z.enum(EXPORT_FIELDS)).check(z.maxLength(EXPORT_FIELDS.length)),
  measures: z.array(z.enum(EXPORT_MEASURES)).check(z.maxLength(EXPORT_MEASURES.length)),
  parts: z.array(z.string().check(z.maxLength(MAX_PART_LENGTH))).check(z.maxLength(MAX_PARTS)),
});
export type ExportColumns = z.infer<typeof exportColumns>;

/** Export sends `pid_list`, Export All sends `filter`; without either, all studies are exported. */
export const excelJobRequest = z.object({
  pid_list: z.optional(
    z.array(z.number().check(z.int(), z.gte(1))).check(z.minLength(1), z.maxLength(MAX_PIDS)),
  ),
  filter: z.optional(
    z.partial(z.object({ ...filterFields, state: listState })).check(...hasFilterRanges),
  ),
  format: z.enum(["csv", "xlsx"]),
  /** chosen columns; absent: all columns */
  columns: z.optional(exportColumns),
  /** language of the column heads; English by default */
  language: z.optional(z.enum(["en", "ko"])),
}).check(z.refine((request) => !request.pid_list || !request.filter, { path: ["filter"] }));
export type ExcelJobRequest = z.infer<typeof excelJobRequest>;

export const excelJobCreated = z.object({ excel_id: z.string() });
export type ExcelJobCreated = z.infer<typeof excelJobCreated>;

/** Estimated size of a table and time to make the table, from a sample of studies. */
export const excelEstimate = z.object({
  studies: z.number(),
  columns: z.number(),
  size_bytes: z.number(),
  seconds: z.number(),
});
export type ExcelEstimate = z.infer<typeof excelEstimate>;

export const MAX_EXPORT_SET_NAME = 40, MAX_EXPORT_SETS = 20;
/** A user's named selections of columns. */
export const exportSets = z.object({
  sets: z.array(z.object({
    name: z.string().check(typedText, z.trim(), z.minLength(1), z.maxLength(MAX_EXPORT_SET_NAME)),
    columns: exportColumns,
  })).check(
    z.maxLength(MAX_EXPORT_SETS),
    z.refine((sets) => new Set(sets.map(({ name }) => name)).size === sets.length),
  ),
});
export type ExportSets = z.infer<typeof exportSets>;
