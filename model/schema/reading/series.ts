import * as z from "zod/mini";
import { seriesKind } from "@/model/schema/studies/study.ts";

const windowLevel = z.object({ width: z.number().check(z.gt(0)), level: z.number() });

/** Rescaling of the viewer's bytes to stored values: value = intercept + slope · byte. */
export const displayScale = z.object({
  slope: z.number().check(z.gt(0)),
  intercept: z.number(),
  /** first window (width and level) in the series' headers; `null` without one */
  window: z.nullable(windowLevel),
});
export type DisplayScale = z.infer<typeof displayScale>;

/** Stored volume of a series. */
const seriesVolume = z.object({
  /** shape of the volume, [nx, ny, nz], as stored */
  shape: z.tuple([z.number(), z.number(), z.number()]),
  /** RAS mm of the viewer's images from voxel index, 16 numbers row-major */
  affine: z.array(z.number()).check(z.length(16)),
  window: z.nullable(windowLevel),
  /** address of the volume: NIfTI-1, gzip */
  volume_url: z.string(),
});
export type SeriesVolume = z.infer<typeof seriesVolume>;

/** An accepted series of a study, analysed or not. */
const studySeries = z.extend(seriesVolume, {
  id: z.number(),
  kind: seriesKind,
  description: z.string(),
  /** whether this is the most recently analysed series of its kind (T1w or FLAIR) */
  is_analysed: z.boolean(),
  files: z.number(),
});
export type StudySeries = z.infer<typeof studySeries>;

/** A series that was uploaded with the study and refused. */
const refusedSeries = z.object({
  description: z.string(),
  files: z.number(),
  /** reason of the refusal: key of model/text/worklist/upload.ts, and the text's parameters */
  reason: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  /** volume of the series for viewing; `null` if none was stored */
  volume: z._default(z.nullable(seriesVolume), null),
});
export type RefusedSeries = z.infer<typeof refusedSeries>;

export const studySeriesList = z.object({
  series: z.array(studySeries),
  refused: z._default(z.array(refusedSeries), []),
});
export type StudySeriesList = z.infer<typeof studySeriesList>;

/** Query of a series volume; `v` is the start of the file's hash. */
export const seriesVolumeQuery = z.object({ v: z._default(z.string(), "") });
