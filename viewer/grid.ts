import { type Affine, invert, type Shape, spacingMm, type Vec3 } from "@/model/geometry.ts";

/** The voxel grid that all panes of one patient share. */
export interface Grid {
  shape: Shape;
  spacingMm: Vec3;
  rasFromIjk: Affine<"Ras", "Ijk">;
  ijkFromRas: Affine<"Ijk", "Ras">;
  /** Voxel axis that runs nearest to right, anterior and superior. */
  voxelAxis: Vec3;
  /** +1 where that axis runs towards right, anterior, superior; −1 where it runs away. */
  voxelSign: Vec3;
}

const ORDERS: readonly Vec3[] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/**
 * Describes a grid: any storage order and oblique grids are allowed; panes then lie along the grid
 * and the orientation marks say how.
 * @throws {AppError} `volume.affine_singular` if the affine has no inverse.
 */
export function gridOf(shape: Shape, rasFromIjk: Affine<"Ras", "Ijk">): Grid {
  const spacing = spacingMm(rasFromIjk);
  const cosine = (ras: number, axis: number) => rasFromIjk[axis * 4 + ras]! / spacing[axis]!;
  let voxelAxis = ORDERS[0]!, best = -1;
  for (const order of ORDERS) {
    const score = order.reduce((sum, axis, ras) => sum + Math.abs(cosine(ras, axis)), 0);
    if (score > best + 1e-9) [voxelAxis, best] = [order, score];
  }
  const voxelSign = voxelAxis.map((axis, ras) => cosine(ras, axis) < 0 ? -1 : 1) as Vec3;
  return {
    shape,
    spacingMm: spacing,
    rasFromIjk,
    ijkFromRas: invert(rasFromIjk),
    voxelAxis: [...voxelAxis],
    voxelSign,
  };
}

/** Row `r` of an affine applied to a point, without making an array. */
export const affineRow = (affine: ArrayLike<number>, r: number, p: ArrayLike<number>): number =>
  affine[r]! * p[0]! + affine[4 + r]! * p[1]! + affine[8 + r]! * p[2]! + affine[12 + r]!;
