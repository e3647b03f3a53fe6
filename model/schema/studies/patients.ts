// Over 400 lines: one study on the wire, row and record, with parts that refer to one another.
import { LESION_LOBES, LESION_SITES } from "@/model/regions/lesion_site.ts";
import { LANGUAGES } from "@/model/text.ts";
import { MAX_REASON_CHARS } from "@/model/accounts/roles.ts";
import * as z from "zod/mini";
import { finding } from "@/model/schema/report/finding.ts";
import { percentileRank } from "@/model/schema/report/percentile_rank.ts";
import { labelRef } from "@/model/schema/worklist/labels.ts";
import {
  filterDate,
  hasFilterRanges,
  MAX_FILTER_AGE,
  MIN_FILTER_AGE,
} from "@/model/schema/worklist/filters.ts";
import {
  analysisStatus,
  isCalendarDate,
  isoDate,
  isoInstant,
  localNormName,
  sex,
  sortDirection,
  sortKey,
} from "@/model/schema/studies/study.ts";
import { flairStructure } from "@/model/schema/studies/flair_structure.ts";

export const qualityGrade = z.enum(["A", "B", "C"]);
export type QualityGrade = z.infer<typeof qualityGrade>;

/** Work states that the worklist can be filtered by. */
export const listState = z.enum([
  /** an analysis is queued */
  "waiting",
  /** an analysis is running */
  "processing",
  "failed",
  /** received today or yesterday in the site's time zone */
  "new",
  /** uploaded by the calling user */
  "mine",
]);
export type ListState = z.infer<typeof listState>;

/** Number of studies in each work state. */
export const listCounts = z.object({
  waiting: z.number(),
  processing: z.number(),
  failed: z.number(),
  new: z.number(),
  mine: z.number(),
  /** days that a deleted study can be restored; 0: it is deleted for good */
  bin_days: z.optional(z.number()),
});
export type ListCounts = z.infer<typeof listCounts>;

/** Main deviation in the results of a study, for one line. */
const studyFinding = z.object({
  /**
   * the part furthest from the usual for age, sex and head size, of those with bands; `null`
   * without percentiles
   */
  deviation: z.nullable(z.object({
    brain_regions: z.string(),
    side: z.enum(["L", "R", ""]),
    percentile: z.number(),
    /** within all thresholds with a probability of at least 80 % */
    is_usual: z.boolean(),
  })),
  /** white matter hyperintensities, mL; `null` without a FLAIR result */
  wmh: z.nullable(z.number()),
  /**
   * grade of the Fazekas scale that this load corresponds to; `null`: without a result, or of low
   * confidence
   */
  fazekas_equivalent: z.optional(z.nullable(z.number())),
  /**
   * since the patient's study before of the same protocol, percent a year; `null` without one, or
   * within the method's error
   */
  change: z.nullable(
    z.object({ key: z.enum(["brain", "hippocampus"]), percent: z.number(), since: isoDate }),
  ),
  /** the most important finding, and how many there are beside it; absent without any */
  first: z.optional(finding),
  more: z.optional(z.number()),
});
export type StudyFinding = z.infer<typeof studyFinding>;

/** One study as the worklist shows it; `pid` is shown as No. */
export const patientRow = z.object({
  pid: z.number(),
  patient_id: z.string(),
  patient_name: z.string(),
  /** whole years at the study date; `null` when the birth date or study date is unknown */
  patient_age: z.nullable(z.number()),
  patient_birthdate: z.nullable(isoDate),
  patient_sex: z.nullable(sex),
  study_date: z.nullable(isoDate),
  /** date of the images that replaces an empty Study Date; absent: none */
  study_date_source: z.optional(z.enum(["series", "acquisition"])),
  label_list: z.array(labelRef),
  is_t1_uploaded: z.boolean(),
  is_t2_uploaded: z.boolean(),
  t1_analysis_date: z.nullable(isoInstant),
  t1_analysis_status: z.nullable(analysisStatus),
  t2_analysis_date: z.nullable(isoInstant),
  t2_analysis_status: z.nullable(analysisStatus),
  history_count: z.number(),
  /** name of who edits the record now */
  editing_user: z.optional(z.nullable(z.string())),
  /** and the user's number: it may be oneself */
  editing_uid: z.optional(z.nullable(z.number())),
  /** percent of a running analysis, 0..100; absent when none runs */
  t1_analysis_percent: z.optional(z.nullable(z.number())),
  t2_analysis_percent: z.optional(z.nullable(z.number())),
  /** it has a result that the caller has not opened */
  is_unread: z.optional(z.boolean()),
  /** its report was printed or saved */
  is_reported: z.optional(z.boolean()),
  /** delivery of its latest results to other systems; absent when there are none */
  sent: z.optional(z.enum(["waiting", "sent", "failed"])),
  /** the worse of its results; absent without one */
  quality_grade: z.optional(z.nullable(qualityGrade)),
  /** its main deviation; absent without one */
  finding: z.optional(z.nullable(studyFinding)),
  /** code of a failed analysis, with its reason */
  analysis_error: z.optional(
    z.nullable(z.object({ code: z.string(), reason: z.optional(z.string()) })),
  ),
});
export type PatientRow = z.infer<typeof patientRow>;

const isTrue = z.pipe(z.enum(["true", "false"]), z.transform((text) => text === "true"));
const filterAge = z.coerce.number().check(z.int(), z.gte(MIN_FILTER_AGE), z.lte(MAX_FILTER_AGE));
const idList = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14}){0,999}$/)),
  z.transform((text) => text.split(",").map(Number)),
);

/** Most studies of one page, and of one deletion. */
const MAX_PAGE_SIZE = 200;

const queryFields = {
  state: z.optional(listState),
  /** part of the patient id or name */
  search_string: z.optional(z.string().check(z.maxLength(200))),
  /** studies with (`false`: without) such a series */
  t1w: z.optional(isTrue),
  t2w: z.optional(isTrue),
  sex: z.optional(sex),
  age_from: z.optional(filterAge),
  age_to: z.optional(filterAge),
  birth_from: z.optional(filterDate),
  birth_to: z.optional(filterDate),
  study_from: z.optional(filterDate),
  study_to: z.optional(filterDate),
  analysis_from: z.optional(filterDate),
  analysis_to: z.optional(filterDate),
  /** comma-joined; a study carries at least one of them */
  label_id_list: z.optional(idList),
};

/** Query of `GET /patients`; empty values are left out. */
export const patientQuery = z.object({
  sort_key: z.optional(sortKey),
  sort_direction: z.optional(sortDirection),
  page_idx: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(10_000_000))),
  page_size: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(MAX_PAGE_SIZE))),
  /** a page behind the last one: the last one is answered instead of none, with its number */
  beyond: z.optional(z.enum(["last"])),
  /**
   * the rows behind `last` of an answer, or before its `first`, wherever they are now; `page_idx`
   * is not looked at
   */
  after: z.optional(z.string().check(z.maxLength(800))),
  before: z.optional(z.string().check(z.maxLength(800))),
  /** the page's, in which names are ordered; English when it is absent */
  language: z.optional(z.enum(LANGUAGES)),
  ...queryFields,
}).check(...hasFilterRanges);
export type PatientQuery = z.infer<typeof patientQuery>;
/** The part of a query that says which studies are wanted. */
export type PatientFilter = Omit<
  PatientQuery,
  "page_idx" | "page_size" | "beyond" | "language" | "after" | "before"
>;

export const patientListResponse = z.object({
  patients: z.array(patientRow),
  /** rows after filtering */
  total: z.number(),
  page_idx: z.number(),
  page_size: z.number(),
  /** rows before the first one */
  offset: z.optional(z.number()),
  /** places of the first and last row, for `before` and `after`; they hold when the row is gone */
  first: z.optional(z.string()),
  last: z.optional(z.string()),
});
export type PatientListResponse = z.infer<typeof patientListResponse>;

/** D1 §5. */
export const MAX_IDENTITY_LENGTH = 100;
/**
 * Control characters are not allowed in a patient id or name: a tab or line break would break lists
 * and exports.
 */
// deno-lint-ignore no-control-regex -- the expression looks for control characters
export const hasControlCharacter = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text);
/** Years. */
const MAX_AGE = 199;
const identity = z.pipe(
  z.string(),
  z.pipe(
    z.transform((text: string) => text.trim()),
    z.string().check(
      z.minLength(1),
      z.maxLength(MAX_IDENTITY_LENGTH),
      z.refine((text) => !hasControlCharacter(text), "control_character"),
    ),
  ),
);
const calendarDate = isoDate.check(z.refine(isCalendarDate));

/** Fields of a study that a physician may change. */
export const patientUpdate = z.object({
  patient_id: identity,
  patient_name: identity,
  patient_sex: sex,
  patient_birthdate: calendarDate,
  study_date: calendarDate,
}).check(
  z.refine((u) => u.patient_birthdate <= u.study_date, { path: ["patient_birthdate"] }),
  z.refine(
    (u) => Number(u.study_date.slice(0, 4)) - Number(u.patient_birthdate.slice(0, 4)) <= MAX_AGE,
    {
      path: ["patient_birthdate"],
    },
  ),
);
export type PatientUpdate = z.infer<typeof patientUpdate>;

export const patientUpdateResponse = z.object({
  pid: z.number(),
  /** results may change: ask whether to analyse again */
  analysis_affected: z.boolean(),
});
export type PatientUpdateResponse = z.infer<typeof patientUpdateResponse>;

/** The record is the caller's to edit for so many seconds; ask again before they are over. */
const nameReading = z.object({
  /** name of the set; `null`: the one that the files declare */
  character_set: z.nullable(z.string()),
  patient_name: z.string(),
  patient_id: z.string(),
});
export type NameReading = z.infer<typeof nameReading>;
export const editClaim = z.object({
  expires_in: z.number(),
  /**
   * with a new claim: name and ID of the images in each character set that reads them differently
   */
  readings: z.optional(z.array(nameReading)),
});
export type EditClaim = z.infer<typeof editClaim>;

const reason = z.optional(z.string().check(z.maxLength(MAX_REASON_CHARS)));
export const deletionReason = z.object({ reason });
export const deletionQuery = z.object({
  reason,
  pid_list: idList.check(z.refine((list) => list.length <= MAX_PAGE_SIZE)),
});
export const deletionResponse = z.object({
  deleted: z.array(z.number()),
  excluded: z.array(z.object({ pid: z.number(), code: z.string() })),
});
export type DeletionResponse = z.infer<typeof deletionResponse>;

const anyDate = z.pipe(
  z.string(),
  z.pipe(z.transform((text: string) => text.replaceAll("/", "-")), calendarDate),
);
export const ageQuery = z.object({ from_date: anyDate, to_date: anyDate })
  .check(z.refine((q) => q.from_date <= q.to_date, { path: ["to_date"] }));
/** Whole years, rounded down. */
export const ageResponse = z.object({ age: z.number() });
export type AgeResponse = z.infer<typeof ageResponse>;

const percentile = z.nullable(z.number());
const rank = z.nullable(percentileRank);
const millilitres = z.nullable(z.number());

/**
 * One part of the brain: volumes in mL (2 decimals); percentiles 0..100 or `null` without a norm
 * and where the method's error makes them worth nothing; `rank_*` has the error of each, and the
 * point for thresholds on the images.
 */
export const regionData = z.object({
  /** [left, right] or [midline] label values */
  part_index: z.array(z.number()).check(z.minLength(1), z.maxLength(2)),
  brain_regions: z.string(),
  volume_total: z.number(),
  volume_left: millilitres,
  volume_right: millilitres,
  /**
   * the total in percent of the intracranial volume, 2 decimals, where that was measured, and
   * asymmetry; unrounded
   */
  icv_percent: z.optional(z.number()),
  /** each side of a pair in percent of the intracranial volume, 2 decimals */
  icv_percent_left: z.optional(z.number()),
  icv_percent_right: z.optional(z.number()),
  asymmetry_percent: z.optional(z.nullable(z.number())),
  /** by age and sex */
  np_volume_total: percentile,
  np_volume_left: percentile,
  np_volume_right: percentile,
  /** by age, sex and intracranial volume; `null` where that was not measured or is doubted */
  np_icv_total: percentile,
  np_icv_left: percentile,
  np_icv_right: percentile,
  rank_volume_total: rank,
  rank_volume_left: rank,
  rank_volume_right: rank,
  rank_icv_total: rank,
  rank_icv_left: rank,
  rank_icv_right: rank,
});
export type RegionData = z.infer<typeof regionData>;

export const thicknessData = z.object({
  part_index: z.array(z.number()).check(z.length(2)),
  brain_regions: z.string(),
  thick_left: z.number(),
  thick_right: z.number(),
  np_thick_left: percentile,
  np_thick_right: percentile,
  rank_thick_left: rank,
  rank_thick_right: rank,
});
export type ThicknessData = z.infer<typeof thicknessData>;

/**
 * Why percentiles are `null`: quality C, outside 18..100 years, or birth date, study date or sex
 * missing.
 */
export const normReason = z.enum(["quality", "age_outside_norms", "age_unknown", "sex_unknown"]);
export type NormReason = z.infer<typeof normReason>;

/** A sum of regions: volumes in mL, mean thickness in mm; `null` where it has none. */
export const aggregate = z.object({
  key: z.enum([
    "cortex",
    "white_matter",
    "frontal",
    "parietal",
    "temporal",
    "occipital",
    "cingulate",
    "insula",
  ]),
  volume_left: z.number(),
  volume_right: z.number(),
  volume_total: z.number(),
  /** as of a region */
  icv_percent: z.optional(z.number()),
  asymmetry_percent: z.optional(z.nullable(z.number())),
  /** by age, sex and intracranial volume */
  np_icv_left: percentile,
  np_icv_right: percentile,
  np_icv_total: percentile,
  thick_left: z.nullable(z.number()),
  thick_right: z.nullable(z.number()),
  np_thick_left: percentile,
  np_thick_right: percentile,
  rank_icv_left: rank,
  rank_icv_right: rank,
  rank_icv_total: rank,
  /** by age and sex */
  rank_volume_left: z.optional(rank),
  rank_volume_right: z.optional(rank),
  rank_volume_total: z.optional(rank),
  rank_thick_left: rank,
  rank_thick_right: rank,
});
export type Aggregate = z.infer<typeof aggregate>;

/** Where a lesion is, by contact with ventricle and cortex, and the structure that names it. */
export const lesionPlace = z.object({
  site: z.enum(LESION_SITES),
  lobe: z.nullable(z.enum(LESION_LOBES)),
  /** `both`: in both hemispheres; `null`: no sided structure is near */
  side: z.nullable(z.enum(["L", "R", "both"])),
  /** touches a lateral ventricle and the cortex; absent otherwise */
  is_at_both: z.optional(z.literal(true)),
});

/** One lesion, on the grid of the result. */
export const listedLesion = z.object({
  peri_ml: z.number(),
  deep_ml: z.number(),
  centre_ras_mm: z.tuple([z.number(), z.number(), z.number()]),
  /**
   * label of the structure that contains it, or of the cortex nearest to it; absent without a label
   * map
   */
  near_label: z.optional(z.number()),
  /** absent without a label map, and in results of earlier versions */
  place: z.optional(lesionPlace),
});

/** The counted lesions of one place. */
export const lesionsAt = z.object({
  site: z.enum(LESION_SITES),
  count: z.number(),
  /** mL */
  volume: z.number(),
});

/** How far the lesion volumes can be trusted. */
const wmhDetail = z.object({
  /** percent of the cerebral white matter */
  ratio_percent: z.nullable(z.number()),
  lesion_count: z.number(),
  /** those that are counted, the largest first; absent in results of earlier versions */
  lesions: z.optional(z.array(listedLesion)),
  /** the same lesions by their places; absent where a lesion has none */
  places: z.optional(z.array(lesionsAt)),
  is_low_confidence: z.boolean(),
  /** below 3 mL: not distinguishable from noise */
  is_minimal: z.boolean(),
  /** of grade C: no volume is printed without the words "not reliable", and no change of one */
  is_unreliable: z.optional(z.boolean()),
  /** tissue classes used to find the lesions; `flair`: without a T1w series */
  tissue: z.enum(["t1", "flair"]),
});
export type LesionsAt = z.infer<typeof lesionsAt>;
export type WmhDetail = z.infer<typeof wmhDetail>;

/** The engine's assessment of its result; warnings have a text in model/text/quality.ts. */
const analysisQuality = z.object({
  grade: z.nullable(qualityGrade),
  warnings: z.array(z.string()),
});
export type AnalysisQuality = z.infer<typeof analysisQuality>;

/** Why a completed analysis has no thickness: a side of its voxels is longer than 1.5 mm. */
const thicknessReason = z.enum(["voxels_too_large"]);
export type ThicknessReason = z.infer<typeof thicknessReason>;

export const patient = z.extend(patientRow, {
  t1w_file: z.nullable(z.string()),
  t1_result: z.nullable(z.array(regionData)),
  t1w_mask_file: z.nullable(z.string()),
  t1_thick_result: z.nullable(z.array(thicknessData)),
  thickness_reason: z.optional(z.nullable(thicknessReason)),
  thick_mask_file: z.nullable(z.string()),
  t1w_np_mask_file: z.nullable(z.string()),
  /**
   * 1 inside the dura, the extent of the intracranial volume; absent in results of earlier versions
   */
  icv_mask_file: z.optional(z.nullable(z.string())),
  t2w_file: z.nullable(z.string()),
  t2w_mask_file: z.nullable(z.string()),
  /**
   * labels of the deep structures on a FLAIR without a T1w series, and their volumes; absent where
   * they were not read
   */
  t2w_region_mask_file: z.optional(z.nullable(z.string())),
  flair_structures: z.optional(z.array(flairStructure)),
  /** addresses of the surface's arrays, which change with their bytes */
  surface_files: z.nullable(
    z.object({ verts: z.string(), faces: z.string(), normals: z.string(), values: z.string() }),
  ),
  wm: millilitres,
  wmh: millilitres,
  deep_wmh: millilitres,
  peri_wmh: millilitres,
  /** intracranial volume, mL */
  icv: millilitres,
  /** heads that the error of the percentiles was measured on */
  method_error_heads: z.optional(z.number()),
  /**
   * percentiles at which the bands of the ranks begin, ascending: the caller's, as on the report
   */
  threshold_list: z.optional(z.array(z.number()).check(z.minLength(1), z.maxLength(3))),
  /** local norms that adjust the percentiles, beside the published norms */
  local_norms: z.optional(localNormName),
  /** set when an analysis is complete but has no percentiles */
  norm_reason: z.nullable(normReason),
  aggregates: z.nullable(z.array(aggregate)),
  wmh_detail: z.nullable(wmhDetail),
  t1_quality: z.nullable(analysisQuality),
  t2_quality: z.nullable(analysisQuality),
});
export type Patient = z.infer<typeof patient>;

/** Query of `GET /patients/{pid}`: `row` leaves the results out. */
export const patientFields = z.object({ fields: z.optional(z.enum(["row"])) });

export const patientHistoryResponse = z.object({ history: z.array(patientRow) });
export type PatientHistoryResponse = z.infer<typeof patientHistoryResponse>;

const MAX_ANALYSES = 10_000;
export const analysesRequest = z.object({
  pid_list: z.array(z.number().check(z.int(), z.gte(1))).check(
    z.minLength(1),
    z.maxLength(MAX_ANALYSES),
  ),
});
export const analysesResponse = z.object({
  accepted: z.array(z.number()),
  excluded: z.array(z.object({ pid: z.number(), code: z.string() })),
});
export type AnalysesResponse = z.infer<typeof analysesResponse>;
