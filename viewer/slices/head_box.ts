import type { Shape } from "@/model/geometry.ts";

/**
 * Minimum intensity (0..255) of voxels that belong to the head.
 * Air is darker in every conformed volume.
 */
const HEAD_VALUE = 40;
/** Sampling step in voxels: every third voxel on each axis. */
const STEP = 3;

/**
 * Bounding box of the head in an image, by sampling every third voxel.
 * Used for studies without a label map.
 *
 * @param base [nx, ny, nz], i fastest, 0..255.
 * @returns First and last voxel index on each axis, [i0, i1, j0, j1, k0, k1]; `null` if dark.
 */
export function headBox(base: Uint8Array, [nx, ny, nz]: Shape): Uint32Array | null {
  const box = Uint32Array.of(nx, 0, ny, 0, nz, 0);
  let hasHead = false;
  for (let k = 0; k < nz; k += STEP) {
    for (let j = 0; j < ny; j += STEP) {
      const row = nx * (j + ny * k);
      for (let i = 0; i < nx; i += STEP) {
        if (base[row + i]! <= HEAD_VALUE) continue;
        hasHead = true;
        if (i < box[0]!) box[0] = i;
        if (i > box[1]!) box[1] = i;
        if (j < box[2]!) box[2] = j;
        if (j > box[3]!) box[3] = j;
        if (k < box[4]!) box[4] = k;
        if (k > box[5]!) box[5] = k;
      }
    }
  }
  return hasHead ? box : null;
}
