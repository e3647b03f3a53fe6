import * as z from "zod/mini";
import { seriesKind } from "@/model/schema/studies/study.ts";

const windowLevel = z.object({ width: z.number().check(z.gt(0)), level: z.number() });

/** How a stored value follows from the viewer's byte: value = intercept + slope · byte. */
export const displayScale = z.object({
  slope: z.number().check(z.gt(0)),
  intercept: z.number(),
  /** the first window of the series' headers; `null` when they have none */
  window: z.nullable(windowLevel),
});
export type DisplayScale = z.infer<typeof displayScale>;

/** The volume of a series. */
const seriesVolume = z.object({
  /** [nx, ny, nz] as stored */
  shape: z.tuple([z.number(), z.number(), z.number()]),
  /** RAS mm of the viewer's images from voxel index, 16 numbers row-major */
  affine: z.array(z.number()).check(z.length(16)),
  window: z.nullable(windowLevel),
  /** address of the volume: NIfTI-1, gzip */
  volume_url: z.string(),
});
export type SeriesVolume = z.infer<typeof seriesVolume>;

/** A series of a study that was taken, analysed or not. */
const studySeries = z.extend(seriesVolume, {
  id: z.number(),
  kind: seriesKind,
  description: z.string(),
  /** the one that was analysed last of its kind */
  is_analysed: z.boolean(),
  files: z.number(),
});
export type StudySeries = z.infer<typeof studySeries>;

/** A series that was sent with the study and not taken. */
const refusedSeries = z.object({
  description: z.string(),
  files: z.number(),
  /** key of model/text/worklist/upload.ts, with the values of its text */
  reason: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  /** its viewing copy */
  volume: z._default(z.nullable(seriesVolume), null),
});
export type RefusedSeries = z.infer<typeof refusedSeries>;

export const studySeriesList = z.object({
  series: z.array(studySeries),
  refused: z._default(z.array(refusedSeries), []),
});
export type StudySeriesList = z.infer<typeof studySeriesList>;

/** `v` is the start of the file's hash. */
export const seriesVolumeQuery = z.object({ v: z._default(z.string(), "") });
