import { region_voxels, value_statistics } from "@/wasm/pkg/reading/bind_reading.js";
import { rowMajor } from "@/model/geometry.ts";
import { IN_PLANE } from "@/model/regions/measured_shape.ts";
import { affineRow, type Grid } from "@/viewer/grid.ts";
import type { OriginalVolume } from "@/viewer/reading/original_volume.ts";
import { throughAxis } from "@/viewer/scene.ts";
import type { PixelStatistics } from "@/model/schema/reading/measurements.ts";
import type { Measurement } from "@/viewer/slices/marks/measure.ts";

/** Index that marks a pixel outside the volume. */
const OUTSIDE = 2 ** 32 - 1;
const KINDS = ["ellipse", "rectangle", "freehand"];

/**
 * Index range of the grid's voxels around a region on the region's slice.
 * Three voxel indices for the low end and three for the high end; `null` outside the grid.
 */
function rangeOf({ kind, plane, pointsMm }: Measurement, grid: Grid): Uint32Array | null {
  const [a, b] = IN_PLANE[plane], through = grid.voxelAxis[throughAxis[plane]]!;
  // all four corners of a box are used: on an oblique grid each corner may be the outermost
  const corners = kind === "freehand" ? [] : [0, 1, 2, 3].map((n) => {
    const corner = pointsMm.slice(0, 3);
    if (n & 1) corner[a] = pointsMm[3 + a]!;
    if (n & 2) corner[b] = pointsMm[3 + b]!;
    return corner;
  });
  for (let at = 0; at < pointsMm.length; at += 3) corners.push(pointsMm.slice(at, at + 3));
  const range = new Uint32Array(6);
  for (let axis = 0; axis < 3; axis++) {
    const places = corners.map((corner) => affineRow(grid.ijkFromRas, axis, corner));
    const slice = Math.floor(affineRow(grid.ijkFromRas, axis, pointsMm) + 0.5);
    const first = axis === through ? slice : Math.floor(Math.min(...places));
    const last = axis === through ? slice : Math.ceil(Math.max(...places));
    if (last < 0 || first >= grid.shape[axis]!) return null;
    range[axis] = Math.max(0, first);
    range[3 + axis] = Math.min(grid.shape[axis]! - 1, last);
  }
  return range;
}

/**
 * Indices of a volume's voxels at a region's pixels: voxels of the displayed slice with the centre
 * inside the region; 2^32 − 1 outside the volume. Call `startReading` first.
 */
export function regionVoxels(
  measurement: Measurement,
  grid: Grid,
  { ijkFromRas, shape }: Pick<OriginalVolume, "ijkFromRas" | "shape">,
): Uint32Array {
  const range = rangeOf(measurement, grid),
    { plane, pointsMm } = measurement,
    [a, b] = IN_PLANE[plane];
  if (!range) return new Uint32Array();
  const places = new Float64Array(pointsMm.length / 3 * 2);
  for (let n = 0; n < places.length / 2; n++) {
    places.set([pointsMm[3 * n + a]!, pointsMm[3 * n + b]!], 2 * n);
  }
  return region_voxels(
    KINDS.indexOf(measurement.kind),
    places,
    Uint32Array.of(a, b),
    Float64Array.from(rowMajor(grid.rasFromIjk).slice(0, 12)),
    range,
    Float64Array.from(rowMajor(ijkFromRas).slice(0, 12)),
    Uint32Array.from(shape),
  );
}

/**
 * Mean and SD of a region's pixels in original values;
 * `null` without pixels. Call `startReading` first.
 */
export function statisticsOf(
  measurement: Measurement,
  grid: Grid,
  volume: OriginalVolume,
): PixelStatistics | null {
  const { voxels, slope, intercept } = volume;
  const values = Float64Array.from(
    regionVoxels(measurement, grid, volume),
    (voxel) => voxel === OUTSIDE ? NaN : voxels[voxel]! * slope + intercept,
  );
  const [pixels = 0, mean = 0, squares = 0, low = 0, high = 0] = value_statistics(values);
  if (pixels === 0) return null;
  return { mean, sd: pixels > 1 ? Math.sqrt(squares / (pixels - 1)) : 0, low, high, pixels };
}
