import { contours, outline } from "@/wasm/pkg/reading/bind_reading.js";

/**
 * The border of one value on a slice: lines as [from across, from down, to across, to down], voxel
 * indices.
 */
export interface Contour {
  value: number;
  lines: Float32Array;
}

/**
 * Of ends that are one place, as a whole number: they agree to far less than this part of a voxel.
 */
const PART = 4096, SPAN = 2 ** 24;

/**
 * The same lines, each beginning where the one before ends as far as that goes: one long way is
 * drawn in half the time of its pieces.
 */
export function chained(lines: Float32Array): Float32Array {
  const keyOf = (end: number) =>
    Math.round(lines[2 * end]! * PART) * SPAN + Math.round(lines[2 * end + 1]! * PART);
  // ends by their place, the last two of each: a border has no more
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
    // from here on, end by end; `start` is the end of a line that the way comes in by
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
 * Smooth borders of the shown values of a slice, in the order of the values; after `startReading`.
 *
 * @param slice   Rows of `width` voxels.
 * @param isShown 256 flags.
 * @param isOne   Shown values have one border together.
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
 * Lines around a mask (0 or not) of one slice, half way between the centres inside and outside;
 * after `startReading`.
 */
export const outlineOf = (mask: Uint8Array, width: number): Float32Array => outline(mask, width);
