import { affineRow, type Grid } from "@/viewer/grid.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/** A picked position in a pane. Updated in place by {@link pick}. */
export interface Picked {
  isInside: boolean;
  /** Displayed voxel at the picked point; meaningless if the point is outside the volume. */
  ijk: Int32Array;
  /** Position of the picked point on the pane's slice, RAS mm. */
  rasMm: Float64Array;
  /** Label of the displayed voxel; 0 outside the volume or without a label map. */
  label: number;
}

export const createPicked = (): Picked => ({
  isInside: false,
  ijk: new Int32Array(3),
  rasMm: new Float64Array(3),
  label: 0,
});

/** Label of a voxel; 0 outside the grid. `labels` is [nx, ny, nz], i fastest. */
export function labelAt(labels: Uint8Array, grid: Grid, i: number, j: number, k: number): number {
  const [nx, ny, nz] = grid.shape;
  if (i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz) return 0;
  return labels[i + nx * (j + ny * k)] ?? 0;
}

const place = new Float64Array(3);

/**
 * Voxel at a point of a pane: the voxel at the pixel's centre. Selected exactly like the kernel's
 * overlay, so that the named label equals the drawn colour everywhere in the pixel.
 *
 * @param x, y Device pixels from the pane's top left; the first pixel's centre is (0.5, 0.5).
 */
export function pick(
  out: Picked,
  mapping: PaneMapping,
  grid: Grid,
  labels: Uint8Array | null,
  x: number,
  y: number,
): void {
  out.isInside = true;
  const column = Math.floor(x), row = Math.floor(y);
  for (let a = 0; a < 3; a++) {
    place[a] = mapping.origin[a]! + (x - 0.5) * mapping.du[a]! + (y - 0.5) * mapping.dv[a]!;
    const nearest = Math.floor(
      mapping.origin[a]! + column * mapping.du[a]! + row * mapping.dv[a]! + 0.5,
    );
    out.ijk[a] = nearest;
    if (nearest < 0 || nearest >= grid.shape[a]!) out.isInside = false;
  }
  for (let r = 0; r < 3; r++) out.rasMm[r] = affineRow(grid.rasFromIjk, r, place);
  out.label = labels && out.isInside
    ? labelAt(labels, grid, out.ijk[0]!, out.ijk[1]!, out.ijk[2]!)
    : 0;
}

/** Label at a position in RAS mm. */
export function labelAtMm(labels: Uint8Array, grid: Grid, rasMm: ArrayLike<number>): number {
  const index = (a: number) => Math.floor(affineRow(grid.ijkFromRas, a, rasMm) + 0.5);
  return labelAt(labels, grid, index(0), index(1), index(2));
}

/** Pixel x of a position in RAS mm, device pixels; the position may be on another slice. */
export const pixelX = (mapping: PaneMapping, grid: Grid, rasMm: ArrayLike<number>): number =>
  (affineRow(grid.ijkFromRas, mapping.across, rasMm) - mapping.origin[mapping.across]!) /
    mapping.du[mapping.across]! + 0.5;

/** Pixel y of a position in RAS mm, device pixels; the position may be on another slice. */
export const pixelY = (mapping: PaneMapping, grid: Grid, rasMm: ArrayLike<number>): number =>
  (affineRow(grid.ijkFromRas, mapping.down, rasMm) - mapping.origin[mapping.down]!) /
    mapping.dv[mapping.down]! + 0.5;
