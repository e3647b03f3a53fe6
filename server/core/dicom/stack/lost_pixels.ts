import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";

/**
 * Fraction of an image without values in slices, but with values in both neighbours, that is lost.
 * Removing a face moves the edge of the image far less from slice to slice:
 * at most 0.028 of the rows between two slices, and 0.15 on one side alone, in measured images.
 */
const LOST_FRACTION = { ofOne: 1 / 16, ofSeveral: 1 / 8, atEnd: 1 / 4 };
/** Maximum fraction of pixels that differ from the background in a row of air (specks). */
const MAX_SPECKS = 0.01;
/** Minimum fraction of pixels with values in rows that are lost in the adjacent slice. */
const MIN_IMAGE = 0.1;
/**
 * Maximum fraction of empty slices at one end, beside a full slice, if the other end has less
 * than half as many; otherwise `both` is the limit. Scanners and reformats pad both ends.
 * A tilted head on a straight grid had 0.0625 empty slices below the neck.
 */
const MAX_EMPTY_END = { one: 0.07, both: 1 / 4 };
/**
 * Mean of the slice beside the empty slices, relative to the brightest slice:
 * below this, the image had ended there, in air or at the end of an extracted brain.
 */
const MIN_BRIGHT = 1 / 3;
/**
 * A slice with fewer values than this fraction of the fullest slice may have empty neighbours:
 * an extracted brain ends in small slices, with islands and empty slices between.
 */
const MIN_VALUES = 1 / 3;
/**
 * Minimum fraction of slices that end at the same pixel within a row, if all files were cut alike.
 */
const MIN_CUT_ALIKE = 0.9;

/** Pixels with values in a slice, and pixels without values at its end. */
interface SliceValues {
  /** number of pixels at the end that have the value of the last pixel */
  tail: number;
  /** number of rows at the end that consist of such equal pixels */
  emptyRows: number;
  /** number of rows at the end that are air: nearly all pixels have the background value */
  airRows: number;
  /** number of pixels of each row that differ from the background value */
  rows: Uint16Array;
  /** whether the equal pixels begin within a row, below pixels with values up to the edge */
  isCutInRow: boolean;
  /** pixels that differ from the background, as a fraction of all pixels */
  values: number;
  isEmpty: boolean;
  mean: number;
}

/** The most frequent value in the last row; not simply the last pixel, which may be a speck. */
function backgroundOf(stored: StoredValues, columns: number): number {
  let background = 0, votes = 0;
  for (let at = stored.length - columns; at < stored.length; at++) {
    if (votes === 0) background = stored[at]!;
    votes += stored[at] === background ? 1 : -1;
  }
  return background;
}

/**
 * Whether the equal pixels begin within a row and below values, as in a file that was cut off.
 * The padding below an image that is rotated in its plane looks similar,
 * but is also at the right edge, or shifts by the same step in the rows above.
 */
function isCutInRow(stored: StoredValues, columns: number, tail: number): boolean {
  const { length } = stored, last = stored.at(-1)!, inRow = tail % columns;
  const isValue = (at: number) => stored[at] !== last;
  const mostly = (from: number, pixels: number) => {
    let values = 0;
    for (let at = from; at < from + pixels; at++) if (isValue(at)) values++;
    return values > pixels / 2;
  };
  const above = length - tail - columns;
  if (inRow === 0 || above < 0 || !isValue(above + inRow - 1) || !mostly(above, inRow)) {
    return false;
  }
  let head = 0;
  while (head < length && !isValue(head)) head++;
  const below = head - head % columns + columns;
  return head % columns === 0 || !mostly(below, head % columns);
}

function valuesOf(stored: StoredValues, columns: number): SliceValues {
  const last = stored.at(-1)!, { length } = stored, background = backgroundOf(stored, columns);
  const rows = new Uint16Array(length / columns);
  let tail = 0, other = 0, nonZero = 0, sum = 0, airRows = 0;
  while (tail < length && stored[length - 1 - tail] === last) tail++;
  for (let row = 0, at = 0; row < rows.length; row++) {
    for (const end = at + columns; at < end; at++) {
      const value = stored[at]!;
      if (value !== last) other++;
      if (value !== 0) nonZero++;
      if (value !== background) rows[row]!++;
      sum += value;
    }
    airRows = rows[row]! <= MAX_SPECKS * columns ? airRows + 1 : 0;
  }
  // if most other pixels are 0, the value of the last pixel is not the background
  const count = nonZero < length / 2 ? Math.min(other, nonZero) : other;
  return {
    tail,
    emptyRows: Math.floor(tail / columns),
    airRows,
    rows,
    isCutInRow: isCutInRow(stored, columns, tail),
    values: count / length,
    isEmpty: tail === length,
    mean: sum / length,
  };
}

/** Whether a slice ends above an adjacent slice by at least a fraction of the rows. */
const endsAbove = (slice: SliceValues, other: SliceValues, fraction: number): boolean =>
  slice.emptyRows >= other.airRows + fraction * slice.rows.length;

/**
 * Detects images that lack pixels although their files have the right size.
 * An interrupted copy or a damaged disk leaves zeros from some byte to the end.
 */
export class LostPixels {
  readonly #slices: SliceValues[] = [];
  #columns = 1;
  /** number of values in the fullest slice, as a fraction of its pixels */
  #fullest = 0;

  add(k: number, stored: StoredValues, columns: number): void {
    this.#columns = columns;
    const slice = valuesOf(stored, columns);
    this.#slices[k] = slice;
    this.#fullest = Math.max(this.#fullest, slice.values);
  }

  /** Call after all slices. @throws {AppError} reason `lost_pixels`. */
  finish(): void {
    const slices = this.#slices, first = slices.findIndex(({ isEmpty }) => !isEmpty);
    if (first < 0) throw this.#error(slices.length);
    const last = slices.findLastIndex(({ isEmpty }) => !isEmpty);
    const count = this.#cutAlike() || this.#lostEnds(first, last) + this.#lostWithin(first, last);
    if (count > 0) throw this.#error(count);
  }

  /** Whether the image of a slice reaches the last rows, apart from air below it. */
  #hasImage({ rows, airRows }: SliceValues, lastRows: number): boolean {
    const image = rows.subarray(rows.length - lastRows, rows.length - airRows);
    const values = image.reduce((sum, count) => sum + count, 0);
    return values >= MIN_IMAGE * image.length * this.#columns;
  }

  #isFull(slice: SliceValues | undefined): boolean {
    return slice !== undefined && slice.values >= MIN_VALUES * this.#fullest;
  }

  /**
   * Number of slices that end at the same pixel within a row, if nearly all do, as cut files do.
   */
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

  /** Number of empty slices at the ends of the stack, if the image had not ended before them. */
  #lostEnds(first: number, last: number): number {
    const slices = this.#slices, brightest = Math.max(...slices.map(({ mean }) => mean));
    const isBright = (slice: SliceValues) => slice.mean >= MIN_BRIGHT * brightest;
    // an interruption within a slice leaves its first rows, after a full slice, and cuts no other
    // slice, unlike an edge of the image that crosses the slices obliquely
    const isCut = (end: SliceValues, inner: SliceValues, next: SliceValues) =>
      this.#isFull(inner) && endsAbove(end, inner, LOST_FRACTION.atEnd) &&
      !endsAbove(inner, next, LOST_FRACTION.ofOne);
    const atFirst = first, atLast = slices.length - 1 - last;
    const ends = [[first, 1, atFirst, atLast], [last, -1, atLast, atFirst]] as const;
    let count = 0;
    for (const [at, inward, empty, opposite] of ends) {
      const end = slices[at]!, inner = slices[at + inward] ?? end;
      const isEndCut = isCut(end, inner, slices[at + 2 * inward] ?? inner);
      const isAbrupt = this.#isFull(end) || isEndCut;
      const isOneSided = empty > 2 * opposite && isBright(isEndCut ? inner : end);
      const most = isOneSided ? MAX_EMPTY_END.one : MAX_EMPTY_END.both;
      if (isAbrupt && empty > most * slices.length) count += empty;
    }
    return count;
  }

  /** Number of slices, single or adjacent, that end above the slices on both sides. */
  #lostWithin(first: number, last: number): number {
    const slices = this.#slices;
    let count = 0;
    for (let from = first + 1; from < last; from++) {
      const before = slices[from - 1]!;
      if (before.isEmpty || !this.#isFull(before)) continue;
      // the slice after lost slices is the first that is complete to its end
      for (let to = from; to < last; to++) {
        const lost = slices.slice(from, to + 1), after = slices[to + 1]!;
        const fraction = lost.length > 1 ? LOST_FRACTION.ofSeveral : LOST_FRACTION.ofOne;
        const areLost = (beside: SliceValues) =>
          lost.every((slice) =>
            slice.isEmpty ||
            (endsAbove(slice, beside, fraction) && this.#hasImage(beside, slice.emptyRows))
          );
        if (!areLost(before)) break;
        if (after.isEmpty || !this.#isFull(after) || !areLost(after)) continue;
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
