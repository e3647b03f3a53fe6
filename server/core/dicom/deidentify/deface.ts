import { type Affine, applyAffine, compose, invert, type Shape } from "@/model/geometry.ts";
import { isNativeSyntax, readHeader } from "@/server/core/dicom/read/instance.ts";
import { planesOf } from "@/server/core/dicom/read/plane.ts";
import { parseStored } from "@/server/core/dicom/read/source_series.ts";

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
 * Voxels on the grid of {@link FaceRegion.near} without the face: those that {@link defacedFile}
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

/**
 * A file without the face: its pixels are 0 there; every other byte stays as it is.
 *
 * @param bytes A whole stored file; it is not changed.
 * @returns `null` when its pixels are compressed: they cannot be changed without changing the
 *   brain's.
 * @throws {AppError} `engine.unsupported_input` when it is damaged.
 */
export function defacedFile(
  bytes: Uint8Array<ArrayBuffer>,
  { atlasFromRas, ijkFromRas, near, shape: [nx, ny, nz] }: FaceRegion,
): { bytes: Uint8Array<ArrayBuffer>; removed: number } | null {
  const header = readHeader(bytes, ""),
    { pixels, rows, columns, bitsAllocated, frameCount } = header;
  if (!pixels || !isNativeSyntax(header.transferSyntax) || header.samplesPerPixel !== 1) {
    return null;
  }
  if (bitsAllocated !== 8 && bitsAllocated !== 16) return null;
  const { dataSet } = parseStored(bytes, false),
    out = bytes.slice(),
    voxelBytes = bitsAllocated / 8;
  let removed = 0;
  for (const [frame, plane] of planesOf(dataSet, frameCount).entries()) {
    const [along, down] = plane.orientationLps, [stepDown, stepAlong] = plane.pixelSpacingMm;
    const rasAt = (i: number, j: number): [number, number, number] => {
      const [x, y, z] = [0, 1, 2].map((a) =>
        plane.positionLpsMm[a]! + i * stepAlong! * along![a]! + j * stepDown! * down![a]!
      );
      return [-x!, -y!, z!];
    };
    // along a slice the place in the atlas moves by the same steps
    const [, y0, z0] = applyAffine(atlasFromRas, rasAt(0, 0));
    const [, y1, z1] = applyAffine(atlasFromRas, rasAt(1, 0)),
      [, y2, z2] = applyAffine(atlasFromRas, rasAt(0, 1));
    const start = pixels.offset + frame * rows * columns * voxelBytes;
    for (let v = 0; v < rows * columns; v++) {
      const i = v % columns, j = Math.floor(v / columns);
      const y = y0 + i * (y1 - y0) + j * (y2 - y0), z = z0 + i * (z1 - z0) + j * (z2 - z0);
      if (!isFace(y, z)) continue;
      const [a, b, c] = applyAffine(ijkFromRas, rasAt(i, j)).map(Math.round) as [
        number,
        number,
        number,
      ];
      const isInside = a >= 0 && b >= 0 && c >= 0 && a < nx && b < ny && c < nz;
      if (isInside && near[a + nx * (b + ny * c)] === 1) continue;
      out.fill(0, start + v * voxelBytes, start + (v + 1) * voxelBytes);
      removed++;
    }
  }
  return { bytes: out, removed };
}
