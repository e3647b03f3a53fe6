import * as z from "zod/mini";
import { lesionPlace } from "@/model/schema/studies/patients.ts";
import { isoDate } from "@/model/schema/studies/study.ts";

/** Change of a lesion since the previous study. */
const lesionChangeKind = z.enum(["new", "enlarging", "shrinking", "gone"]);
export type LesionChangeKind = z.infer<typeof lesionChangeKind>;

const point = z.tuple([z.number(), z.number(), z.number()]);

/** One lesion that changed since the previous study. */
const lesionChange = z.object({
  /** index from 0, by decreasing confidence */
  lesion: z.number(),
  kind: lesionChangeKind,
  /**
   * false: only possible, since the lesion is hardly brighter than normal white matter,
   * contradicted by the volumes, outside the lesion masks, or from a result of grade C
   */
  is_sure: z.boolean(),
  /**
   * change of the volume in mL, 2 decimals: before + changed = after;
   * `null` if either result is of grade C, or was measured in another way
   */
  changed_ml: z.nullable(z.number()),
  /** volume in the lesion mask of each study, mL; 0: outside the mask */
  before_ml: z.number(),
  after_ml: z.number(),
  /** numbers of the lesion in this study's lesion list, from 1; absent in earlier versions */
  listed: z.optional(z.array(z.number())),
  /** centre of the lesion on this study's images, RAS mm */
  centre_ras_mm: point,
  /** positions of the change by decreasing confidence; absent for a single position */
  places_ras_mm: z.optional(z.array(point)),
  /**
   * label of the structure that contains the lesion, or of the nearest cortex
   * absent without a label map
   */
  near_label: z.optional(z.number()),
  /** location of the lesion; absent without a label map, and in comparisons of earlier versions */
  place: z.optional(lesionPlace),
  /** verdict of a user; `null`: not judged */
  is_confirmed: z.nullable(z.boolean()),
  decided_at: z.nullable(z.string()),
  decided_by: z.string(),
});
export type LesionChange = z.infer<typeof lesionChange>;

/**
 * Comparison of the FLAIR series of a study with that of the previous study.
 * `null` if either series is missing.
 */
export const lesionChangeList = z.object({
  prior: z.nullable(z.object({ pid: z.number(), study_date: isoDate })),
  /** `none`: no previous study; `waiting`, `failed`: not compared */
  state: z.enum(["none", "waiting", "failed", "compared"]),
  /**
   * number of listed lesions in the previous study and in this one; absent when either is unknown
   */
  counted: z.optional(z.object({ before: z.number(), after: z.number() })),
  /** whether the volumes of the previous or of this study are of grade C; absent otherwise */
  is_prior_unreliable: z.optional(z.boolean()),
  is_current_unreliable: z.optional(z.boolean()),
  /**
   * whether the volumes of the two studies were measured in different ways: by other versions of
   * the engine, or with and without a T1w series; absent otherwise
   */
  is_other_method: z.optional(z.boolean()),
  lesions: z.array(lesionChange),
});
export type LesionChangeList = z.infer<typeof lesionChangeList>;

/** Request with a user's verdict on a changed lesion; `null` withdraws the verdict. */
export const lesionVerdictPut = z.strictObject({ is_confirmed: z.nullable(z.boolean()) });
export type LesionVerdictPut = z.infer<typeof lesionVerdictPut>;
