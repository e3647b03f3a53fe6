// Longer than 400 lines: row and record of a study, with parts that refer to one another.
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
import { typedText } from "@/model/schema/typed_text.ts";

export const qualityGrade = z.enum(["A", "B", "C"]);
export type QualityGrade = z.infer<typeof qualityGrade>;

/** Study states by which the worklist can be filtered. */
export const listState = z.enum([
  /** studies with a queued analysis */
  "waiting",
  /** studies with a running analysis */
  "processing",
  "failed",
  /** studies received today or yesterday in the site's time zone */
  "new",
  /** studies that the calling user has uploaded */
  "mine",
  /** orders of the hospital without any image yet; an order is not a study */
  "ordered",
]);
export type ListState = z.infer<typeof listState>;

/** Whether a signed text is about the current results, or about results that have changed since. */
const signedState = z.enum(["signed", "outdated"]);
export type SignedState = z.infer<typeof signedState>;

/** Number of studies in each work state. */
export const listCounts = z.object({
  waiting: z.number(),
  processing: z.number(),
  failed: z.number(),
  new: z.number(),
  mine: z.number(),
  ordered: z.number(),
  /** number of days in which a deleted study can be restored; 0: deleted permanently */
  bin_days: z.optional(z.number()),
});
export type ListCounts = z.infer<typeof listCounts>;

/** A percentile with its 80 % interval, as far as texts need it. */
const listedRank = z.pick(percentileRank, {
  percentile: true,
  low: true,
  high: true,
  has_bands: true,
});

/** Volumes of a structure's two sides as in the report, mL, and their difference. */
const listedSides = z.object({
  left: z.number(),
  right: z.number(),
  rank_left: z.nullable(listedRank),
  rank_right: z.nullable(listedRank),
  /** 100 × (left − right) / mean of both; `null` where a side is missing */
  asymmetry_percent: z.nullable(z.number()),
  rank_asymmetry: z.nullable(listedRank),
});
export type ListedSides = z.infer<typeof listedSides>;

/** Main finding of a study, for one line of the worklist. */
const studyFinding = z.object({
  /**
   * brain part with the largest deviation for age, sex and head size, among parts with bands
   * `null` without percentiles
   */
  deviation: z.nullable(z.object({
    brain_regions: z.string(),
    side: z.enum(["L", "R", ""]),
    percentile: z.number(),
    /** whether the value is within all thresholds with a probability of at least 80 % */
    is_usual: z.boolean(),
  })),
  /** volume of white matter hyperintensities, mL; `null` without a FLAIR result or of grade C */
  wmh: z.nullable(z.number()),
  /** Fazekas grade for this lesion volume; `null` without a result or with low confidence */
  fazekas_equivalent: z.optional(z.nullable(z.number())),
  /**
   * change since the patient's previous study with the same protocol, percent per year
   * `null` without a previous study, or within the measurement error
   */
  change: z.nullable(
    z.object({
      key: z.enum(["brain", "hippocampus"]),
      percent: z.number(),
      since: isoDate,
      /** whether acquisition data of one of the two studies could not be read */
      is_acquisition_unknown: z.optional(z.boolean()),
    }),
  ),
  /** whether the scanner's results have changed, so that percentiles are withheld */
  is_stopped: z.optional(z.boolean()),
  /** with `is_stopped`: the header has not been read, so the scanner may be a stopped one */
  is_unread: z.optional(z.boolean()),
  /** with `is_stopped`: two people have refused percentiles of the scanner */
  is_refused: z.optional(z.boolean()),
  /** whether the scanner is not accepted for percentiles, which are then marked */
  is_provisional: z.optional(z.boolean()),
  /**
   * whether the intracranial volume is implausible for the patient's sex: the grade is then at most
   * B
   */
  is_icv_beyond: z.optional(z.boolean()),
  /** the most important finding, and the number of other findings; absent without findings */
  first: z.optional(finding),
  more: z.optional(z.number()),
  /** left and right hippocampus; absent without a T1w result */
  hippocampus: z.optional(listedSides),
});
export type StudyFinding = z.infer<typeof studyFinding>;

/** An examination that the hospital's system has ordered. */
const hospitalOrder = z.object({
  /** accession number; empty for a study */
  accession_number: z.string(),
  procedure: z.string(),
  referring_physician: z.string(),
  planned_on: z.nullable(isoDate),
});

/**
 * One study as a row of the worklist; `pid` is displayed as No.
 * Also an order without images, if requested: `pid` is then negative, and names no study.
 */
export const patientRow = z.object({
  pid: z.number(),
  /** the hospital's order for the study; absent without one */
  order: z.optional(hospitalOrder),
  /** whether an order or study of another patient has the same accession number */
  is_accession_doubted: z.optional(z.boolean()),
  patient_id: z.string(),
  patient_name: z.string(),
  /** age in whole years at the study date; `null` if birth date or study date is unknown */
  patient_age: z.nullable(z.number()),
  patient_birthdate: z.nullable(isoDate),
  patient_sex: z.nullable(sex),
  study_date: z.nullable(isoDate),
  /** source of the date that replaces an empty Study Date; absent: Study Date itself */
  study_date_source: z.optional(z.enum(["series", "acquisition"])),
  /** time of the hospital system's last change of the patient's identity; absent: no change */
  hospital_at: z.optional(isoInstant),
  /** time when a user last changed who the patient is; absent: no user has done so */
  edited_at: z.optional(isoInstant),
  /** the patient data changed after the report was printed or saved */
  is_report_outdated: z.optional(z.boolean()),
  label_list: z.array(labelRef),
  is_t1_uploaded: z.boolean(),
  is_t2_uploaded: z.boolean(),
  t1_analysis_date: z.nullable(isoInstant),
  t1_analysis_status: z.nullable(analysisStatus),
  t2_analysis_date: z.nullable(isoInstant),
  t2_analysis_status: z.nullable(analysisStatus),
  history_count: z.number(),
  /** name of the user who is editing the record */
  editing_user: z.optional(z.nullable(z.string())),
  /** number of the user who is editing the record, possibly the caller */
  editing_uid: z.optional(z.nullable(z.number())),
  /** progress of a running analysis, 0..100; absent when none is running */
  t1_analysis_percent: z.optional(z.nullable(z.number())),
  t2_analysis_percent: z.optional(z.nullable(z.number())),
  /** whether a result exists that the caller has not opened */
  is_unread: z.optional(z.boolean()),
  /** whether the report was printed or saved */
  is_reported: z.optional(z.boolean()),
  /** a physician has signed the text of the report; absent without a signature */
  signed: z.optional(signedState),
  /** delivery of the latest results to other systems; absent without deliveries */
  sent: z.optional(z.enum(["waiting", "sent", "failed"])),
  /** the worse of the T1w and FLAIR results' quality grades; absent without results */
  quality_grade: z.optional(z.nullable(qualityGrade)),
  /** main finding of the study; absent without one */
  finding: z.optional(z.nullable(studyFinding)),
  /** whether the finding is still being computed; event `study_finding` announces the finding */
  is_finding_pending: z.optional(z.boolean()),
  /** error code of a failed analysis, with a reason */
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

/** Maximum number of studies per page, and per deletion. */
const MAX_PAGE_SIZE = 200;

const queryFields = {
  state: z.optional(listState),
  /** substring of the patient ID or name */
  search_string: z.optional(z.string().check(typedText, z.maxLength(200))),
  /** true: only studies with a T1w series; false: only studies without */
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
  /** comma-separated label ids; matches studies with at least one of them */
  label_id_list: z.optional(idList),
};

/** Query of `GET /patients`; empty values are ignored. */
export const patientQuery = z.object({
  sort_key: z.optional(sortKey),
  sort_direction: z.optional(sortDirection),
  page_idx: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(10_000_000))),
  page_size: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(MAX_PAGE_SIZE))),
  /** returns the last page instead of an empty page for a page number past the end */
  beyond: z.optional(z.enum(["last"])),
  /**
   * cursor: rows after `last` or before `first` of an earlier answer; `page_idx` is then ignored
   */
  after: z.optional(z.string().check(z.maxLength(800))),
  before: z.optional(z.string().check(z.maxLength(800))),
  /** true: also orders without images, which have negative numbers and count in `total` */
  orders: z.optional(isTrue),
  /** language that determines the order of names; English when absent */
  language: z.optional(z.enum(LANGUAGES)),
  ...queryFields,
}).check(...hasFilterRanges);
export type PatientQuery = z.infer<typeof patientQuery>;
/** The query parameters of the list that filter it. */
export type PatientFilter = Omit<
  PatientQuery,
  "page_idx" | "page_size" | "beyond" | "orders" | "language" | "after" | "before"
>;

export const patientListResponse = z.object({
  patients: z.array(patientRow),
  /** number of rows after filtering */
  total: z.number(),
  /** number of orders without images among these rows; absent without any */
  ordered: z.optional(z.number()),
  page_idx: z.number(),
  page_size: z.number(),
  /** number of rows before the first row of this page */
  offset: z.optional(z.number()),
  /**
   * cursors of the first and last row for `before` and `after`
   * valid even after these rows were deleted
   */
  first: z.optional(z.string()),
  last: z.optional(z.string()),
});
export type PatientListResponse = z.infer<typeof patientListResponse>;

/** Maximum length of a patient ID or name (D1 §5). */
export const MAX_IDENTITY_LENGTH = 100;
/**
 * Whether a patient ID or name contains control characters, which are not allowed.
 * A tab or line break would break lists and exports.
 */
// deno-lint-ignore no-control-regex -- the expression looks for control characters
export const hasControlCharacter = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text);
/** Maximum age of a patient, years. */
const MAX_AGE = 199;
const identity = z.pipe(
  z.string(),
  z.pipe(
    z.transform((text: string) => text.trim()),
    z.string().check(
      z.refine((text) => !hasControlCharacter(text), "control_character"),
      typedText,
      z.trim(),
      z.minLength(1),
      z.maxLength(MAX_IDENTITY_LENGTH),
    ),
  ),
);
const calendarDate = isoDate.check(z.refine(isCalendarDate));

/** Fields of a study that physicians may edit. */
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
  /** whether results may change: ask the user whether to analyse the study again */
  analysis_affected: z.boolean(),
});
export type PatientUpdateResponse = z.infer<typeof patientUpdateResponse>;

/** Patient name and ID decoded with one character set. */
const nameReading = z.object({
  /** DICOM name of the character set; `null`: the character set declared in the files */
  character_set: z.nullable(z.string()),
  patient_name: z.string(),
  patient_id: z.string(),
});
export type NameReading = z.infer<typeof nameReading>;
export const editClaim = z.object({
  expires_in: z.number(),
  /** name and ID by each character set that gives another text; only when editing begins */
  readings: z.optional(z.array(nameReading)),
});
export type EditClaim = z.infer<typeof editClaim>;

const reason = z.optional(z.string().check(typedText, z.maxLength(MAX_REASON_CHARS)));
export const deletionReason = z.object({ reason });
export const deletionQuery = z.object({
  reason,
  pid_list: idList.check(z.refine((list) => list.length <= MAX_PAGE_SIZE)),
  /** studies that are deleted although another user is editing them */
  edited_list: z.optional(idList),
});
export const deletionResponse = z.object({
  deleted: z.array(z.number()),
  excluded: z.array(z.object({
    pid: z.number(),
    code: z.string(),
    /** name of the other user who is editing the study, with `study.being_edited` */
    user: z.optional(z.string()),
  })),
});
export type DeletionResponse = z.infer<typeof deletionResponse>;

const anyDate = z.pipe(
  z.string(),
  z.pipe(z.transform((text: string) => text.replaceAll("/", "-")), calendarDate),
);
export const ageQuery = z.object({ from_date: anyDate, to_date: anyDate })
  .check(z.refine((q) => q.from_date <= q.to_date, { path: ["to_date"] }));
/** Age in whole years, rounded down. */
export const ageResponse = z.object({ age: z.number() });
export type AgeResponse = z.infer<typeof ageResponse>;

const percentile = z.nullable(z.number());
const rank = z.nullable(percentileRank);
const millilitres = z.nullable(z.number());

/**
 * One part of the brain: volumes in mL (2 decimals), percentiles 0..100; `null` without a norm or
 * with too large an error. `rank_*` adds the error of each percentile.
 * Thresholds on the images use the percentile of the rank.
 */
export const regionData = z.object({
  /** [left, right] or [midline] label values */
  part_index: z.array(z.number()).check(z.minLength(1), z.maxLength(2)),
  brain_regions: z.string(),
  volume_total: z.number(),
  volume_left: millilitres,
  volume_right: millilitres,
  /**
   * total in percent of the intracranial volume (2 decimals), if measured,
   * and asymmetry (unrounded)
   */
  icv_percent: z.optional(z.number()),
  /** each side in percent of the intracranial volume, 2 decimals */
  icv_percent_left: z.optional(z.number()),
  icv_percent_right: z.optional(z.number()),
  asymmetry_percent: z.optional(z.nullable(z.number())),
  /** percentiles by age and sex */
  np_volume_total: percentile,
  np_volume_left: percentile,
  np_volume_right: percentile,
  /** percentiles by age, sex and ICV; `null` where the ICV was not measured or is implausible */
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
 * Reasons for missing percentiles: quality C, age outside 18..100 years, or no birth date.
 * Also no study date, no sex, or a scanner without valid percentiles. While percentiles of some
 * scanner are withheld, also a header that has not been read.
 */
export const normReason = z.enum([
  "quality",
  "age_outside_norms",
  "age_unknown",
  "sex_unknown",
  "scanner_stopped",
  "scanner_unread",
  "scanner_refused",
]);
export type NormReason = z.infer<typeof normReason>;

/** An aggregate of regions: volumes in mL, mean thickness in mm; `null` where not measured. */
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
  /** percent of the intracranial volume, and asymmetry, as in a region */
  icv_percent: z.optional(z.number()),
  asymmetry_percent: z.optional(z.nullable(z.number())),
  /** percentiles by age, sex and intracranial volume */
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
  /** percentiles by age and sex */
  rank_volume_left: z.optional(rank),
  rank_volume_right: z.optional(rank),
  rank_volume_total: z.optional(rank),
  rank_thick_left: rank,
  rank_thick_right: rank,
});
export type Aggregate = z.infer<typeof aggregate>;

/** Location of a lesion: site by contact with ventricle and cortex, lobe and side. */
export const lesionPlace = z.object({
  site: z.enum(LESION_SITES),
  lobe: z.nullable(z.enum(LESION_LOBES)),
  /** `both`: the lesion is in both hemispheres; `null`: no structure with a side is near */
  side: z.nullable(z.enum(["L", "R", "both"])),
  /** true: the lesion touches both a lateral ventricle and the cortex; absent otherwise */
  is_at_both: z.optional(z.literal(true)),
});

/** One lesion, with coordinates on the grid of the result. */
export const listedLesion = z.object({
  peri_ml: z.number(),
  deep_ml: z.number(),
  centre_ras_mm: z.tuple([z.number(), z.number(), z.number()]),
  /**
   * label of the structure that contains the lesion, or of the nearest cortex
   * absent without a label map
   */
  near_label: z.optional(z.number()),
  /** location of the lesion; absent without a label map, and in results of earlier versions */
  place: z.optional(lesionPlace),
});

/** Number and volume of the counted lesions at one site. */
export const lesionsAt = z.object({
  site: z.enum(LESION_SITES),
  count: z.number(),
  /** total volume of these lesions, mL */
  volume: z.number(),
});

/** White matter hyperintensities, and the reliability of the lesion volume. */
const wmhDetail = z.object({
  /** lesion volume in percent of the cerebral white matter */
  ratio_percent: z.nullable(z.number()),
  lesion_count: z.number(),
  /** counted lesions, largest first; absent in results of earlier versions */
  lesions: z.optional(z.array(listedLesion)),
  /** counted lesions by site; absent where any lesion has no site */
  places: z.optional(z.array(lesionsAt)),
  is_low_confidence: z.boolean(),
  /** the volume is below 3 mL and cannot be distinguished from noise */
  is_minimal: z.boolean(),
  /** grade C: volumes are printed only with "not reliable", and no change is given */
  is_unreliable: z.optional(z.boolean()),
  /** source of the tissue classes used to find lesions; `flair`: no T1w series */
  tissue: z.enum(["t1", "flair"]),
});
export type LesionsAt = z.infer<typeof lesionsAt>;
export type WmhDetail = z.infer<typeof wmhDetail>;

/** Quality control of the engine; texts of the warnings are in model/text/quality.ts. */
const analysisQuality = z.object({
  grade: z.nullable(qualityGrade),
  warnings: z.array(z.string()),
});
export type AnalysisQuality = z.infer<typeof analysisQuality>;

/** Reason for missing thickness of a completed analysis: voxel size above 1.5 mm. */
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
  /** mask: 1 inside the dura, which bounds the ICV; absent in results of earlier versions */
  icv_mask_file: z.optional(z.nullable(z.string())),
  t2w_file: z.nullable(z.string()),
  t2w_mask_file: z.nullable(z.string()),
  /** labels and volumes of deep structures on a FLAIR without T1w; absent if not segmented */
  t2w_region_mask_file: z.optional(z.nullable(z.string())),
  flair_structures: z.optional(z.array(flairStructure)),
  /** addresses of the surface's arrays; each contains a content hash */
  surface_files: z.nullable(
    z.object({ verts: z.string(), faces: z.string(), normals: z.string(), values: z.string() }),
  ),
  wm: millilitres,
  wmh: millilitres,
  deep_wmh: millilitres,
  peri_wmh: millilitres,
  /** intracranial volume, mL */
  icv: millilitres,
  /** description of the heads on which the percentiles' error was measured */
  method_error_heads: z.optional(z.number()),
  /** thresholds at which bands begin, ascending: the user's setting, as in the report */
  threshold_list: z.optional(z.array(z.number()).check(z.minLength(1), z.maxLength(3))),
  /** local norms that adjust the published norms */
  local_norms: z.optional(localNormName),
  /** set when an analysis is complete but has no percentiles */
  norm_reason: z.nullable(normReason),
  aggregates: z.nullable(z.array(aggregate)),
  wmh_detail: z.nullable(wmhDetail),
  t1_quality: z.nullable(analysisQuality),
  t2_quality: z.nullable(analysisQuality),
});
export type Patient = z.infer<typeof patient>;

/** Query of `GET /patients/{pid}`; `row` omits the results. */
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
