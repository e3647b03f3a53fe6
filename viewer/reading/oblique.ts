import {
  add,
  affineFromRows,
  applyAffine,
  dot,
  type Shape,
  unit,
  type Vec3,
} from "@/model/geometry.ts";
import { axesAlong, type HeadAxes } from "@/model/linear/head_axes.ts";
import { type Grid, gridOf } from "@/viewer/grid.ts";

/** Moments of a label's voxel indices: count, and sums of i, j, k, ii, ij, ik, jj, jk, kk. */
export type Moments = ArrayLike<number>;

/**
 * Principal axis of a label, RAS, pointing to the front; `null` for fewer than ten voxels.
 *
 * Power iteration on the covariance; a hippocampus is two to three times as long as wide.
 */
export function longAxis(moments: Moments, grid: Grid): Vec3 | null {
  const n = moments[0]!;
  if (!(n >= 10)) return null;
  const mean = [1, 2, 3].map((at) => moments[at]! / n);
  const second = (a: number, b: number) => moments[[[4, 5, 6], [5, 7, 8], [6, 8, 9]][a]![b]!]!;
  const { rasFromIjk } = grid;
  // covariance of the voxel positions in mm: A · C · Aᵀ, with A the affine's linear part
  const covariance = [0, 1, 2].map((r) =>
    [0, 1, 2].map((s) => {
      let sum = 0;
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) {
          sum += rasFromIjk[4 * a + r]! * (second(a, b) / n - mean[a]! * mean[b]!) *
            rasFromIjk[4 * b + s]!;
        }
      }
      return sum;
    })
  );
  let axis: Vec3 = [0.3, 0.9, -0.3];
  for (let step = 0; step < 200; step++) {
    axis = unit(covariance.map((row) => dot(row as Vec3, axis)) as Vec3);
  }
  return axis[1] < 0 ? [-axis[0], -axis[1], -axis[2]] : axis;
}

/**
 * Head axes tilted so that hippocampi are parallel to axial planes and perpendicular to coronal
 * planes. The tilt is the mean direction of the hippocampi in the sagittal plane only,
 * so that the left and right half of the head stay comparable.
 *
 * @param sides Principal axes of one or both hippocampi.
 * @param head  Orientation of the head without the tilt.
 */
export function axesOfHippocampi(sides: readonly Vec3[], head: HeadAxes): HeadAxes {
  const sum = sides.reduce(add, [0, 0, 0]);
  const aside = dot(sum, head.right);
  const front: Vec3 = [0, 1, 2].map((r) => sum[r]! - aside * head.right[r]!) as Vec3;
  return axesAlong(front, head.top);
}

/** Maximum number of voxels of a rotated grid along one axis. */
const MAX_CELLS = 320;

/**
 * Makes a grid along rotated axes that contains a box of another grid.
 * Voxels are isotropic, with the smallest spacing.
 *
 * @param box First and last index on each voxel axis, [i0, i1, j0, j1, k0, k1].
 */
export function turnedGrid(
  grid: Grid,
  { right, front, top }: HeadAxes,
  box: readonly number[],
): Grid {
  const axes = [right, front, top], low = [Infinity, Infinity, Infinity], high = low.map((v) => -v);
  for (let corner = 0; corner < 8; corner++) {
    const ijk = [0, 1, 2].map((axis) => box[2 * axis + (corner >> axis & 1)]!) as Vec3;
    const mm = applyAffine(grid.rasFromIjk, ijk);
    axes.forEach((axis, at) => {
      low[at] = Math.min(low[at]!, dot(mm, axis));
      high[at] = Math.max(high[at]!, dot(mm, axis));
    });
  }
  const widest = Math.max(...axes.map((_, at) => high[at]! - low[at]!));
  const spacing = Math.max(Math.min(...grid.spacingMm), widest / (MAX_CELLS - 1));
  const shape = axes.map((_, at) => Math.floor((high[at]! - low[at]!) / spacing) + 1) as Shape;
  const start = [0, 1, 2].map((r) => axes.reduce((sum, axis, at) => sum + axis[r]! * low[at]!, 0));
  const rows = [0, 1, 2].map((r) => [...axes.map((axis) => axis[r]! * spacing), start[r]!]);
  // an anatomical plane keeps its name even if the axes are strongly tilted
  const turned = gridOf(shape, affineFromRows([...rows, [0, 0, 0, 1]]));
  return { ...turned, voxelAxis: [0, 1, 2], voxelSign: [1, 1, 1] };
}
