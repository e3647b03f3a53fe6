import { affineRow, type Grid } from "@/viewer/grid.ts";
import { type Plane, throughAxis } from "@/viewer/scene.ts";

/** Sizes of the brush, mm across. */
export const BRUSH_SIZES_MM = [1, 2, 3, 5, 8, 12, 20] as const;

/**
 * Voxels under a round brush that was drawn from one place to another, on the slice of the second.
 *
 * @param fromMm, toMm RAS mm.
 * @returns Indices, i fastest; each once. A brush smaller than a voxel has the voxel that it stands in.
 */
export function voxelsUnder(
  grid: Grid,
  plane: Plane,
  fromMm: ArrayLike<number>,
  toMm: ArrayLike<number>,
  diameterMm: number,
): number[] {
  const through = grid.voxelAxis[throughAxis[plane]]!;
  const across = (through + 1) % 3, down = (through + 2) % 3;
  const at = (mm: ArrayLike<number>) => [0, 1, 2].map((axis) => affineRow(grid.ijkFromRas, axis, mm));
  const a = at(fromMm), b = at(toMm), slice = Math.floor(b[through]! + 0.5);
  if (slice < 0 || slice >= grid.shape[through]!) return [];
  const strides = [1, grid.shape[0], grid.shape[0] * grid.shape[1]], radius = diameterMm / 2;
  const [sx, sy] = [grid.spacingMm[across]!, grid.spacingMm[down]!];
  const range = (axis: number, spacing: number): [number, number] => [
    Math.max(0, Math.floor(Math.min(a[axis]!, b[axis]!) - radius / spacing)),
    Math.min(grid.shape[axis]! - 1, Math.ceil(Math.max(a[axis]!, b[axis]!) + radius / spacing)),
  ];
  const [u0, u1] = range(across, sx), [v0, v1] = range(down, sy), found: number[] = [];
  const du = (b[across]! - a[across]!) * sx, dv = (b[down]! - a[down]!) * sy, length2 = du * du + dv * dv;
  const isUnder = (u: number, v: number) => {
    // the voxel that the pointer is in, whatever the brush
    if (Math.floor(b[across]! + 0.5) === u && Math.floor(b[down]! + 0.5) === v) return true;
    const x = (u - a[across]!) * sx, y = (v - a[down]!) * sy;
    const part = length2 === 0 ? 0 : Math.min(Math.max((x * du + y * dv) / length2, 0), 1);
    return Math.hypot(x - part * du, y - part * dv) <= radius;
  };
  for (let v = v0; v <= v1; v++) {
    for (let u = u0; u <= u1; u++) {
      if (isUnder(u, v)) found.push(slice * strides[through]! + u * strides[across]! + v * strides[down]!);
    }
  }
  return found;
}

/** Voxels as the API takes them: [first, count, first, count …], each voxel once. */
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

/** Far outside, voxels. */
const FAR = 1e6;

/** Distance of each cell from the nearest with `mark`, in cells: two passes of a 3–4 chamfer (Borgefors 1986). */
function distances(inside: Uint8Array, width: number, height: number, mark: number): Float32Array {
  const out = Float32Array.from(inside, (one) => one === mark ? 0 : FAR);
  const relax = (at: number, other: number, step: number) => {
    if (out[other]! + step < out[at]!) out[at] = out[other]! + step;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = x + width * y;
      if (x > 0) relax(at, at - 1, 1);
      if (y > 0) relax(at, at - width, 1);
      if (x > 0 && y > 0) relax(at, at - width - 1, 4 / 3);
      if (x + 1 < width && y > 0) relax(at, at - width + 1, 4 / 3);
    }
  }
  for (let y = height - 1; y >= 0; y--) {
    for (let x = width - 1; x >= 0; x--) {
      const at = x + width * y;
      if (x + 1 < width) relax(at, at + 1, 1);
      if (y + 1 < height) relax(at, at + width, 1);
      if (x > 0 && y + 1 < height) relax(at, at + width - 1, 4 / 3);
      if (x + 1 < width && y + 1 < height) relax(at, at + width + 1, 4 / 3);
    }
  }
  return out;
}

/**
 * Fills the slices between two that have a value: halfway between their outlines, by their signed distances (shape-based
 * interpolation, Raya and Udupa 1990).
 *
 * @param volume  Labels, i fastest.
 * @param slices  Two slices of a plane, with one or more slices between.
 * @returns Voxels between the two that would get the value; empty where one of the slices has none of it.
 */
export function fillBetween(
  volume: Uint8Array,
  grid: Grid,
  plane: Plane,
  slices: readonly [number, number],
  value: number,
): number[] {
  const through = grid.voxelAxis[throughAxis[plane]]!, across = (through + 1) % 3, down = (through + 2) % 3;
  const strides = [1, grid.shape[0], grid.shape[0] * grid.shape[1]];
  const width = grid.shape[across]!, height = grid.shape[down]!;
  const [first, last] = [Math.min(...slices), Math.max(...slices)];
  const signed = [first, last].map((slice) => {
    const inside = new Uint8Array(width * height);
    for (let v = 0; v < height; v++) {
      for (let u = 0; u < width; u++) {
        const at = slice * strides[through]! + u * strides[across]! + v * strides[down]!;
        inside[u + width * v] = volume[at] === value ? 1 : 0;
      }
    }
    if (!inside.includes(1)) return null;
    const outer = distances(inside, width, height, 1), inner = distances(inside, width, height, 0);
    return outer.map((away, at) => away > 0 ? away - 0.5 : 0.5 - inner[at]!);
  });
  const [from, to] = signed, found: number[] = [];
  if (!from || !to) return [];
  for (let slice = first + 1; slice < last; slice++) {
    const part = (slice - first) / (last - first);
    for (let at = 0; at < width * height; at++) {
      if ((1 - part) * from[at]! + part * to[at]! > 0) continue;
      found.push(
        slice * strides[through]! + (at % width) * strides[across]! + Math.floor(at / width) * strides[down]!,
      );
    }
  }
  return found;
}
