import { cells_under, fill_between } from "@/wasm/pkg/reading/bind_reading.js";
import { affineRow, type Grid } from "@/viewer/grid.ts";
import { type Plane, throughAxis } from "@/viewer/scene.ts";
import type { Composer, Slot } from "@/viewer/slices/compose.ts";
import { axesOf } from "@/viewer/slices/marks/outline.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";

/** Diameters that a user can choose for the brush, mm. */
export const BRUSH_SIZES_MM = [1, 2, 3, 5, 8, 12, 20] as const;

/**
 * Voxel axes along the rows and columns of a plane's slices, and through the slices.
 * `strides`: distance in the voxel array between neighbours along each voxel axis.
 */
function slicesOf(grid: Grid, plane: Plane) {
  const through = grid.voxelAxis[throughAxis[plane]]!, [across, down] = axesOf(through);
  return {
    through,
    across,
    down,
    strides: [1, grid.shape[0], grid.shape[0] * grid.shape[1]] as const,
  };
}

/**
 * Voxels under a round brush moved from `fromMm` to `toMm`, on the slice that contains `toMm`.
 * Call `startReading` first.
 *
 * @param fromMm, toMm Start and end of the brush's movement, RAS mm.
 * @returns Voxel indices without duplicates, i fastest.
 * For a brush smaller than a voxel, the single voxel that contains the brush.
 */
export function voxelsUnder(
  grid: Grid,
  plane: Plane,
  fromMm: ArrayLike<number>,
  toMm: ArrayLike<number>,
  diameterMm: number,
): number[] {
  const { through, across, down, strides } = slicesOf(grid, plane), { shape, spacingMm } = grid;
  const at = (axis: number, mm: ArrayLike<number>) => affineRow(grid.ijkFromRas, axis, mm);
  const slice = Math.floor(at(through, toMm) + 0.5), columns = shape[across]!;
  if (slice < 0 || slice >= shape[through]!) return [];
  const stroke = [
    spacingMm[across]!,
    spacingMm[down]!,
    at(across, fromMm),
    at(down, fromMm),
    at(across, toMm),
    at(down, toMm),
    diameterMm,
  ];
  const start = slice * strides[through]!;
  return Array.from(
    cells_under(columns, shape[down]!, Float64Array.from(stroke)),
    (cell) =>
      start + cell % columns * strides[across]! + Math.floor(cell / columns) * strides[down]!,
  );
}

/**
 * Encodes voxel indices as runs for the API: [first, count, first, count …], without duplicates.
 */
export function runsOf(voxels: Iterable<number>): number[] {
  const sorted = Float64Array.from(new Set(voxels)).sort(), runs: number[] = [];
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (sorted[to + 1] === sorted[to]! + 1) to++;
    runs.push(sorted[from]!, to - from + 1);
    from = to + 1;
  }
  return runs;
}

/**
 * Fills the slices between two painted ones, from the signed distances to the painted contours.
 * Call `startReading` first.
 *
 * @param slices  Two slices of a plane with at least one slice between them.
 * @returns Voxels to be painted between the slices; empty if a slice has no painted voxel.
 */
export function fillBetween(
  composer: Composer,
  slot: Slot,
  grid: Grid,
  plane: Plane,
  slices: readonly [number, number],
  value: number,
): number[] {
  const { through, across, down, strides } = slicesOf(grid, plane), columns = grid.shape[across]!;
  const cells = columns * grid.shape[down]!,
    [first, last] = [Math.min(...slices), Math.max(...slices)];
  const start = sliceOf(composer, slot, through, first).slice(),
    end = sliceOf(composer, slot, through, last);
  return Array.from(fill_between(start, end, columns, last - first - 1, value), (found) => {
    const slice = first + 1 + Math.floor(found / cells), cell = found % cells;
    return slice * strides[through]! + cell % columns * strides[across]! +
      Math.floor(cell / columns) * strides[down]!;
  });
}
