import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const GREY = 0, RGB = 2, PAETH = 4;
/** Compression level; higher levels take twice the time for 2 % fewer bytes. */
const LEVEL = 6;

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length), view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** Applies the PNG filter "Paeth" to a row, with `step` bytes per pixel, into `out`. */
function predictRow(row: Uint8Array, above: Uint8Array, step: number, out: Uint8Array): void {
  for (let x = 0; x < row.length; x++) {
    const left = x < step ? 0 : row[x - step]!, up = above[x]!;
    const corner = x < step ? 0 : above[x - step]!;
    const toLeft = Math.abs(up - corner), toUp = Math.abs(left - corner);
    const toCorner = Math.abs(left + up - 2 * corner);
    const predicted = toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
    out[x] = row[x]! - predicted;
  }
}

/**
 * Lossless PNG encoder: 8-bit grey where red, green and blue are equal everywhere, otherwise 8-bit
 * RGB. Without metadata.
 *
 * @param rgba Rows from the top, opaque.
 */
export function encodeImage(
  rgba: Uint8ClampedArray,
  width: number,
  height: number,
): Uint8Array<ArrayBuffer> {
  const pixels = width * height;
  let isGrey = true;
  for (let at = 0; at < 4 * pixels && isGrey; at += 4) {
    isGrey = rgba[at] === rgba[at + 1] && rgba[at] === rgba[at + 2];
  }
  const step = isGrey ? 1 : 3, stride = step * width;
  const samples = new Uint8Array(pixels * step), raw = new Uint8Array(height * (stride + 1));
  for (let at = 0, out = 0; at < 4 * pixels; at += 4) {
    for (let channel = 0; channel < step; channel++) samples[out++] = rgba[at + channel]!;
  }
  let above: Uint8Array = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const row = samples.subarray(y * stride, (y + 1) * stride), start = y * (stride + 1);
    raw[start] = PAETH;
    predictRow(row, above, step, raw.subarray(start + 1, start + 1 + stride));
    above = row;
  }
  const header = new Uint8Array(13), view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 8;
  header[9] = isGrey ? GREY : RGB;
  const parts = [
    new Uint8Array(SIGNATURE),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw, { level: LEVEL, memLevel: 9 })),
    chunk("IEND", new Uint8Array()),
  ];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) bytes.set(part, at), at += part.length;
  return bytes;
}
