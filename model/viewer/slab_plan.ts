import type { Shape } from "@/model/geometry.ts";

/** Consecutive slices of the slowest axis that are requested together. */
export interface Slab {
  first: number;
  last: number;
}

/** Maximum number of slabs of a volume: each is a request. */
const MAX_SLABS = 16;
/** Minimum number of voxels of a slab: a smaller one takes longer to request than to transfer. */
const LEAST_VOXELS = 1 << 18;

/**
 * Slabs of a volume of a shape [nx, ny, nz], ascending; one for a small volume. They depend on the
 * shape alone, so that caches hold the same ones wherever the crosshair is.
 */
export function slabsOf([nx, ny, nz]: Shape): Slab[] {
  const count = Math.max(Math.ceil(nz / MAX_SLABS), Math.ceil(LEAST_VOXELS / (nx * ny)), 1);
  return Array.from({ length: Math.ceil(nz / count) }, (_, n) => ({
    first: n * count,
    last: Math.min((n + 1) * count, nz) - 1,
  }));
}

/**
 * Slabs with missing slices, in the order in which they are requested: the one with slice `from`,
 * then from there outwards.
 *
 * @param missing Indices of slices that are not in memory.
 */
export function missingSlabs(shape: Shape, missing: readonly number[], from: number): Slab[] {
  const middle = ({ first, last }: Slab) => Math.abs((first + last) / 2 - from);
  const isMissing = new Set(missing);
  return slabsOf(shape)
    .filter(({ first, last }) => {
      for (let k = first; k <= last; k++) if (isMissing.has(k)) return true;
      return false;
    })
    .sort((a, b) => middle(a) - middle(b) || a.first - b.first);
}
