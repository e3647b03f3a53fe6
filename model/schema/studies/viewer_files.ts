// Files and values that the viewer requests in addition to a patient's record.
import * as z from "zod/mini";
import { displayScale } from "@/model/schema/reading/series.ts";

/** Grid of the viewer files of one patient. */
export const viewerVolume = z.object({
  /** affine from voxel index to RAS mm, 16 numbers row-major */
  affine: z.array(z.number()).check(z.length(16)),
  shape: z.tuple([z.number(), z.number(), z.number()]),
  spacing_mm: z.tuple([z.number(), z.number(), z.number()]),
  /**
   * rescaling from the viewer's bytes to the series' original values;
   * `null`: unknown; absent from servers of other makers
   */
  scales: z.optional(z.object({ t1: z.nullable(displayScale), t2: z.nullable(displayScale) })),
});
export type ViewerVolume = z.infer<typeof viewerVolume>;

export const viewerFile = z.enum([
  "t1w_file",
  "t1w_mask_file",
  "thick_mask_file",
  "t1w_np_mask_file",
  "icv_mask_file",
  "t2w_file",
  "t2w_mask_file",
  "t2w_region_mask_file",
]);
export type ViewerFile = z.infer<typeof viewerFile>;

/** Arrays of the brain's surface mesh. */
export const surfaceFile = z.enum(["verts", "faces", "normals", "values"]);
export type SurfaceFile = z.infer<typeof surfaceFile>;

/** Query of a viewer file; without `file`, the answer is the study's image (D2 §7). */
export const viewerFileQuery = z.object({
  file: z.optional(viewerFile),
  v: z.optional(z.string()),
  /** first and last slice of a volume's slowest axis; the answer is the NPY file of these slices alone */
  slices: z.optional(z.string().check(z.regex(/^\d{1,5}-\d{1,5}$/))),
});

/**
 * Header of a response to `slices`: the slices in it and the number of slices of the volume,
 * as "16-31/256". Without this header the response is the whole volume, as from earlier servers.
 */
export const SLICES_HEADER = "slices";

export const surfaceFileQuery = z.object({ pid: z.string(), v: z.optional(z.string()) });
