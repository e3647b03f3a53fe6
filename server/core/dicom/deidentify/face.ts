// Where the face of an analysed patient is, and arrays without it. Nothing here reads a file.
import { type Affine, applyAffine, compose, invert, type Shape } from "@/model/geometry.ts";

/** Where a face is, and what must not be touched. */
export interface FaceRegion {
  /** atlas mm from the series' patient mm */
  atlasFromRas: Affine<"Ras", "Ras">;
  /** voxel of {@link near} from the series' patient mm */
  ijkFromRas: Affine<"Ijk", "Ras">;
  /** 1: brain, or so close to it that it stays; shape [nx, ny, nz], i fastest */
  near: Uint8Array;
  shape: Shape;
}

/** Voxels around the brain that stay, in each direction; of the results' grid, 1 mm. */
const MARGIN_VOXELS = 5;

/**
 * Whether a place of the atlas (RAS mm, ICBM frame) is in front of and below the plane from the
 * brow (92 in front of the commissure, at its height) to the hard palate (15 in front, 75 below):
 * eyes, nose, mouth and chin are, the brain is not. Ears and the back of the head stay.
 */
export const isFace = (y: number, z: number): boolean => 75 * (y - 92) - 77 * z > 0;

/** Every voxel within a cube around a labelled one. */
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
 * The face of a study, by its own analysis.
 *
 * @param labels          Label map of the analysis, `shape`, i fastest; 0 is outside the brain.
 * @param rasFromIjk      Its grid.
 * @param subjectFromAtlas Registration of the analysis.
 * @param t1FromSeries    Of another series of the study: its patient mm in those of the T1w series.
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
 * Voxels on the grid of {@link FaceRegion.near} without the face: those that `defacedFile()`
 * removes are 0.
 *
 * @param voxels Shape of the region, i fastest; they are not changed. Its patient mm are the T1w
 *   series'.
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
