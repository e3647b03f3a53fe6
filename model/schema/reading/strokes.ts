import * as z from "zod/mini";
import { patient } from "@/model/schema/studies/patients.ts";
import { isoInstant, seriesKind } from "@/model/schema/studies/study.ts";

/** Maximum number of runs per stroke, and of voxels in a volume. */
const MAX_RUNS = 20_000, MAX_VOXELS = 512 ** 3;
/** Maximum number of strokes that can be undone. */
export const MAX_STROKES = 2_000;

const voxel = z.int().check(z.gte(0), z.lt(MAX_VOXELS));

/**
 * Voxel runs on the viewer's grid, [first, count, first, count …], i fastest, and the new label.
 */
const strokeFields = {
  runs: z.array(voxel).check(z.minLength(2), z.maxLength(2 * MAX_RUNS)),
  /** new label value 0..104; for lesions 0 none, 1 periventricular, 2 deep */
  value: z.int().check(z.gte(0), z.lte(104)),
};

/** Body of `POST /patients/{pid}/strokes`. */
export const strokePost = z.object({ series: seriesKind, ...strokeFields }).check(
  z.refine(({ runs }) => runs.length % 2 === 0, "odd_runs"),
  z.refine(({ series, value }) => series === "t1" || value <= 2, "no_lesion"),
);
export type StrokePost = z.infer<typeof strokePost>;

/** Body of `POST /patients/{pid}/strokes/undo`, `…/redo` and `…/restore`. */
export const strokeSeries = z.object({ series: seriesKind });

/** A stored brush stroke of a correction. */
const stroke = z.object({
  id: z.number(),
  series: seriesKind,
  ...strokeFields,
  created_at: isoInstant,
  created_by: z.string(),
  is_undone: z.boolean(),
});
export type Stroke = z.infer<typeof stroke>;

/** Strokes on the study's current analyses, in the order in which users drew them. */
export const strokeList = z.object({ strokes: z.array(stroke) });
export type StrokeList = z.infer<typeof strokeList>;

/** Results recomputed from the corrected label maps. */
export const corrected = z.object({
  /** the stroke that was added, undone or redone; `null` without a stroke */
  stroke_id: z.nullable(z.number()),
  patient,
});
export type Corrected = z.infer<typeof corrected>;
