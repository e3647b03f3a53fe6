// Reads label maps in planes along the axes of the head.
import {
  type Affine,
  applyAffine,
  compose,
  invert,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";

/** A label map or a binary mask on a grid; i fastest. */
export interface VoxelMap {
  voxels: Uint8Array;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** Evenly spaced positions along one axis, mm. */
export interface Steps {
  from: number;
  to: number;
  stepMm: number;
}

export const countOf = ({ from, to, stepMm }: Steps): number =>
  Math.round((to - from) / stepMm) + 1;
export const placeOf = ({ from, stepMm }: Steps, at: number): number => from + stepMm * at;

/** Fraction 0..1 of given labels at each position of a plane; `across` fastest, then `along`. */
export interface Plane {
  values: Float32Array;
  across: Steps;
  along: Steps;
}

/** Thickness of the slab that is averaged for a plane, mm: three samples. */
const SLAB_MM = 2;

/**
 * Makes a function that samples labels on a plane across the axes of the head.
 * Each value is a mean over {@link SLAB_MM}; 0.5 marks a border with subvoxel precision.
 *
 * @param headFromRas Rigid transform to head coordinates, mm.
 */
export function planeReader(map: VoxelMap, headFromRas: Affine<"Ras", "Ras">) {
  const ijkFromHead = compose(invert(map.rasFromIjk), invert(headFromRas));
  const { voxels, shape: [nx, ny, nz] } = map, plane = nx * ny;
  /**
   * @param axes Axis index of `across`, of `along` and of the fixed axis (0 right, 1 front, 2 top).
   */
  return (
    isInside: Uint8Array,
    axes: readonly [across: 0 | 1 | 2, along: 0 | 1 | 2, fixed: 0 | 1 | 2],
    { across, along, at }: { across: Steps; along: Steps; at: number },
  ): Plane => {
    const columns = countOf(across), rows = countOf(along);
    const values = new Float32Array(columns * rows);
    const ijkOf = (u: number, v: number, w: number): Vec3 => {
      const head: Vec3 = [0, 0, 0];
      head[axes[0]] = u, head[axes[1]] = v, head[axes[2]] = w;
      return applyAffine(ijkFromHead, head);
    };
    for (const off of [-SLAB_MM / 2, 0, SLAB_MM / 2]) {
      const origin = ijkOf(across.from, along.from, at + off);
      const right = ijkOf(across.from + across.stepMm, along.from, at + off);
      const next = ijkOf(across.from, along.from + along.stepMm, at + off);
      for (let row = 0, out = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++, out++) {
          const x = origin[0] + column * (right[0] - origin[0]) + row * (next[0] - origin[0]);
          const y = origin[1] + column * (right[1] - origin[1]) + row * (next[1] - origin[1]);
          const z = origin[2] + column * (right[2] - origin[2]) + row * (next[2] - origin[2]);
          const i = Math.floor(x), j = Math.floor(y), k = Math.floor(z);
          if (i < 0 || j < 0 || k < 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) continue;
          const fx = x - i, fy = y - j, fz = z - k, n = i + nx * j + plane * k;
          const bit = (offset: number) => isInside[voxels[n + offset]!]!;
          const lower = (1 - fy) * ((1 - fx) * bit(0) + fx * bit(1)) +
            fy * ((1 - fx) * bit(nx) + fx * bit(nx + 1));
          const upper = (1 - fy) * ((1 - fx) * bit(plane) + fx * bit(plane + 1)) +
            fy * ((1 - fx) * bit(plane + nx) + fx * bit(plane + nx + 1));
          values[out]! += ((1 - fz) * lower + fz * upper) / 3;
        }
      }
    }
    return { values, across, along };
  };
}

/** Lookup table of 256 entries: 1 for the given labels, else 0. */
export function insideOf(labels: readonly number[]): Uint8Array {
  const inside = new Uint8Array(256);
  for (const label of labels) inside[label] = 1;
  return inside;
}

/** First and last position of a row inside the mask, mm; `null` for an empty row. */
export function extentOfRow({ values, across }: Plane, row: number): [number, number] | null {
  const columns = countOf(across), at = (column: number) => values[row * columns + column]!;
  let first = 0, last = columns - 1;
  while (first < columns && at(first) < 0.5) first++;
  while (last >= 0 && at(last) < 0.5) last--;
  if (first >= columns) return null;
  const edge = (inside: number, outside: number) =>
    outside < 0 || outside >= columns
      ? inside
      : inside + (outside - inside) * (at(inside) - 0.5) / (at(inside) - at(outside));
  return [placeOf(across, edge(first, first - 1)), placeOf(across, edge(last, last + 1))];
}
