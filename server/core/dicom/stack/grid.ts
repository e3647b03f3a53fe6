import { type Affine, affineFromRows, compose, type Shape, type Vec3 } from "@/model/geometry.ts";

/** Grid of the volume, and the position of the stack's voxels in it. */
export interface Grid {
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** axis of the volume along which the slices are stacked */
  sliceAxis: 0 | 1 | 2;
  /**
   * Voxel [column, row, slice] of the stack has this index in the volume:
   * `start` + column·steps[0] + row·steps[1] + slice·steps[2].
   */
  start: number;
  steps: Vec3;
}

const ORDERS: readonly Vec3[] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/**
 * Order of the stack axes closest to right, anterior, superior (largest sum of cosines),
 * and whether each axis is reversed.
 */
function nearestToRas(rasFromIjk: Affine<"Ras", "Ijk">): { order: Vec3; isReversed: boolean[] } {
  const along = (axis: number, ras: number) => {
    const column = [0, 1, 2].map((r) => rasFromIjk[4 * axis + r]!);
    return column[ras]! / Math.hypot(...column);
  };
  const sum = (order: Vec3) =>
    order.reduce((total, axis, ras) => total + Math.abs(along(axis, ras)), 0);
  const order = ORDERS.reduce((best, each) => sum(each) > sum(best) + 1e-9 ? each : best);
  return { order, isReversed: order.map((axis, ras) => along(axis, ras) < 0) };
}

/**
 * Grid of the volume, which equals dcm2niix's grid so that both programs give the same bytes.
 * For a 3D acquisition the axes are those closest to right, anterior and superior;
 * otherwise they are columns, rows in reverse order, and slices.
 */
export function outputGrid(shape: Shape, rasFromIjk: Affine<"Ras", "Ijk">, is3d: boolean): Grid {
  const { order, isReversed } = is3d
    ? nearestToRas(rasFromIjk)
    : { order: [0, 1, 2] as Vec3, isReversed: [false, true, false] };
  const out = order.map((axis) => shape[axis]!) as Shape, strides = [1, out[0], out[0] * out[1]];
  const steps: Vec3 = [0, 0, 0];
  let start = 0;
  const rows = [0, 1, 2].map(() => [0, 0, 0, 0]);
  for (const [to, axis] of order.entries()) {
    const last = shape[axis]! - 1;
    steps[axis] = isReversed[to] ? -strides[to]! : strides[to]!;
    if (isReversed[to]) start += last * strides[to]!;
    rows[axis]![to] = isReversed[to] ? -1 : 1;
    rows[axis]![3] = isReversed[to] ? last : 0;
  }
  const stackFromOut = affineFromRows<"Ijk", "Ijk">([...rows, [0, 0, 0, 1]]);
  return {
    shape: out,
    rasFromIjk: compose(rasFromIjk, stackFromOut),
    sliceAxis: order.indexOf(2) as 0 | 1 | 2,
    start,
    steps,
  };
}
