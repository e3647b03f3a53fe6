import { contours, outline } from "@/wasm/pkg/reading/bind_reading.js";

/**
 * Border of one value on a slice, as line segments in voxel indices:
 * [from across, from down, to across, to down].
 */
export interface Contour {
  value: number;
  lines: Float32Array;
}

/**
 * Factor for rounding an end point to an integer key.
 * Ends of segments that are equal differ by much less than this fraction of a voxel.
 */
const PART = 4096, SPAN = 2 ** 24;

/** Joins segments to paths: one long path is drawn in half the time of separate segments. */
export function chained(lines: Float32Array): Float32Array {
  const keyOf = (end: number) =>
    Math.round(lines[2 * end]! * PART) * SPAN + Math.round(lines[2 * end + 1]! * PART);
  // segment ends by position, up to two at each: a border does not branch
  const endsAt = new Map<number, number>(), twin = new Int32Array(lines.length / 2).fill(-1);
  for (let end = 0; end < twin.length; end++) {
    const key = keyOf(end), other = endsAt.get(key);
    if (other === undefined) endsAt.set(key, end);
    else {
      twin[end] = other;
      twin[other] = end;
      endsAt.delete(key);
    }
  }
  const out = new Float32Array(lines.length), isDone = new Uint8Array(twin.length / 2);
  let at = 0;
  for (let first = 0; first < isDone.length; first++) {
    // continues from end to end; `start` is the end through which the path enters a segment
    for (let start = 2 * first; start >= 0 && !isDone[start >> 1]; start = twin[start ^ 1]!) {
      isDone[start >> 1] = 1;
      const isNext = at > 0 && start !== 2 * first;
      out[at] = isNext ? out[at - 2]! : lines[2 * start]!;
      out[at + 1] = isNext ? out[at - 1]! : lines[2 * start + 1]!;
      out[at + 2] = lines[2 * (start ^ 1)]!;
      out[at + 3] = lines[2 * (start ^ 1) + 1]!;
      at += 4;
    }
  }
  return out;
}

/**
 * Smooth borders of the visible values of a slice, by value. Call `startReading` first.
 *
 * @param slice   Rows of `width` voxels.
 * @param isShown 256 flags: whether each value is visible.
 * @param isOne   All visible values share one border.
 */
export function contoursOf(
  slice: Uint8Array,
  width: number,
  isShown: Uint8Array,
  isOne = false,
): Contour[] {
  const traced = contours(slice, width, isShown, isOne), found: Contour[] = [];
  for (let at = 0; at < traced.length;) {
    const value = traced[at]!, count = traced[at + 1]!;
    found.push({ value, lines: chained(traced.subarray(at + 2, at + 2 + count)) });
    at += 2 + count;
  }
  return found;
}

/**
 * Outline of a mask (zero or nonzero) on one slice, halfway between voxel centres in and outside.
 * Call `startReading` first.
 */
export const outlineOf = (mask: Uint8Array, width: number): Float32Array => outline(mask, width);
