import * as z from "zod/mini";
import { lesionPlace } from "@/model/schema/studies/patients.ts";
import { isoDate } from "@/model/schema/studies/study.ts";

/** Change of a lesion since the study before. */
const lesionChangeKind = z.enum(["new", "enlarging", "shrinking", "gone"]);
export type LesionChangeKind = z.infer<typeof lesionChangeKind>;

const point = z.tuple([z.number(), z.number(), z.number()]);

/** One lesion that changed. */
const lesionChange = z.object({
  /** from 0, the surest first */
  lesion: z.number(),
  kind: lesionChangeKind,
  /**
   * false: a possible one, hardly brighter than normal white matter, contradicted by its volumes,
   * outside of the lesion masks, or of a result of grade C
   */
  is_sure: z.boolean(),
  /**
   * mL with 2 decimals: before + changed = after; `null` where either study's result is of grade C
   */
  changed_ml: z.nullable(z.number()),
  /** of the lesion mask at each study; 0: outside of the mask */
  before_ml: z.number(),
  after_ml: z.number(),
  /** its numbers in this study's list of lesions, from 1; absent in messages of earlier versions */
  listed: z.optional(z.array(z.number())),
  /** on the images of this study */
  centre_ras_mm: point,
  /** where it changed, the surest place first; absent when it did at one place */
  places_ras_mm: z.optional(z.array(point)),
  /**
   * label of the structure that contains it, or of the cortex nearest to it; absent without a label
   * map
   */
  near_label: z.optional(z.number()),
  /** absent without a label map, and in comparisons of earlier versions */
  place: z.optional(lesionPlace),
  /** verdict of a reader; `null`: none yet */
  is_confirmed: z.nullable(z.boolean()),
  decided_at: z.nullable(z.string()),
  decided_by: z.string(),
});
export type LesionChange = z.infer<typeof lesionChange>;

/**
 * The FLAIR series of a study and of the one before it, compared; `null` where there is nothing to
 * compare.
 */
export const lesionChangeList = z.object({
  prior: z.nullable(z.object({ pid: z.number(), study_date: isoDate })),
  /** `none`: no study before; `waiting`, `failed`: not compared */
  state: z.enum(["none", "waiting", "failed", "compared"]),
  /** lesions that the analyses of the study before and of this one list; absent without either */
  counted: z.optional(z.object({ before: z.number(), after: z.number() })),
  /** whether volumes of the study before, or of this one, are of grade C; absent otherwise */
  is_prior_unreliable: z.optional(z.boolean()),
  is_current_unreliable: z.optional(z.boolean()),
  lesions: z.array(lesionChange),
});
export type LesionChangeList = z.infer<typeof lesionChangeList>;

/** A reader's verdict; `null` takes it back. */
export const lesionVerdictPut = z.strictObject({ is_confirmed: z.nullable(z.boolean()) });
export type LesionVerdictPut = z.infer<typeof lesionVerdictPut>;
