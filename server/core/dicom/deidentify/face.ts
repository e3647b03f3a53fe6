// Locates the face of an analysed patient, and sets it to 0 in arrays. No file access.
import { type Affine, applyAffine, compose, invert, type Shape } from "@/model/geometry.ts";

/** Region of a patient's face, and the voxels near it that must be kept. */
export interface FaceRegion {
  /** maps patient mm of the series to atlas mm */
  atlasFromRas: Affine<"Ras", "Ras">;
  /** maps patient mm of the series to voxel indices of {@link near} */
  ijkFromRas: Affine<"Ijk", "Ras">;
  /** brain with a margin, which is kept: mask of shape [nx, ny, nz], i fastest */
  near: Uint8Array;
  shape: Shape;
}

/** Margin around the brain in each direction, voxels of the results' grid (1 mm). */
const MARGIN_VOXELS = 5;

/**
 * Whether an atlas position (RAS mm, ICBM frame) belongs to the face. The face is anterior and
 * inferior to the plane from the brow (92 mm anterior of the commissure, at its height) to the
 * hard palate (15 mm anterior, 75 mm inferior).
 * Eyes, nose, mouth and chin are included, but not the brain, the ears or the back of the head.
 */
export const isFace = (y: number, z: number): boolean => 75 * (y - 92) - 77 * z > 0;

/** Dilates the labelled voxels by a cube, in all directions. */
function dilated(labels: Uint8Array, [nx, ny, nz]: Shape, by: number): Uint8Array {
  let from = labels.map((label) => label > 0 ? 1 : 0);
  const steps = [[nx, 1], [ny, nx], [nz, nx * ny]] as const;
  for (const [count, step] of steps) {
    const to = new Uint8Array(from.length);
    for (let v = 0; v < from.length; v++) {
      if (from[v] === 0) continue;
      const at = Math.floor(v / step) % count;
      for (let n = Math.max(-by, -at); n <= Math.min(by, count - 1 - at); n++) to[v + n * step] = 1;
    }
    from = to;
  }
  return from;
}

/**
 * Face region of a study's images, from the analysis of the study.
 *
 * @param labels          Label map of the analysis, `shape`, i fastest; 0 outside the brain.
 * @param rasFromIjk      Affine of the label map's grid.
 * @param subjectFromAtlas Registration of the analysis.
 * @param t1FromSeries Maps patient mm of another series to those of the T1w series.
 */
export function faceRegion(
  { labels, shape, rasFromIjk, subjectFromAtlas, t1FromSeries }: {
    labels: Uint8Array;
    shape: Shape;
    rasFromIjk: Affine<"Ras", "Ijk">;
    subjectFromAtlas: Affine<"Ras", "Ras">;
    t1FromSeries?: Affine<"Ras", "Ras">;
  },
): FaceRegion {
  const atlas = invert(subjectFromAtlas), ijk = invert(rasFromIjk);
  return {
    near: dilated(labels, shape, MARGIN_VOXELS),
    shape,
    atlasFromRas: t1FromSeries ? compose(atlas, t1FromSeries) : atlas,
    ijkFromRas: t1FromSeries ? compose(ijk, t1FromSeries) : ijk,
  };
}

/**
 * Sets voxels of the face to 0 on the grid of {@link FaceRegion.near}.
 * `defacedFile()` removes the same voxels.
 *
 * @param voxels Array with the shape of the region, i fastest; not modified. Its voxels are
 * positioned in the scanner coordinates of the T1w series.
 */
export function defacedVoxels(
  voxels: Uint8Array,
  { atlasFromRas, ijkFromRas, near, shape: [nx, ny] }: FaceRegion,
): Uint8Array {
  const atlasFromIjk = compose(atlasFromRas, invert(ijkFromRas)), out = voxels.slice();
  for (let v = 0; v < out.length; v++) {
    if (near[v] === 1) continue;
    const [, y, z] = applyAffine(atlasFromIjk, [
      v % nx,
      Math.floor(v / nx) % ny,
      Math.floor(v / (nx * ny)),
    ]);
    if (isFace(y, z)) out[v] = 0;
  }
  return out;
}
