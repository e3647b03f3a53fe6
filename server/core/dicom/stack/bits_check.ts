import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";
import { bitFormatOf, valueOf } from "@/server/core/dicom/stack/pixels.ts";

/**
 * Detects a Bits Stored value that is too small: larger pixel values would lose their upper bits,
 * and bright tissue would become dark. The upper bits may also contain other data such as overlays.
 * Neighbouring pixels differ less in the correct interpretation, which is therefore chosen.
 */
export class BitsCheck {
  /** sums of differences between neighbouring pixels, without and with bits above Bits Stored */
  #stored = 0;
  #all = 0;
  #bitsStored = 0;
  /** whether pixels have bits below the stored bits, and whether all fit the lowest bits */
  #hasLower = false;
  #fitsLowest = true;

  add(stored: StoredValues, header: InstanceHeader): void {
    const { bitsAllocated, isSigned, columns } = header, format = bitFormatOf(header);
    const bits = format.mask.toString(2).length;
    const whole = { shift: 0, mask: 2 ** bitsAllocated - 1, sign: 0 };
    if (isSigned) whole.sign = 2 ** (bitsAllocated - 1);
    if (format.shift === 0) this.#fitsLowest = false;
    else if (this.#fitsLowest) {
      const lowest = { ...format, shift: 0 }, lower = 2 ** format.shift - 1;
      this.#hasLower ||= stored.some((pixel) => (pixel & lower) !== 0);
      this.#fitsLowest = stored.every((pixel) => valueOf(pixel, lowest) === valueOf(pixel, whole));
    }
    if (bits === bitsAllocated || format.shift > 0) return;
    if (stored.every((pixel) => valueOf(pixel, whole) === valueOf(pixel, format))) return;
    this.#bitsStored = bits;
    for (let at = 1; at < stored.length; at++) {
      if (at % columns === 0) continue;
      const [a, b] = [stored[at - 1]!, stored[at]!];
      this.#stored += Math.abs(valueOf(b, format) - valueOf(a, format));
      this.#all += Math.abs(valueOf(b, whole) - valueOf(a, whole));
    }
  }

  /**
   * Whether all values are in the lowest bits although High Bit states higher bits.
   * Archives have rewritten files so: reading only the stated bits would cut off the low bits.
   */
  get isInLowestBits(): boolean {
    return this.#hasLower && this.#fitsLowest;
  }

  /** Call after all images. @throws {AppError} reason `bits_stored`. */
  finish(): void {
    if (this.#stored <= this.#all) return;
    throw rejected("bits_stored", "Cannot convert series: values are above Bits Stored", {
      bits: this.#bitsStored,
    });
  }
}
