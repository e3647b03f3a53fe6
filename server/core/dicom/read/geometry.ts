import {
  type Affine,
  affineFromRows,
  compose,
  cross,
  dot,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import type { SlicePlane } from "@/server/core/dicom/read/plane.ts";

/** Converts DICOM's frame (+left, +posterior, +superior) to RAS: the first two axes change sign. */
const rasFromLps: Affine<"Ras", "Lps"> = affineFromRows([
  [-1, 0, 0, 0],
  [0, -1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
]);

/**
 * Position of a slice along the stack's normal: position · (row direction × column direction), mm.
 */
export const stackPositionMm = (plane: SlicePlane): number =>
  dot(plane.positionLpsMm, cross(...plane.orientationLps));

/**
 * Affine of a stack of parallel slices: i = column index (along a row), j = row index, k = slice.
 *
 * @param planes  Slices in stack order, at least 2, equally spaced.
 * @returns maps voxel index to RAS mm; left-handed if the stack order opposes the slice normal.
 */
export function affineOfStack(planes: readonly SlicePlane[]): Affine<"Ras", "Ijk"> {
  const first = planes[0]!, last = planes.at(-1)!;
  const [row, column] = first.orientationLps, [betweenRows, betweenColumns] = first.pixelSpacingMm;
  const step = first.positionLpsMm.map((p, axis) =>
    (last.positionLpsMm[axis]! - p) / (planes.length - 1)
  );
  const lpsFromIjk = affineFromRows<"Lps", "Ijk">([
    ...[0, 1, 2].map((axis) => [
      row[axis]! * betweenColumns,
      column[axis]! * betweenRows,
      step[axis]!,
      first.positionLpsMm[axis]!,
    ]),
    [0, 0, 0, 1],
  ]);
  return compose(rasFromLps, lpsFromIjk);
}

/** Index triples of a grid's eight corner voxels. */
export function cornersOf(shape: Shape): Vec3[] {
  const corners: Vec3[] = [];
  for (const k of [0, shape[2] - 1]) {
    for (const j of [0, shape[1] - 1]) for (const i of [0, shape[0] - 1]) corners.push([i, j, k]);
  }
  return corners;
}
