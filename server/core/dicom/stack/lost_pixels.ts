import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";

/**
 * Part of an image that has to be without values below those of both neighbours: where a face was
 * removed, the edge of the image moves by far less from slice to slice.
 */
const LOST_FRACTION = 1 / 4;
/** Part of the slices that may be without values at one end beside a slice full of them. */
const MAX_EMPTY_END = 1 / 4;
/**
 * Values in a slice, as part of those in the fullest one, from which its neighbours must have some:
 * an image of a brain alone ends in small slices, with islands and empty slices between them.
 */
const MIN_VALUES = 1 / 3;

/** What a slice lacks: rows at its end without values, and pixels with a value of their own. */
interface SliceValues {
  /** rows at the end in which all pixels have the value of the last one, as part of all rows */
  emptyRows: number;
  /** pixels with another value than the last one, as part of all pixels */
  values: number;
}

function valuesOf(stored: StoredValues, columns: number): SliceValues {
  const last = stored.at(-1);
  let tail = 0, count = 0;
  while (tail < stored.length && stored[stored.length - 1 - tail] === last) tail++;
  for (const value of stored) if (value !== last) count++;
  return {
    emptyRows: Math.floor(tail / columns) * columns / stored.length,
    values: count / stored.length,
  };
}

/**
 * Detects images whose files have the right size but not all of their pixels: an interrupted copy
 * or a damaged disk leaves zeros from some byte on.
 */
export class LostPixels {
  readonly #slices: SliceValues[] = [];

  add(k: number, stored: StoredValues, columns: number): void {
    this.#slices[k] = valuesOf(stored, columns);
  }

  /** @throws {AppError} reason `lost_pixels`, after all slices. */
  finish(): void {
    const slices = this.#slices, isEmpty = ({ values }: SliceValues) => values === 0;
    const first = slices.findIndex((slice) => !isEmpty(slice));
    const last = slices.findLastIndex((slice) => !isEmpty(slice));
    if (first < 0) throw this.#error(slices.length);
    const fullest = Math.max(...slices.map(({ values }) => values));
    const isFull = (slice: SliceValues | undefined) =>
      slice !== undefined && slice.values >= MIN_VALUES * fullest;
    // an interruption within a slice leaves its first rows: then the slice before it is full
    const endsAbruptly = (end: number, inner: number) =>
      isFull(slices[end]) ||
      (isFull(slices[inner]) &&
        slices[end]!.emptyRows >= slices[inner]!.emptyRows + LOST_FRACTION);
    const ends = [[first, first + 1, first], [last, last - 1, slices.length - 1 - last]] as const;
    let count = 0;
    for (const [end, inner, empty] of ends) {
      if (empty > MAX_EMPTY_END * slices.length && endsAbruptly(end, inner)) count += empty;
    }
    for (let k = first + 1; k < last; k++) {
      const before = slices.findLast((slice, at) => at < k && !isEmpty(slice));
      const after = slices.find((slice, at) => at > k && !isEmpty(slice));
      if (!isFull(before) || !isFull(after)) continue;
      const rows = Math.max(before!.emptyRows, after!.emptyRows) + LOST_FRACTION;
      if (isEmpty(slices[k]!) || slices[k]!.emptyRows >= rows) count++;
    }
    if (count > 0) throw this.#error(count);
  }

  #error(slices: number) {
    return rejected("lost_pixels", `Cannot convert series: ${slices} slices lack pixels`, {
      slices,
    });
  }
}
