// Slow reference implementation of a region's statistics, for tests and the benchmark.
import { IN_PLANE } from "@/model/regions/measured_shape.ts";
import { affineRow, type Grid } from "@/viewer/grid.ts";
import { throughAxis } from "@/viewer/scene.ts";
import type { PixelStatistics } from "@/model/schema/reading/measurements.ts";
import type { Measurement } from "@/viewer/slices/marks/measure.ts";

/** Whether a position in the plane, mm, is inside a region. */
function containsOf({ kind, plane, pointsMm }: Measurement): (x: number, y: number) => boolean {
  const [a, b] = IN_PLANE[plane];
  if (kind === "freehand") {
    const n = pointsMm.length;
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
  return (x, y) => ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1;
}

/** Computes a region's statistics by testing every voxel of the slice. */
export function plainStatistics(
  measurement: Measurement,
  grid: Grid,
  valueAt: (rasMm: ArrayLike<number>) => number,
): PixelStatistics | null {
  const { plane, pointsMm } = measurement,
    contains = containsOf(measurement),
    [a, b] = IN_PLANE[plane];
  const through = grid.voxelAxis[throughAxis[plane]]!;
  const slice = Math.floor(affineRow(grid.ijkFromRas, through, pointsMm) + 0.5);
  const ends = grid.shape.map((n, axis) => axis === through ? [slice, slice] : [0, n - 1]);
  let pixels = 0, mean = 0, squares = 0, low = Infinity, high = -Infinity;
  const rasMm = new Float64Array(3);
  for (let k = ends[2]![0]!; k <= ends[2]![1]!; k++) {
    for (let j = ends[1]![0]!; j <= ends[1]![1]!; j++) {
      for (let i = ends[0]![0]!; i <= ends[0]![1]!; i++) {
        for (let r = 0; r < 3; r++) rasMm[r] = affineRow(grid.rasFromIjk, r, [i, j, k]);
        const value = contains(rasMm[a]!, rasMm[b]!) ? valueAt(rasMm) : NaN;
        if (Number.isNaN(value)) continue;
        const away = value - mean;
        mean += away / ++pixels;
        squares += away * (value - mean);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  if (pixels === 0) return null;
  return { mean, sd: pixels > 1 ? Math.sqrt(squares / (pixels - 1)) : 0, low, high, pixels };
}
