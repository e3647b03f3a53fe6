import { affineRow, type Grid } from "@/viewer/grid.ts";
import { IN_PLANE } from "@/model/regions/measured_shape.ts";
import type { Measurement, PixelStatistics } from "@/viewer/slices/marks/measure.ts";
import { throughAxis } from "@/viewer/scene.ts";

/** Whether a place of the plane, mm, is inside a region. */
function containsOf({ kind, plane, pointsMm }: Measurement): (x: number, y: number) => boolean {
  const [a, b] = IN_PLANE[plane];
  if (kind === "freehand") {
    const n = pointsMm.length;
    // even–odd rule along a line to the right
    return (x, y) => {
      let isInside = false;
      for (let at = 0, before = n - 3; at < n; before = at, at += 3) {
        const ya = pointsMm[at + b]!, yb = pointsMm[before + b]!;
        if (ya > y === yb > y) continue;
        const xa = pointsMm[at + a]!, xb = pointsMm[before + a]!;
        if (x < (xb - xa) * (y - ya) / (yb - ya) + xa) isInside = !isInside;
      }
      return isInside;
    };
  }
  const cx = (pointsMm[a]! + pointsMm[3 + a]!) / 2, cy = (pointsMm[b]! + pointsMm[3 + b]!) / 2;
  const rx = Math.abs(pointsMm[3 + a]! - pointsMm[a]!) / 2,
    ry = Math.abs(pointsMm[3 + b]! - pointsMm[b]!) / 2;
  if (kind === "rectangle") return (x, y) => Math.abs(x - cx) <= rx && Math.abs(y - cy) <= ry;
  return (x, y) => ((x - cx) / (rx || 1e-9)) ** 2 + ((y - cy) / (ry || 1e-9)) ** 2 <= 1;
}

/**
 * Calls `visit` with the place (RAS mm) of each pixel of a region: the voxels of the shown slice whose centres are inside.
 * The array that it is called with is written again for the next one.
 */
export function eachPixel(measurement: Measurement, grid: Grid, visit: (rasMm: Float64Array) => void): void {
  const { plane, pointsMm } = measurement, contains = containsOf(measurement), [a, b] = IN_PLANE[plane];
  const through = grid.voxelAxis[throughAxis[plane]]!;
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  // of a box, its four corners: on an askew grid each may be the outermost
  const corners = measurement.kind === "freehand" ? [] : [0, 1, 2, 3].map((n) => {
    const corner = pointsMm.slice(0, 3);
    if (n & 1) corner[a] = pointsMm[3 + a]!;
    if (n & 2) corner[b] = pointsMm[3 + b]!;
    return corner;
  });
  for (let at = 0; at < pointsMm.length; at += 3) corners.push(pointsMm.slice(at, at + 3));
  for (const corner of corners) {
    for (let axis = 0; axis < 3; axis++) {
      const index = affineRow(grid.ijkFromRas, axis, corner);
      low[axis] = Math.min(low[axis]!, index);
      high[axis] = Math.max(high[axis]!, index);
    }
  }
  const slice = Math.floor(affineRow(grid.ijkFromRas, through, pointsMm) + 0.5);
  const first = (axis: number) => axis === through ? slice : Math.max(0, Math.floor(low[axis]!));
  const last = (axis: number) =>
    axis === through ? slice : Math.min(grid.shape[axis]! - 1, Math.ceil(high[axis]!));
  const ijk = [0, 0, 0], rasMm = new Float64Array(3);
  for (let k = first(2); k <= last(2); k++) {
    for (let j = first(1); j <= last(1); j++) {
      for (let i = first(0); i <= last(0); i++) {
        [ijk[0], ijk[1], ijk[2]] = [i, j, k];
        for (let r = 0; r < 3; r++) rasMm[r] = affineRow(grid.rasFromIjk, r, ijk);
        if (contains(rasMm[a]!, rasMm[b]!)) visit(rasMm);
      }
    }
  }
}

/**
 * Mean and spread of a region's pixels.
 *
 * @param valueAt The series' own value at a place, RAS mm; NaN outside of it.
 * @returns `null` for a region without pixels.
 */
export function statisticsOf(
  measurement: Measurement,
  grid: Grid,
  valueAt: (rasMm: ArrayLike<number>) => number,
): PixelStatistics | null {
  let pixels = 0, mean = 0, squares = 0, low = Infinity, high = -Infinity;
  eachPixel(measurement, grid, (rasMm) => {
    const value = valueAt(rasMm);
    if (Number.isNaN(value)) return;
    // Welford 1962: no difference of large sums
    const away = value - mean;
    mean += away / ++pixels;
    squares += away * (value - mean);
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  if (pixels === 0) return null;
  return { mean, sd: pixels > 1 ? Math.sqrt(squares / (pixels - 1)) : 0, low, high, pixels };
}
