import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";

/**
 * Part of an image that one slice, or several of them, have to be without values below those of both
 * neighbours: where a face was removed, the edge of the image moves by far less from slice to slice
 * (at most 0.028 of the rows between two neighbours, and 0.15 on one side alone, in our scans).
 */
const LOST_FRACTION = { ofOne: 1 / 16, ofSeveral: 1 / 8, atEnd: 1 / 4 };
/**
 * Part of the slices that may be without values at one end beside a slice full of them, where the
 * other end has not half as many, or `both`: scanners and reformats pad both ends, and a tilted head
 * that is written on a straight grid has 0.055 below its neck.
 */
const MAX_EMPTY_END = { one: 1 / 8, both: 1 / 4 };
/**
 * Mean of the slice beside a padded end, as part of that of the brightest one: there the image has
 * ended, in air or with the last of a brain alone.
 */
const MIN_BRIGHT = 1 / 3;
/**
 * Values in a slice, as part of those in the fullest one, from which its neighbours must have some:
 * an image of a brain alone ends in small slices, with islands and empty slices between them.
 */
const MIN_VALUES = 1 / 3;
/** Part of the slices that end at the same pixel, within a row, where all files were cut alike. */
const MIN_CUT_ALIKE = 0.9;

/** Values of a slice, and its end without any. */
interface SliceValues {
  /** pixels at the end that all have the value of the last one */
  tail: number;
  /** rows among them, as part of all rows */
  emptyRows: number;
  /** whether the tail begins within a row, below pixels that have values */
  isCutInRow: boolean;
  /** pixels that are not background, as part of all pixels */
  values: number;
  isEmpty: boolean;
  mean: number;
}

function valuesOf(stored: StoredValues, columns: number): SliceValues {
  const last = stored.at(-1)!, { length } = stored;
  let tail = 0, other = 0, nonZero = 0, sum = 0;
  while (tail < length && stored[length - 1 - tail] === last) tail++;
  for (const value of stored) {
    if (value !== last) other++;
    if (value !== 0) nonZero++;
    sum += value;
  }
  // a value in the last pixel is no background where most others are 0
  const count = nonZero < length / 2 ? Math.min(other, nonZero) : other;
  const inRow = tail % columns, from = length - tail - columns;
  let above = 0;
  for (let at = from; at >= 0 && at < from + inRow; at++) if (stored[at] !== last) above++;
  return {
    tail,
    emptyRows: Math.floor(tail / columns) * columns / length,
    isCutInRow: inRow > 0 && above > inRow / 2,
    values: count / length,
    isEmpty: tail === length,
    mean: sum / length,
  };
}

/**
 * Detects images whose files have the right size but not all of their pixels: an interrupted copy
 * or a damaged disk leaves zeros from some byte on.
 */
export class LostPixels {
  readonly #slices: SliceValues[] = [];
  #columns = 1;
  /** largest number of values in a slice, as part of its pixels */
  #fullest = 0;

  add(k: number, stored: StoredValues, columns: number): void {
    this.#columns = columns;
    const slice = valuesOf(stored, columns);
    this.#slices[k] = slice;
    this.#fullest = Math.max(this.#fullest, slice.values);
  }

  /** @throws {AppError} reason `lost_pixels`, after all slices. */
  finish(): void {
    const slices = this.#slices, first = slices.findIndex(({ isEmpty }) => !isEmpty);
    if (first < 0) throw this.#error(slices.length);
    const last = slices.findLastIndex(({ isEmpty }) => !isEmpty);
    const count = this.#cutAlike() || this.#lostEnds(first, last) + this.#lostWithin(first, last);
    if (count > 0) throw this.#error(count);
  }

  #isFull(slice: SliceValues | undefined): boolean {
    return slice !== undefined && slice.values >= MIN_VALUES * this.#fullest;
  }

  /** Number of slices where nearly all end at one pixel within a row, as files of one length do. */
  #cutAlike(): number {
    const slices = this.#slices.filter(({ isEmpty }) => !isEmpty);
    const cut = slices.filter(({ isCutInRow, tail }) => isCutInRow && tail >= this.#columns);
    const most = Math.max(
      0,
      ...[...Map.groupBy(cut, ({ tail }) => tail).values()]
        .map(({ length }) => length),
    );
    return most > 1 && most >= MIN_CUT_ALIKE * slices.length ? most : 0;
  }

  /** Number of slices without values at the ends of which the image does not end by itself. */
  #lostEnds(first: number, last: number): number {
    const slices = this.#slices, brightest = Math.max(...slices.map(({ mean }) => mean));
    const isBright = (slice: SliceValues) => slice.mean >= MIN_BRIGHT * brightest;
    // an interruption within a slice leaves its first rows: then the slice before it is full
    const isCut = (end: SliceValues, inner: SliceValues) =>
      this.#isFull(inner) && end.emptyRows >= inner.emptyRows + LOST_FRACTION.atEnd;
    const atFirst = first, atLast = slices.length - 1 - last;
    const ends = [[first, first + 1, atFirst, atLast], [last, last - 1, atLast, atFirst]] as const;
    let count = 0;
    for (const [at, innerAt, empty, opposite] of ends) {
      const end = slices[at]!, inner = slices[innerAt] ?? end;
      const isAbrupt = this.#isFull(end) || isCut(end, inner);
      const isOneSided = empty > 2 * opposite &&
        (isCut(end, inner) ? isBright(inner) : isBright(end));
      const most = isOneSided ? MAX_EMPTY_END.one : MAX_EMPTY_END.both;
      if (isAbrupt && empty > most * slices.length) count += empty;
    }
    return count;
  }

  /** Number of slices, alone or side by side, that end above both neighbours. */
  #lostWithin(first: number, last: number): number {
    const slices = this.#slices;
    let count = 0;
    for (let from = first + 1; from < last; from++) {
      const before = slices[from - 1]!;
      if (before.isEmpty || !this.#isFull(before)) continue;
      // the neighbour after them is the first that has its end again
      for (let to = from; to < last; to++) {
        const lost = slices.slice(from, to + 1), after = slices[to + 1]!;
        const fraction = lost.length > 1 ? LOST_FRACTION.ofSeveral : LOST_FRACTION.ofOne;
        const areLost = (rows: number) =>
          lost.every(({ isEmpty, emptyRows }) => isEmpty || emptyRows >= rows + fraction);
        if (!areLost(before.emptyRows)) break;
        if (after.isEmpty || !this.#isFull(after) || !areLost(after.emptyRows)) continue;
        count += lost.length;
        from = to;
        break;
      }
    }
    return count;
  }

  #error(slices: number) {
    return rejected("lost_pixels", `Cannot convert series: ${slices} slices lack pixels`, {
      slices,
    });
  }
}
