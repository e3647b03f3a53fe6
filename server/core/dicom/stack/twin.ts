/**
 * Slow reference implementation of build.ts and grid.ts, with which their result is compared.
 * Places voxels one by one, by the equation in the DICOM standard.
 */
import { applyAffine, invert, spacingMm, type Vec3 } from "@/model/geometry.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { BuiltVolume, SourceSlice, Stack } from "@/server/core/dicom/stack/build.ts";
import { bitFormatOf, openFrames, valueOf } from "@/server/core/dicom/stack/pixels.ts";

/** Position of a pixel, RAS mm, by the header of its slice (PS3.3 equation C.7.6.2.1-1). */
export function pixelRasMm({ plane }: SourceSlice, column: number, row: number): Vec3 {
  const [alongRow, alongColumn] = plane.orientationLps,
    [betweenRows, betweenColumns] = plane.pixelSpacingMm;
  const [x, y, z] = [0, 1, 2].map((axis) =>
    plane.positionLpsMm[axis]! + alongRow[axis]! * betweenColumns * column +
    alongColumn[axis]! * betweenRows * row
  ) as Vec3;
  return [-x, -y, z];
}

const mismatch = (message: string) =>
  rejected("geometry_mismatch", `Cannot trust geometry: ${message}`);

/**
 * Maximum distance between slice corners by the headers and on the volume's grid, mm.
 * The distance is above 0 if directions or gaps of slices vary.
 * @throws {AppError} reason `geometry_mismatch` for half a voxel or more: the slices form no grid.
 */
export function jitterMm({ slices, shape }: Stack, { volume }: BuiltVolume): number {
  const ijkFromRas = invert(volume.rasFromIjk), spacing = spacingMm(volume.rasFromIjk);
  let worst = 0;
  for (const [k, slice] of slices.entries()) {
    for (
      const [column, row] of [[0, 0], [shape[0] - 1, 0], [0, shape[1] - 1], [
        shape[0] - 1,
        shape[1] - 1,
      ]]
    ) {
      const at = applyAffine(ijkFromRas, pixelRasMm(slice, column!, row!));
      const off = at.map((index) => Math.abs(index - Math.round(index)));
      const isOutside = at.some((index, axis) =>
        Math.round(index) < 0 || Math.round(index) >= volume.shape[axis]!
      );
      if (isOutside || off.some((part) => part > 0.49)) {
        throw mismatch(
          `a corner of slice ${k} is beside the grid at ${at.map((x) => x.toFixed(2))}`,
        );
      }
      worst = Math.max(worst, ...off.map((part, axis) => part * spacing[axis]!));
    }
  }
  return worst;
}

/** Number of compared slices, and of compared pixels in each slice. */
const SLICES = 5, PIXELS_PER_AXIS = 12;

/**
 * Compares pixels of five slices, read and rescaled one by one, with the volume's voxels.
 * @throws {AppError} reason `geometry_mismatch`.
 */
export async function checkByTwin(stack: Stack, built: BuiltVolume): Promise<void> {
  jitterMm(stack, built);
  const { volume } = built, [nx, ny] = volume.shape, ijkFromRas = invert(volume.rasFromIjk);
  for (let n = 0; n < SLICES; n++) {
    const slice = stack.slices[Math.round(n * (stack.slices.length - 1) / (SLICES - 1))]!;
    const { source: { path, header }, frame } = slice, format = bitFormatOf(header);
    const reader = await openFrames(path, header);
    try {
      const stored = await reader.read(frame.number);
      for (let p = 0; p < PIXELS_PER_AXIS ** 2; p++) {
        const column = Math.floor(((p % PIXELS_PER_AXIS) + 0.5) / PIXELS_PER_AXIS * header.columns);
        const row = Math.floor(
          (Math.floor(p / PIXELS_PER_AXIS) + 0.5) / PIXELS_PER_AXIS * header.rows,
        );
        const value = valueOf(stored[row * header.columns + column]!, format);
        if (header.padding && value >= header.padding[0] && value <= header.padding[1]) continue;
        const scaled = frame.intercept + frame.slope * value;
        const wanted = built.inverseOf === undefined ? scaled : built.inverseOf - scaled;
        const [i, j, k] = applyAffine(ijkFromRas, pixelRasMm(slice, column, row)).map(
          Math.round,
        ) as Vec3;
        const voxel = volume.voxels[i + nx * (j + ny * k)] ?? NaN;
        if (!(Math.abs(voxel - wanted) <= 1e-5 * Math.abs(wanted) + 1e-3 * Math.abs(frame.slope))) {
          throw mismatch(
            `pixel ${column}, ${row} of a slice is ${wanted} in the file and ${voxel} in the volume`,
          );
        }
      }
    } finally {
      reader.close();
    }
  }
}
