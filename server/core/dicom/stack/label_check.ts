import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";

/** A series with at most this number of distinct values is a mask; MR images have hundreds. */
const FEW_VALUES = 16;
/** Maximum number of distinct values of a label map; for 8-bit MR images see {@link MIN_EQUAL}. */
const MAX_VALUES = 256;
/**
 * Minimum fraction of labelled pixels in a label map that equal the pixel to their left. Noise
 * makes this fraction small in MR images, including 8-bit MR images.
 */
const MIN_EQUAL = 0.6;

/** Detects segmentations and masks, which have few values in large areas. */
export class LabelCheck {
  readonly #values = new Set<number>();
  #background: number | undefined;
  /** pairs of horizontally adjacent pixels outside the background, and pairs with equal values */
  #pairs = 0;
  #equal = 0;

  add(stored: StoredValues, columns: number): void {
    const values = this.#values, background = this.#background ??= stored[0];
    for (let at = 0; at < stored.length && values.size <= MAX_VALUES; at++) {
      const value = stored[at]!;
      values.add(value);
      if (at % columns === 0 || value === background || stored[at - 1] === background) continue;
      this.#pairs++;
      if (value === stored[at - 1]) this.#equal++;
    }
  }

  /** Call after all images. @throws {AppError} reason `label_map`. */
  finish(): void {
    const count = this.#values.size;
    const isFlat = this.#equal >= MIN_EQUAL * this.#pairs;
    if (count > MAX_VALUES || (count > FEW_VALUES && !isFlat)) return;
    throw rejected("label_map", `Cannot convert series: it has ${count} different values`, {
      count,
    });
  }
}
