import * as z from "zod/mini";
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

/** Query of a report; every value is optional, the defaults are those of the settings. */
export const reportFilter = z.object({
  report_type: z.optional(seriesType),
  /** comma-joined codes; the Main Page comes anyway */
  page_list: z.optional(z.string().check(z.regex(/^(\d{1,4}(,\d{1,4}){0,9})?$/))),
  language: z.optional(z.enum(LANGUAGES)),
  anonymize: z.optional(z.enum(["true", "false"])),
  /** name of an opinion, or `none`; the figures suggest one by default */
  opinion: z.optional(z.string().check(z.regex(/^[a-z_]{1,20}$/))),
});
export type ReportFilter = z.infer<typeof reportFilter>;

const percentile = z.nullable(z.number());
const rank = z.nullable(percentileRank);
const millilitres = z.nullable(z.number());

/** Percentiles of the norms at one age, in the unit of the chart. */
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

/** Why a row of the Main Page has no figures, or figures that say little. */
const missingReason = z.enum([
  "flair_needed",
  "t1_needed",
  "not_measured",
  "voxels_too_large",
  "low_confidence",
  "minimal",
]);

/**
 * One row of the Main Page's table. Volumes in mL (2 decimals), percentiles 0..100 by age, sex and
 * ICV; the row of the thickness has mm instead of mL, and percentiles by age and sex.
 */
const mainRow = z.object({
  key: mainRowKey,
  volume_left: millilitres,
  volume_right: millilitres,
  volume_total: millilitres,
  /** percent of the intracranial volume */
  icv_percent: z.nullable(z.number()),
  np_left: percentile,
  np_right: percentile,
  np_total: percentile,
  /** the percentiles with the error of the method; bands begin at `threshold_list` */
  rank_left: rank,
  rank_right: rank,
  rank_total: rank,
  /** fluid: a high percentile is the one to look at */
  is_inverted: z.boolean(),
  /** how many of `threshold_list` the total is firmly beyond; `null` without a percentile */
  band: z.nullable(z.number()),
  missing: z.nullable(missingReason),
});
export type MainRow = z.infer<typeof mainRow>;

/**
 * A reference chart: the norms over age at the patient's sex and ICV, as this method measures them,
 * and the patient with an 80 % interval. Volumes in mL.
 */
const referenceChart = z.object({
  key: z.enum(["hippocampus", "lateral_ventricles"]),
  /** empty when there are no norms for this patient */
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

/** Changed lesions with pictures, at most. */
export const MOST_CHANGE_PICTURES = 4;
/** Studies at which each of them is shown. */
export const CHANGE_VISITS = ["before", "now"] as const;

/**
 * Pictures of a report: three planes with regions, the same of measured regions, both hippocampi,
 * the lines that widths and angle of the ventricles were read on, a FLAIR strip, changed lesions at
 * two studies.
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
]);
export type ImageKey = z.infer<typeof imageKey>;

/** A series as named in the report; `null` for attributes that its headers lack. */
const reportSeries = z.object({
  description: z.string(),
  manufacturer: z.nullable(z.string()),
  /** tesla */
  field_strength: z.nullable(z.number()),
  slices: z.nullable(z.number()),
  voxel_mm: z.nullable(z.tuple([z.number(), z.number(), z.number()])),
  /** by the headers or the name of the series; absent without */
  has_contrast_agent: z.optional(z.boolean()),
});
export type ReportSeries = z.infer<typeof reportSeries>;

/**
 * A grade of the visual scale of medial temporal atrophy (Scheltens 1992); entered by a physician.
 */
export const mtaGrade = z.nullable(z.int().check(z.gte(0), z.lte(4)));
/** Body of `PUT /patients/{pid}/mta`; `null` takes a grade back. */
export const mtaPut = z.object({ left: mtaGrade, right: mtaGrade });
export type MtaPut = z.infer<typeof mtaPut>;

const linearValue = z.nullable(z.object({ value: z.number(), low: z.number(), high: z.number() }));

/** One study of a patient, measured together with the others. */
const reportVisit = z.object({
  study_date: isoDate,
  pid: z.number(),
  /** acquired as the first visit; false also when a header cannot be read */
  same_protocol: z.boolean(),
  /** fields of the protocol that differ from the first visit's */
  protocol_differences: z.array(z.string()),
  /**
   * volumes in mL by region, sums by their keys (`model/norms/annual_change.ts`), thickness in mm
   */
  values: z.record(z.string(), z.number()),
  /**
   * from the first visit to this one; `null` for the first, below half a year, and within
   * measurement error, see `within_error`
   */
  annual_change_percent: z.record(z.string(), z.nullable(z.number())),
  /** keys with a change below the measurement error */
  within_error: z.array(z.string()),
});
export type ReportVisit = z.infer<typeof reportVisit>;

/** Contents of a printed report. Parts of pages without data are `null` or empty. */
export const reportResponse = z.object({
  pid: z.number(),
  /** `t2`: only a FLAIR series has been analysed */
  report_type: seriesType,
  language: z.enum(LANGUAGES),
  anonymized: z.boolean(),
  generated_at: isoInstant,
  /** of the site, in which instants are printed; UTC when it is absent */
  time_zone: z.optional(z.string()),
  product: z.string(),
  version: z.string(),
  cert_type: certType,
  hospital_name: z.string(),
  logo_url: z.nullable(z.string()),
  patient: z.object({
    patient_id: z.string(),
    patient_name: z.string(),
    /** whole years at the study date */
    patient_age: z.nullable(z.number()),
    patient_sex: z.nullable(sex),
    patient_birthdate: z.nullable(isoDate),
    study_date: z.nullable(isoDate),
    /** date of the images that replaces an empty Study Date; absent: none */
    study_date_source: z.optional(z.enum(["series", "acquisition"])),
  }),
  analysis_date: z.nullable(isoInstant),
  series: reportSeries,
  /** every analysed series with the end of its analysis */
  series_list: z.array(z.object({
    ...reportSeries.shape,
    type: z.enum(["t1", "t2"]),
    analysis_date: z.nullable(isoInstant),
  })),
  reference: z.object({
    name: z.string(),
    citation: z.string(),
    /** local norms that adjust the percentiles, by name */
    local_norms: z.optional(localNormName),
    age_min: z.number(),
    age_max: z.number(),
    in_range: z.boolean(),
    /**
     * data on which the error of the percentiles was measured, in the report's language; `null`
     * without percentiles
     */
    method_error: z.nullable(z.string()),
    /** number and description of those heads */
    method_error_heads: z.number(),
    method_error_sources: z.array(z.string()),
    /** why there are no percentiles; `null` when there are */
    reason: z.nullable(normReason),
    /** why volumes are compared by age and sex alone; absent where the ICV is taken into account */
    without_icv: z.optional(z.enum(["brain_extracted", "icv_beyond_norms"])),
    segmentation: z.string(),
  }),
  /** ascending percentiles, 1 to 3 of them */
  threshold_list: z.array(z.number()).check(z.minLength(1), z.maxLength(3)),
  /** chosen pages; the Main Page is always there and is not listed */
  page_list: z.array(z.number()),
  opinion: z.object({
    opinion_id: z.number(),
    message: z.string().check(z.maxLength(350)),
    /** the figures suggest it, no reader has chosen it: the pages print the conclusion instead */
    is_suggested: z.optional(z.boolean()),
  }),
  /** conclusion from all figures; absent in a report of an earlier version */
  conclusion: z.optional(conclusion),
  /** the physician's signed text; absent without one */
  signed_text: z.optional(signedText),
  /**
   * differences of the sides against their own norm; low percentiles: the left is the smaller side
   */
  asymmetries: z.optional(
    z.array(z.object({ part: z.string(), percent: z.number(), rank: percentileRank })),
  ),
  qc: z.object({
    snr: z.nullable(z.number()),
    grade: z.nullable(qualityGrade),
    /** codes of model/text/quality.ts; others are shown as they are */
    warnings: z.array(z.string()),
    /** brain without ventricles, percent of the ICV */
    brain_icv_percent: z.nullable(z.number()),
  }),
  /**
   * `volume` in mL, `null` when it was not measured; `np` by sex; `curve`: brain / ICV over age,
   * percent
   */
  icv: z.object({
    volume: z.nullable(z.number()),
    np: percentile,
    rank,
    curve: z.array(curvePoint),
  }),
  /** those of priority first, then in the order of the atlas */
  regions: z.array(regionData),
  /** `null` when the engine did not measure it */
  thickness: z.nullable(z.array(thicknessData)),
  aggregates: z.array(aggregate),
  main_page: z.object({ rows: z.array(mainRow), charts: z.array(referenceChart) }),
  /** deep structures of a FLAIR series alone; absent where they were not read */
  flair_structures: z.optional(z.array(flairStructure)),
  /**
   * distance from the norms, 0..100 (50: the middle); `null` without norms. Model:
   * `server/core/reports/service/report_score.ts`
   */
  atrophy_score: z.nullable(z.object({
    score: z.number(),
    /** how many of `threshold_list` it is firmly beyond */
    level: z.number(),
    /** 100 − score as a rank: `low` and `high` belong to it */
    rank: percentileRank,
    /**
     * `z` of left + right against age, sex and ICV without the method's bias, fluid with its own
     * sign
     */
    items: z.array(
      z.object({ brain_regions: z.string(), z: z.number(), np: percentile, rank: percentileRank }),
    ),
  })),
  /** lobes of the cortex: mL, z without the method's bias, asymmetry in percent */
  lobes: z.array(z.object({
    name: z.string(),
    volume_left: z.number(),
    volume_right: z.number(),
    z_left: z.nullable(z.number()),
    z_right: z.nullable(z.number()),
    asymmetry: z.nullable(z.number()),
  })),
  /** mL; `hoc_*`: hippocampus / (hippocampus + inferior lateral ventricle); asymmetry in percent */
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
    /** 80 % interval of each side's volume, mL */
    interval_left: z.nullable(z.tuple([z.number(), z.number()])),
    interval_right: z.nullable(z.tuple([z.number(), z.number()])),
    curve_left: z.array(curvePoint),
    curve_right: z.array(curvePoint),
  })),
  /**
   * widths and angle of the ventricles, rounded as printed: mm, a ratio (`evans`), degrees; `low`
   * and `high`: the range that small errors of borders and of the head's direction give. Absent of
   * grade C, in results of earlier versions and after a correction of the ventricles
   */
  linear: z.optional(z.object({
    evans: linearValue,
    frontal_horns: linearValue,
    inner_skull: linearValue,
    third_ventricle: linearValue,
    callosal_angle: linearValue,
  })),
  /**
   * entered by a physician, never derived from volumes. `cutoff`: lowest grade above the usual at
   * this age
   */
  mta: z.nullable(z.object({
    left: mtaGrade,
    right: mtaGrade,
    cutoff: z.nullable(z.number()),
    entered_by: z.nullable(z.string()),
    entered_at: z.nullable(isoInstant),
  })),
  /** mL; `null` without an analysed FLAIR series */
  wmh: z.nullable(z.object({
    total: z.number(),
    deep: z.number(),
    peri: z.number(),
    wm: z.number(),
    ratio_percent: z.nullable(z.number()),
    is_low_confidence: z.boolean(),
    is_minimal: z.boolean(),
    /** of grade C; absent otherwise */
    is_unreliable: z.optional(z.boolean()),
    /** as of the analysis; absent in a report of an earlier version */
    tissue: z.optional(z.enum(["t1", "flair"])),
    /** no norms are known for this measure */
    np: percentile,
    /**
     * how many lesions are counted, and each of them, the largest first; absent in results of
     * earlier versions
     */
    lesion_count: z.number(),
    lesions: z.optional(z.array(listedLesion)),
    /** the same lesions by their places; absent where a lesion has none */
    places: z.optional(z.array(lesionsAt)),
    /**
     * from the total volume, not from the pattern that the scale grades; `null` of a volume of low
     * confidence
     */
    fazekas_equivalent: z.nullable(
      z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    ),
  })),
  /** all comparable studies of the patient, oldest first; `null` without a comparison that holds */
  longitudinal: z.nullable(z.array(reportVisit)),
  /**
   * percentiles at the studies of `longitudinal`, each at the age then; absent where the norms do
   * not hold
   */
  trajectory: z.optional(z.array(z.object({
    pid: z.number(),
    study_date: isoDate,
    percentiles: z.record(z.string(), z.nullable(z.number())),
  }))),
  /** dates of studies that are not compared because their analysis has grade C */
  left_out_visits: z.optional(z.array(isoDate)),
  /**
   * smallest changes that are named, percent, from the site's own repeats; absent: the usual ones
   */
  change_limits: z.optional(
    z.object({ pairs: z.number(), percent: z.record(z.string(), z.number()) }),
  ),
  /**
   * FLAIR studies of the patient, oldest first, with the changes between them; absent without a
   * second one
   */
  flair_longitudinal: z.optional(z.object({
    visits: z.array(z.object({
      pid: z.number(),
      study_date: isoDate,
      /** mL */
      total: z.number(),
      peri: z.number(),
      deep: z.number(),
      ratio_percent: z.nullable(z.number()),
      lesion_count: z.number(),
      is_low_confidence: z.boolean(),
      /** of grade C; absent otherwise */
      is_unreliable: z.optional(z.boolean()),
      /** fields in which the acquisition differs from this study's */
      protocol_differences: z.array(z.string()),
    })),
    changes: lesionChangeList,
  })),
  /**
   * change of the middle of the norms a year at the patient's age, percent, by keys of
   * `longitudinal`
   */
  norm_change_percent: z.record(z.string(), z.number()),
  /** the readers' measurements, key images and corrections; absent without any */
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
    /** `key` names the picture in the PDF */
    images: z.array(z.object({
      key: z.string(),
      url: z.string(),
      note: z.string(),
      created_at: isoInstant,
      created_by: z.string(),
    })),
    /** the last stroke of each corrected series */
    corrections: z.array(z.object({
      series: seriesKind,
      at: isoInstant,
      by: z.string(),
      strokes: z.number(),
    })),
    /** studies of the comparison with corrections, which repeat the measurement */
    corrected_visits: z.array(z.number()),
  })),
  /** the structure that the main pictures pass through and outline; absent without one */
  outlined_place: z.optional(z.object({
    part: z.string(),
    side: z.enum(["L", "R", "both", ""]),
  })),
  images: z.array(
    z.object({
      key: imageKey,
      url: z.string(),
      /** place of the slice on its axis (+superior, +anterior, +right), mm */
      position_mm: z.number(),
    }),
  ),
});
export type ReportResponse = z.infer<typeof reportResponse>;

/** `v` names the picture's content: with it the picture can be kept for a year. */
export const reportImageQuery = z.object({ v: z.optional(z.string()) });
