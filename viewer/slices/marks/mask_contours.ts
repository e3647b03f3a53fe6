import type { Shape } from "@/model/geometry.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/** Which slice of a volume: its number, and the voxel axes along and across it. */
type SliceOf = Pick<PaneMapping, "through" | "across" | "down" | "slice">;

/** The border of one value on a slice: lines as [from across, from down, to across, to down], voxel indices. */
export interface Contour {
  value: number;
  lines: Float32Array;
}

/** Sides of a cell that a line joins, by which of its corners are inside (1 first, 2 across, 4 down, 8 both). */
const SIDES: readonly (readonly number[])[] = [
  [],
  [0, 3],
  [0, 1],
  [3, 1],
  [3, 2],
  [0, 2],
  [0, 3, 1, 2],
  [1, 2],
  [1, 2],
  [0, 1, 3, 2],
  [0, 2],
  [3, 2],
  [3, 1],
  [0, 1],
  [0, 3],
  [],
];

/**
 * Smooth borders of the shown values of a slice: each value's mask is blurred by one voxel (1 2 1) along both axes, and
 * cut at one half (marching squares, with the crossing between two centres interpolated). A lone voxel keeps a border of
 * its own.
 *
 * @param volume [nx, ny, nz], i fastest.
 * @param isShown 256 flags.
 * @param isOne Shown values have one border together.
 */
export function contoursOf(
  volume: Uint8Array,
  shape: Shape,
  at: SliceOf,
  isShown: Uint8Array,
  isOne = false,
): Contour[] {
  const strides = [1, shape[0], shape[0] * shape[1]], columns = shape[at.across]!, rows = shape[at.down]!;
  if (at.slice < 0 || at.slice >= shape[at.through]!) return [];
  const start = at.slice * strides[at.through]!, right = strides[at.across]!, below = strides[at.down]!;
  // boxes of the values, in one pass
  const boxes = new Map<number, [number, number, number, number]>();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = volume[start + column * right + row * below]!;
      if (value === 0 || isShown[value] !== 1) continue;
      const key = isOne ? 1 : value, box = boxes.get(key);
      if (!box) boxes.set(key, [column, row, column, row]);
      else {
        box[0] = Math.min(box[0], column);
        box[2] = Math.max(box[2], column);
        box[3] = row;
      }
    }
  }
  return [...boxes].map(([value, [left, top, last, bottom]]) => {
    const width = last - left + 5, height = bottom - top + 5;
    const mask = new Float32Array(width * height), blurred = new Float32Array(width * height);
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= last; column++) {
        const own = volume[start + column * right + row * below]!;
        const isInside = isOne ? isShown[own] === 1 && own !== 0 : own === value;
        if (isInside) mask[column - left + 2 + width * (row - top + 2)] = 1;
      }
    }
    blur(mask, blurred, width, height);
    return { value, lines: trace(blurred, width, height, left - 2, top - 2) };
  });
}

/** (1 2 1)/4 along both axes, but never below one half at a voxel that is inside: what is thin is not lost. */
function blur(mask: Float32Array, out: Float32Array, width: number, height: number): void {
  const across = new Float32Array(mask.length);
  for (let n = 1; n + 1 < mask.length; n++) across[n] = (mask[n - 1]! + 2 * mask[n]! + mask[n + 1]!) / 4;
  for (let n = width; n + width < width * height; n++) {
    const value = (across[n - width]! + 2 * across[n]! + across[n + width]!) / 4;
    out[n] = mask[n] === 1 ? Math.max(value, 0.55) : Math.min(value, 0.45);
  }
}

function trace(field: Float32Array, width: number, height: number, left: number, top: number): Float32Array {
  const lines: number[] = [];
  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      const n = column + width * row;
      const a = field[n]!, b = field[n + 1]!, c = field[n + width]!, d = field[n + width + 1]!;
      const inside = (a > 0.5 ? 1 : 0) | (b > 0.5 ? 2 : 0) | (c > 0.5 ? 4 : 0) | (d > 0.5 ? 8 : 0);
      const sides = SIDES[inside]!;
      for (const side of sides) {
        // top, right, bottom, left
        const [x, y] = side === 0
          ? [crossing(a, b), 0]
          : side === 1
          ? [1, crossing(b, d)]
          : side === 2
          ? [crossing(c, d), 1]
          : [0, crossing(a, c)];
        lines.push(left + column + x, top + row + y);
      }
    }
  }
  return Float32Array.from(lines);
}

const crossing = (from: number, to: number): number => (0.5 - from) / (to - from);
