import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";

/**
 * Part of an image that has to be without values below those of both neighbours: where a face was
 * removed, the edge of the image moves by far less from slice to slice.
 */
const LOST_FRACTION = 1 / 4;
/** Part of the slices that may be without values at one end, as in images of a brain alone. */
const MAX_EMPTY_END = 1 / 3;

/** Number of rows at the end of an image in which all pixels have the value of the last one. */
function emptyRows(stored: StoredValues, columns: number): number {
  const last = stored.at(-1);
  let at = stored.length - 1;
  while (at >= 0 && stored[at] === last) at--;
  return Math.floor((stored.length - 1 - at) / columns);
}

/**
 * Detects images whose files have the right size but not all of their pixels: an interrupted copy
 * or a damaged disk leaves zeros from some byte on.
 */
export class LostPixels {
  /** rows without values at the end of each slice, as part of all rows */
  readonly #empty: number[] = [];

  add(k: number, stored: StoredValues, columns: number): void {
    this.#empty[k] = emptyRows(stored, columns) * columns / stored.length;
  }

  /** @throws {AppError} reason `lost_pixels`, after all slices. */
  finish(): void {
    const empty = this.#empty, first = empty.findIndex((part) => part < 1);
    const last = empty.findLastIndex((part) => part < 1);
    if (first < 0) throw this.#error(empty.length);
    const most = MAX_EMPTY_END * empty.length;
    const ends = [first, empty.length - 1 - last].filter((slices) => slices > most);
    const isLost = (part: number, k: number) =>
      part === 1 ||
      part >= Math.max(empty[k - 1] ?? 1, empty[k + 1] ?? 1) + LOST_FRACTION;
    const between = empty.filter((part, k) => k > first && k < last && isLost(part, k)).length;
    const slices = between + ends.reduce((sum, count) => sum + count, 0);
    if (slices > 0) throw this.#error(slices);
  }

  #error(slices: number) {
    return rejected("lost_pixels", `Cannot convert series: ${slices} slices lack pixels`, {
      slices,
    });
  }
}
