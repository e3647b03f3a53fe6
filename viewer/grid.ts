import { type Affine, invert, type Shape, spacingMm, type Vec3 } from "@/model/geometry.ts";

/** Voxel grid shared by all panes of a patient. */
export interface Grid {
  shape: Shape;
  spacingMm: Vec3;
  rasFromIjk: Affine<"Ras", "Ijk">;
  ijkFromRas: Affine<"Ijk", "Ras">;
  /** voxel axis (0..2) that is closest to right, anterior and superior */
  voxelAxis: Vec3;
  /**
   * sign of the voxel axis: +1 if its index grows towards right, anterior, superior; otherwise −1
   */
  voxelSign: Vec3;
}

const ORDERS: readonly Vec3[] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/**
 * Makes the grid of a volume of any storage order, possibly oblique.
 * Panes are aligned with the grid; orientation letters show the grid's directions.
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

/** Row `r` of an affine applied to a point, without allocation. */
export const affineRow = (affine: ArrayLike<number>, r: number, p: ArrayLike<number>): number =>
  affine[r]! * p[0]! + affine[4 + r]! * p[1]! + affine[8 + r]! * p[2]! + affine[12 + r]!;
