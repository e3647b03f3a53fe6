import type { Shape } from "@/model/geometry.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/** Voxel axis along which the slices of a volume arrive: the slowest axis of the file. */
const SLOWEST = 2;

/** Set of slices, across the third voxel axis of a volume, that are in memory. */
export class ArrivedSlices {
  readonly #isThere: Uint8Array;
  readonly #sliceVoxels: number;
  #missing: number;

  constructor([nx, ny, nz]: Shape) {
    this.#isThere = new Uint8Array(nz);
    this.#sliceVoxels = nx * ny;
    this.#missing = nz;
  }

  get isWhole(): boolean {
    return this.#missing === 0;
  }

  /** Whether slice `k` is in memory; false outside the volume. */
  has(k: number): boolean {
    return this.#isThere[k] === 1;
  }

  /**
   * Marks the slices that are completely within `count` voxels from voxel `offset` on as arrived.
   */
  add(offset: number, count: number): void {
    const first = Math.ceil(offset / this.#sliceVoxels);
    const end = Math.min(Math.floor((offset + count) / this.#sliceVoxels), this.#isThere.length);
    for (let k = first; k < end; k++) {
      if (this.#isThere[k] === 0) this.#missing--;
      this.#isThere[k] = 1;
    }
  }

  /** Indices of the slices that have not arrived, ascending. */
  missing(): number[] {
    return [...this.#isThere.keys()].filter((k) => this.#isThere[k] === 0);
  }
}

/** Parts of a pane that show voxels which have not arrived, device pixels. */
export interface MissingParts {
  /** whether the parts are rows of the pane; otherwise columns */
  isRows: boolean;
  /** first and end pixel of each part along rows or columns */
  parts: [first: number, end: number][];
}

/** Whether the voxels for interpolation at a coordinate have arrived, or are outside the volume. */
function isThere(arrived: ArrivedSlices, coordinate: number, size: number): boolean {
  const nearest = Math.floor(coordinate + 0.5);
  if (nearest < 0 || nearest >= size) return true;
  const inside = Math.min(Math.max(coordinate, 0), size - 1), low = Math.floor(inside);
  return arrived.has(low) && (inside === low || arrived.has(low + 1));
}

/**
 * Parts of a pane with pixels that depend on missing slices.
 * A pane perpendicular to the stored slices is missing as a whole or not at all.
 */
export function missingParts(
  mapping: PaneMapping,
  arrived: ArrivedSlices,
  size: number,
): MissingParts {
  const { width, height, origin, du, dv, through, across } = mapping;
  const isRows = through === SLOWEST || across !== SLOWEST, length = isRows ? height : width;
  if (through === SLOWEST) {
    const isMissing = !isThere(arrived, origin[SLOWEST]!, size);
    return { isRows, parts: isMissing ? [[0, length]] : [] };
  }
  const step = (isRows ? dv : du)[SLOWEST]!, parts: [number, number][] = [];
  for (let at = 0; at < length; at++) {
    if (isThere(arrived, origin[SLOWEST]! + step * at, size)) continue;
    const last = parts.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else parts.push([at, at + 1]);
  }
  return { isRows, parts };
}
