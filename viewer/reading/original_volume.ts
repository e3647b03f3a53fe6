import { affineRow } from "@/viewer/grid.ts";
import { type Affine, affineFromRowMajor, invert, type Shape } from "@/model/geometry.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";

/** Original values of a series: `slope` · voxel + `intercept`. */
export interface OriginalVolume {
  voxels: VoxelArray;
  slope: number;
  intercept: number;
  shape: Shape;
  /** Affine to voxel index from RAS mm of the viewer's images. */
  ijkFromRas: Affine<"Ijk", "Ras">;
}

const HEADER_BYTES = 348;
const ARRAYS: Readonly<
  Record<number, new (buffer: ArrayBuffer, offset: number, length: number) => VoxelArray>
> = {
  2: Uint8Array,
  4: Int16Array,
  8: Int32Array,
  16: Float32Array,
  256: Int8Array,
  512: Uint16Array,
};

/**
 * Parses the NIfTI-1 file of a stored series, as written by the site: little-endian, one volume.
 *
 * @param affineRows Affine to RAS mm of the viewer's images from voxel index, 16 numbers row-major.
 * @returns `null` for a file in another format, because its original values are unknown.
 */
export function readOriginal(
  buffer: ArrayBuffer,
  shape: Shape,
  affineRows: readonly number[],
): OriginalVolume | null {
  if (buffer.byteLength < HEADER_BYTES + 4) return null;
  const view = new DataView(buffer), count = shape[0] * shape[1] * shape[2];
  const dims = [42, 44, 46].map((at) => view.getInt16(at, true));
  const make = ARRAYS[view.getInt16(70, true)], offset = Math.trunc(view.getFloat32(108, true));
  if (
    view.getInt32(0, true) !== HEADER_BYTES || !make || dims.some((n, axis) => n !== shape[axis])
  ) {
    return null;
  }
  const size = view.getInt16(72, true) / 8;
  if (!(offset >= HEADER_BYTES) || offset + count * size > buffer.byteLength) return null;
  // a typed array must start at a multiple of the element size
  const voxels = offset % size === 0
    ? new make(buffer, offset, count)
    : new make(buffer.slice(offset, offset + count * size), 0, count);
  const slope = view.getFloat32(112, true), intercept = view.getFloat32(116, true);
  const isScaled = Number.isFinite(slope) && slope !== 0 && Number.isFinite(intercept);
  return {
    voxels,
    slope: isScaled ? slope : 1,
    intercept: isScaled ? intercept : 0,
    shape,
    ijkFromRas: invert(affineFromRowMajor<"Ras", "Ijk">(affineRows)),
  };
}

/** Value of the voxel that contains a position, RAS mm; NaN outside. */
export function originalAt(volume: OriginalVolume, rasMm: ArrayLike<number>): number {
  const { voxels, shape: [nx, ny, nz], ijkFromRas, slope, intercept } = volume;
  const i = Math.floor(affineRow(ijkFromRas, 0, rasMm) + 0.5);
  const j = Math.floor(affineRow(ijkFromRas, 1, rasMm) + 0.5);
  const k = Math.floor(affineRow(ijkFromRas, 2, rasMm) + 0.5);
  if (i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz) return NaN;
  return voxels[i + nx * (j + ny * k)]! * slope + intercept;
}
