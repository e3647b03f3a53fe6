import * as z from "zod/mini";
import { otherPersonVisit } from "@/model/schema/reading/comparables.ts";
import { lesionChangeList } from "@/model/schema/reading/lesion_changes.ts";
import {
  measuredPlane,
  measurementKind,
  pixelStatistics,
} from "@/model/schema/reading/measurements.ts";
import {
  certType,
  isoDate,
  isoInstant,
  localNormName,
  seriesKind,
  seriesType,
  sex,
} from "@/model/schema/studies/study.ts";
import {
  aggregate,
  lesionsAt,
  listedLesion,
  normReason,
  qualityGrade,
  regionData,
  thicknessData,
} from "@/model/schema/studies/patients.ts";
import { flairStructure } from "@/model/schema/studies/flair_structure.ts";
import { conclusion } from "@/model/schema/report/finding.ts";
import { signedText } from "@/model/schema/report/report_text.ts";
import { percentileRank } from "@/model/schema/report/percentile_rank.ts";
import { LANGUAGES } from "@/model/text.ts";

/** Query of a report. All values are optional; defaults come from the user's settings. */
export const reportFilter = z.object({
  report_type: z.optional(seriesType),
  /** comma-separated page codes; the Main Page is always included */
  page_list: z.optional(z.string().check(z.regex(/^(\d{1,4}(,\d{1,4}){0,9})?$/))),
  language: z.optional(z.enum(LANGUAGES)),
  anonymize: z.optional(z.enum(["true", "false"])),
  /** key of an opinion, or `none`; by default the opinion that the results suggest */
  opinion: z.optional(z.string().check(z.regex(/^[a-z_]{1,20}$/))),
});
export type ReportFilter = z.infer<typeof reportFilter>;

const percentile = z.nullable(z.number());
const rank = z.nullable(percentileRank);
const millilitres = z.nullable(z.number());

/** Percentiles of the norms at one age, in the chart's unit. */
const curvePoint = z.object({
  age: z.number(),
  p5: z.number(),
  p25: z.number(),
  p50: z.number(),
  p75: z.number(),
  p95: z.number(),
});
export type CurvePoint = z.infer<typeof curvePoint>;

const mainRowKey = z.enum([
  "icv",
  "brain",
  "cortex",
  "white_matter",
  "hippocampus",
  "amygdala",
  "thalamus",
  "lateral_ventricles",
  "wmh",
  "thickness",
]);
export type MainRowKey = z.infer<typeof mainRowKey>;

/** Why a row of the Main Page has no values, or values of little meaning. */
const missingReason = z.enum([
  "flair_needed",
  "t1_needed",
  "not_measured",
  "voxels_too_large",
  "low_confidence",
  "minimal",
]);

/**
 * One row of the Main Page's table. Volumes in mL, percentiles 0..100 by age, sex and ICV.
 * The thickness row is in mm, with percentiles by age and sex.
 */
const mainRow = z.object({
  key: mainRowKey,
  volume_left: millilitres,
  volume_right: millilitres,
  volume_total: millilitres,
  /** total volume in percent of the intracranial volume */
  icv_percent: z.nullable(z.number()),
  np_left: percentile,
  np_right: percentile,
  np_total: percentile,
  /** ranks with the measurement error; bands begin at `threshold_list` */
  rank_left: rank,
  rank_right: rank,
  rank_total: rank,
  /** whether the row is fluid, of which high percentiles are abnormal */
  is_inverted: z.boolean(),
  /**
   * number of `threshold_list` entries that the total is firmly beyond; `null` without a percentile
   */
  band: z.nullable(z.number()),
  missing: z.nullable(missingReason),
});
export type MainRow = z.infer<typeof mainRow>;

/**
 * A reference chart: norms over age at the patient's sex and ICV, adjusted to this method,
 * and the patient's value with the 80 % interval. Volumes in mL.
 */
const referenceChart = z.object({
  key: z.enum(["hippocampus", "lateral_ventricles"]),
  /** curve points by age; empty when there are no norms for this patient */
  curve: z.array(curvePoint),
  volume: z.number(),
  low: millilitres,
  high: millilitres,
  np: percentile,
  rank,
  is_inverted: z.boolean(),
});
export type ReferenceChart = z.infer<typeof referenceChart>;

export const planeKey = z.enum(["axial", "coronal", "sagittal"]);
export type PlaneKey = z.infer<typeof planeKey>;

/** Maximum number of changed lesions with pictures in the report. */
export const MOST_CHANGE_PICTURES = 12;
/** Number of studies in which the report shows each changed lesion. */
export const CHANGE_VISITS = ["before", "now"] as const;

/**
 * Pictures of a report: three planes with regions, three planes with measured regions, both
 * hippocampi, the lines on which the ventricle widths and angle were measured, a FLAIR strip,
 * and changed lesions at two studies.
 */
export const imageKey = z.enum([
  ...planeKey.options,
  "mask_axial",
  "mask_coronal",
  "mask_sagittal",
  "hippocampi_plain",
  "hippocampi",
  "width_horns",
  "width_third",
  "width_callosal",
  "flair_1_plain",
  "flair_1",
  "flair_2_plain",
  "flair_2",
  "flair_3_plain",
  "flair_3",
  "flair_4_plain",
  "flair_4",
  "change_1_before",
  "change_1_now",
  "change_2_before",
  "change_2_now",
  "change_3_before",
  "change_3_now",
  "change_4_before",
  "change_4_now",
  "change_5_before",
  "change_5_now",
  "change_6_before",
  "change_6_now",
  "change_7_before",
  "change_7_now",
  "change_8_before",
  "change_8_now",
  "change_9_before",
  "change_9_now",
  "change_10_before",
  "change_10_now",
  "change_11_before",
  "change_11_now",
  "change_12_before",
  "change_12_now",
]);
export type ImageKey = z.infer<typeof imageKey>;

/** A series as described in the report; `null` for attributes that the headers lack. */
const reportSeries = z.object({
  description: z.string(),
  manufacturer: z.nullable(z.string()),
  /** field strength of the scanner, tesla */
  field_strength: z.nullable(z.number()),
  slices: z.nullable(z.number()),
  voxel_mm: z.nullable(z.tuple([z.number(), z.number(), z.number()])),
  /** contrast agent stated in the headers or the series name; absent if neither says */
  has_contrast_agent: z.optional(z.boolean()),
});
export type ReportSeries = z.infer<typeof reportSeries>;

/**
 * A grade of medial temporal atrophy on the visual scale (Scheltens 1992), entered by a physician.
 */
export const mtaGrade = z.nullable(z.int().check(z.gte(0), z.lte(4)));
/** Body of `PUT /patients/{pid}/mta`; `null` deletes a grade. */
export const mtaPut = z.object({ left: mtaGrade, right: mtaGrade });
export type MtaPut = z.infer<typeof mtaPut>;

const linearValue = z.nullable(z.object({ value: z.number(), low: z.number(), high: z.number() }));

/** One study of a longitudinal comparison. */
const reportVisit = z.object({
  study_date: isoDate,
  pid: z.number(),
  /** whether acquired like the first visit; false also for an unreadable header */
  same_protocol: z.boolean(),
  /** acquisition parameters that differ from the first visit's */
  protocol_differences: z.array(z.string()),
  /** volumes in mL by region or aggregate (`model/norms/annual_change.ts`), thickness in mm */
  values: z.record(z.string(), z.number()),
  /**
   * annual change from the first visit to this visit; `null` for the first visit, in less than half
   * a year, and below the measurement error (see `within_error`)
   */
  annual_change_percent: z.record(z.string(), z.nullable(z.number())),
  /** keys of measures with a change below the measurement error */
  within_error: z.array(z.string()),
});
export type ReportVisit = z.infer<typeof reportVisit>;

/** Contents of a printed report. Missing parts are `null` or empty. */
export const reportResponse = z.object({
  pid: z.number(),
  /** report type; `t2`: only a FLAIR series has been analysed */
  report_type: seriesType,
  language: z.enum(LANGUAGES),
  anonymized: z.boolean(),
  generated_at: isoInstant,
  /** time zone of the site, in which instants are printed; absent: UTC */
  time_zone: z.optional(z.string()),
  product: z.string(),
  version: z.string(),
  cert_type: certType,
  hospital_name: z.string(),
  logo_url: z.nullable(z.string()),
  patient: z.object({
    patient_id: z.string(),
    patient_name: z.string(),
    /** age in whole years at the study date */
    patient_age: z.nullable(z.number()),
    patient_sex: z.nullable(sex),
    patient_birthdate: z.nullable(isoDate),
    study_date: z.nullable(isoDate),
    /** source of the date that replaces an empty Study Date; absent: Study Date itself */
    study_date_source: z.optional(z.enum(["series", "acquisition"])),
  }),
  analysis_date: z.nullable(isoInstant),
  series: reportSeries,
  /** all analysed series, with the time when each analysis ended */
  series_list: z.array(z.object({
    ...reportSeries.shape,
    type: z.enum(["t1", "t2"]),
    analysis_date: z.nullable(isoInstant),
  })),
  reference: z.object({
    name: z.string(),
    citation: z.string(),
    /** names of the local norms that adjust the percentiles */
    local_norms: z.optional(localNormName),
    age_min: z.number(),
    age_max: z.number(),
    in_range: z.boolean(),
    /**
     * data on which the percentiles' error was measured, in the report's language
     * `null` without percentiles
     */
    method_error: z.nullable(z.string()),
    /** number and description of the heads used to measure the error */
    method_error_heads: z.number(),
    method_error_sources: z.array(z.string()),
    /** reason for missing percentiles; `null` with percentiles */
    reason: z.nullable(normReason),
    /** reason for comparing volumes by age and sex only; absent where the ICV is used */
    without_icv: z.optional(z.enum(["brain_extracted", "icv_beyond_norms"])),
    segmentation: z.string(),
  }),
  /** thresholds: 1 to 3 ascending percentiles */
  threshold_list: z.array(z.number()).check(z.minLength(1), z.maxLength(3)),
  /** chosen pages, without the Main Page, which is always included */
  page_list: z.array(z.number()),
  opinion: z.object({
    opinion_id: z.number(),
    message: z.string().check(z.maxLength(350)),
    /** true: suggested by the results, not chosen by a user; `conclusion` is printed instead */
    is_suggested: z.optional(z.boolean()),
  }),
  /** conclusion from all results; absent in reports of earlier versions */
  conclusion: z.optional(conclusion),
  /** text signed by a physician; absent without one */
  signed_text: z.optional(signedText),
  /** left-right differences with norms of differences; low percentiles: the left side is smaller */
  asymmetries: z.optional(
    z.array(z.object({ part: z.string(), percent: z.number(), rank: percentileRank })),
  ),
  qc: z.object({
    snr: z.nullable(z.number()),
    grade: z.nullable(qualityGrade),
    /** warning codes of model/text/quality.ts; unknown codes are shown as they are */
    warnings: z.array(z.string()),
    /** brain volume without ventricles, percent of the ICV */
    brain_icv_percent: z.nullable(z.number()),
  }),
  /**
   * `volume` in mL, `null` if not measured; `np`: percentile by sex
   * `curve`: brain / ICV over age, percent
   */
  icv: z.object({
    volume: z.nullable(z.number()),
    np: percentile,
    rank,
    curve: z.array(curvePoint),
    /** true: the volume is implausible, so no percentages of it are printed; absent otherwise */
    is_implausible: z.optional(z.literal(true)),
    /** false: pictures of an earlier version, without the outline of the ICV; absent otherwise */
    has_outline: z.optional(z.boolean()),
  }),
  /** regions: priority parts first, then in the order of the atlas */
  regions: z.array(regionData),
  /** cortical thickness by region; `null` if the engine did not measure thickness */
  thickness: z.nullable(z.array(thicknessData)),
  aggregates: z.array(aggregate),
  main_page: z.object({ rows: z.array(mainRow), charts: z.array(referenceChart) }),
  /** deep structures measured on a FLAIR series alone; absent otherwise */
  flair_structures: z.optional(z.array(flairStructure)),
  /**
   * Atrophy Score: distance from the norms, 0..100 (50: the median); `null` without norms. Model:
   * `server/core/reports/service/report_score.ts`
   */
  atrophy_score: z.nullable(z.object({
    score: z.number(),
    /** number of `threshold_list` entries that the score is firmly beyond */
    level: z.number(),
    /** 100 − score as a rank, with the interval `low` to `high` */
    rank: percentileRank,
    /**
     * `z` of left + right against age, sex and ICV, bias removed
     * the sign is not inverted for fluid
     */
    items: z.array(
      z.object({ brain_regions: z.string(), z: z.number(), np: percentile, rank: percentileRank }),
    ),
  })),
  /** lobes of the cortex: volume in mL, z with bias removed, asymmetry in percent */
  lobes: z.array(z.object({
    name: z.string(),
    volume_left: z.number(),
    volume_right: z.number(),
    z_left: z.nullable(z.number()),
    z_right: z.nullable(z.number()),
    asymmetry: z.nullable(z.number()),
  })),
  /**
   * volumes in mL; asymmetry in percent
   * `hoc_*`: hippocampus / (hippocampus + inferior lateral ventricle)
   */
  hippocampus: z.nullable(z.object({
    left: z.number(),
    right: z.number(),
    inf_lat_vent_left: z.number(),
    inf_lat_vent_right: z.number(),
    hoc_left: z.nullable(z.number()),
    hoc_right: z.nullable(z.number()),
    asymmetry: z.nullable(z.number()),
    np_left: percentile,
    np_right: percentile,
    rank_left: rank,
    rank_right: rank,
    /** 80 % interval of the volume of each side, mL */
    interval_left: z.nullable(z.tuple([z.number(), z.number()])),
    interval_right: z.nullable(z.tuple([z.number(), z.number()])),
    curve_left: z.array(curvePoint),
    curve_right: z.array(curvePoint),
  })),
  /**
   * Widths and angle of the ventricles, rounded as printed: mm, a ratio (`evans`), degrees.
   * `low` and `high`: range under small errors of borders and head orientation.
   * Absent for grade C, in results of earlier versions, and after a correction of the ventricles.
   */
  linear: z.optional(z.object({
    evans: linearValue,
    frontal_horns: linearValue,
    inner_skull: linearValue,
    third_ventricle: linearValue,
    callosal_angle: linearValue,
  })),
  /**
   * MTA grades entered by a physician, never derived from volumes.
   * `cutoff`: lowest abnormal grade at this age.
   */
  mta: z.nullable(z.object({
    left: mtaGrade,
    right: mtaGrade,
    cutoff: z.nullable(z.number()),
    entered_by: z.nullable(z.string()),
    entered_at: z.nullable(isoInstant),
  })),
  /** lesion volumes in mL; `null` without an analysed FLAIR series */
  wmh: z.nullable(z.object({
    total: z.number(),
    deep: z.number(),
    peri: z.number(),
    wm: z.number(),
    ratio_percent: z.nullable(z.number()),
    is_low_confidence: z.boolean(),
    is_minimal: z.boolean(),
    /** true: the results have grade C; absent otherwise */
    is_unreliable: z.optional(z.boolean()),
    /** tissue source at the analysis; absent in reports of earlier versions */
    tissue: z.optional(z.enum(["t1", "flair"])),
    /** always `null`: there are no norms for lesions */
    np: percentile,
    /**
     * number of counted lesions, and the list, largest first; absent in results of earlier versions
     */
    lesion_count: z.number(),
    lesions: z.optional(z.array(listedLesion)),
    /** counted lesions by site; absent where any lesion has no site */
    places: z.optional(z.array(lesionsAt)),
    /** Fazekas grade by total volume, not by the visual pattern; `null` for low confidence */
    fazekas_equivalent: z.nullable(
      z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    ),
  })),
  /** all comparable studies of the patient, oldest first; `null` without a valid comparison */
  longitudinal: z.nullable(z.array(reportVisit)),
  /**
   * percentiles at each study of `longitudinal`, by the age at that study; absent outside the norms
   */
  trajectory: z.optional(z.array(z.object({
    pid: z.number(),
    study_date: isoDate,
    percentiles: z.record(z.string(), z.nullable(z.number())),
    /** whether the percentiles of this study are withheld because of the study's scanner */
    is_stopped: z.optional(z.literal(true)),
    /** with `is_stopped`: the header of this study has not been read yet */
    is_unread: z.optional(z.literal(true)),
    /** with `is_stopped`: two people have refused percentiles of the scanner of this study */
    is_refused: z.optional(z.literal(true)),
    /** the scanner of this study is not accepted for percentiles */
    is_provisional: z.optional(z.literal(true)),
  }))),
  /** dates of studies that are not compared because their analysis has grade C */
  left_out_visits: z.optional(z.array(isoDate)),
  /** analysed studies with this patient ID that may be of another person, oldest first */
  other_person_visits: z.optional(z.array(otherPersonVisit)),
  /** smallest reported changes, percent, from the site's repeated scans; absent: default limits */
  change_limits: z.optional(
    z.object({ pairs: z.number(), percent: z.record(z.string(), z.number()) }),
  ),
  /**
   * FLAIR studies of the patient, oldest first, with the changes between the studies
   * absent for a single study
   */
  flair_longitudinal: z.optional(z.object({
    visits: z.array(z.object({
      pid: z.number(),
      study_date: isoDate,
      /** lesion volumes at this visit, mL */
      total: z.number(),
      peri: z.number(),
      deep: z.number(),
      ratio_percent: z.nullable(z.number()),
      lesion_count: z.number(),
      is_low_confidence: z.boolean(),
      /** true: the results of that study have grade C; absent otherwise */
      is_unreliable: z.optional(z.boolean()),
      /** acquisition parameters that differ from this study's */
      protocol_differences: z.array(z.string()),
      /** whether acquisition data of this or the reported study are unreadable; absent otherwise */
      is_acquisition_unknown: z.optional(z.boolean()),
      /** lesions measured in another way than in this study; absent otherwise */
      is_other_method: z.optional(z.boolean()),
    })),
    changes: lesionChangeList,
  })),
  /** annual change of the norms' median at the patient's age, percent, by keys of `longitudinal` */
  norm_change_percent: z.record(z.string(), z.number()),
  /** measurements, key images and corrections of users; absent without any */
  findings: z.optional(z.object({
    measurements: z.array(z.object({
      id: z.number(),
      kind: measurementKind,
      series: seriesKind,
      plane: measuredPlane,
      points_mm: z.array(z.number()),
      statistics: z.nullable(pixelStatistics),
      note: z.string(),
      created_at: isoInstant,
      created_by: z.string(),
    })),
    /** `key` names the image in the PDF */
    images: z.array(z.object({
      key: z.string(),
      url: z.string(),
      note: z.string(),
      created_at: isoInstant,
      created_by: z.string(),
    })),
    /** the last correction stroke of each corrected series */
    corrections: z.array(z.object({
      series: seriesKind,
      at: isoInstant,
      by: z.string(),
      strokes: z.number(),
    })),
    /** studies of the comparison with corrected results; the report notes them */
    corrected_visits: z.array(z.number()),
  })),
  /** structure that the main pictures pass through and outline; absent without one */
  outlined_place: z.optional(z.object({
    part: z.string(),
    side: z.enum(["L", "R", "both", ""]),
  })),
  images: z.array(
    z.object({
      key: imageKey,
      url: z.string(),
      /** position of the slice on its axis (+superior, +anterior, +right), mm */
      position_mm: z.number(),
    }),
  ),
});
export type ReportResponse = z.infer<typeof reportResponse>;

/** Query of a picture; `v` is a hash of its content, which allows caching for a year. */
export const reportImageQuery = z.object({ v: z.optional(z.string()) });
