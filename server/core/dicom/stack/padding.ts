import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";
import { bitFormatOf, valueOf } from "@/server/core/dicom/stack/pixels.ts";

/**
 * Padding pixels of an image: pixels of a padding value that are connected to the image border.
 * Pixels with the padding value inside the patient's head are tissue.
 *
 * @returns mask, row by row; `undefined` if the image has no padding.
 */
export function paddingMask(stored: StoredValues, header: InstanceHeader): Uint8Array | undefined {
  if (!header.padding) return undefined;
  const { columns, rows, padding: [low, high] } = header, format = bitFormatOf(header);
  const mask = new Uint8Array(columns * rows), open: number[] = [];
  const visit = (at: number) => {
    const value = valueOf(stored[at]!, format);
    if (mask[at] || value < low || value > high) return;
    mask[at] = 1;
    open.push(at);
  };
  for (let row = 0; row < rows; row++) {
    visit(row * columns);
    visit((row + 1) * columns - 1);
  }
  for (let column = 0; column < columns; column++) {
    visit(column);
    visit((rows - 1) * columns + column);
  }
  if (open.length === 0) return undefined;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const column = at % columns;
    if (column > 0) visit(at - 1);
    if (column < columns - 1) visit(at + 1);
    if (at >= columns) visit(at - columns);
    if (at < (rows - 1) * columns) visit(at + columns);
  }
  return mask;
}
