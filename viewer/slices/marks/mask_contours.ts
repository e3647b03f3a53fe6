import { contours, outline } from "@/wasm/pkg/reading/bind_reading.js";

/** The border of one value on a slice: lines as [from across, from down, to across, to down], voxel indices. */
export interface Contour {
  value: number;
  lines: Float32Array;
}

/**
 * Smooth borders of the shown values of a slice, in the order of the values; after `startReading`.
 *
 * @param slice   Rows of `width` voxels.
 * @param isShown 256 flags.
 * @param isOne   Shown values have one border together.
 */
export function contoursOf(slice: Uint8Array, width: number, isShown: Uint8Array, isOne = false): Contour[] {
  const all = contours(slice, width, isShown, isOne), found: Contour[] = [];
  for (let at = 0; at < all.length;) {
    const value = all[at]!, count = all[at + 1]!;
    found.push({ value, lines: all.subarray(at + 2, at + 2 + count) });
    at += 2 + count;
  }
  return found;
}

/** Lines around a mask (0 or not) of one slice, half way between the centres inside and outside; after `startReading`. */
export const outlineOf = (mask: Uint8Array, width: number): Float32Array => outline(mask, width);
