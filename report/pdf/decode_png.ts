import { inflateSync } from "node:zlib";

/** A decoded image: RGB pixels, row by row from the top. */
interface Decoded {
  width: number;
  height: number;
  rgb: Uint8Array<ArrayBuffer>;
}

/** Samples per pixel for each PNG colour type: grey, RGB, grey with alpha, RGBA. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };
const MAX_SIDE = 8192, MAX_PIXELS = 1 << 24;

/** Paeth predictor of PNG's filter 4 (PNG 3rd edition, 9.4). */
function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Reverses the filters of all PNG rows in place. @returns false for an unknown filter. */
function unfilter(raw: Uint8Array, height: number, stride: number, samples: number): boolean {
  for (let row = 0; row < height; row++) {
    const from = row * (stride + 1) + 1, above = from - stride - 1, filter = raw[from - 1]!;
    if (filter > 4) return false;
    for (let x = 0; x < stride; x++) {
      const leftSample = x < samples ? 0 : raw[from + x - samples]!,
        up = row === 0 ? 0 : raw[above + x]!;
      const corner = x < samples || row === 0 ? 0 : raw[above + x - samples]!;
      const guess = [
        0,
        leftSample,
        up,
        (leftSample + up) >> 1,
        paeth(leftSample, up, corner),
      ][filter]!;
      raw[from + x] = raw[from + x]! + guess;
    }
  }
  return true;
}

/**
 * Decodes a PNG as written by browsers: 8 bits, not interlaced, no palette.
 * Transparent pixels of the PNG become black.
 * @returns `null` for any other or damaged file. Uses at most 5 bytes per pixel.
 */
export function decodePng(bytes: Uint8Array): Decoded | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 33 || view.getUint32(12) !== 0x49484452) return null;
  const width = view.getUint32(16),
    height = view.getUint32(20),
    [depth, type, , , interlace] = bytes.subarray(24);
  const samples = SAMPLES[type!];
  if (depth !== 8 || samples === undefined || interlace !== 0) return null;
  if (
    width < 1 || height < 1 || Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS
  ) {
    return null;
  }
  const parts: Uint8Array[] = [];
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    if (view.getUint32(at + 4) === 0x49444154) parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const stride = samples * width, size = height * (stride + 1);
  let raw: Uint8Array;
  try {
    raw = inflateSync(Buffer.concat(parts), { maxOutputLength: size });
  } catch {
    return null;
  }
  if (raw.length !== size || !unfilter(raw, height, stride, samples)) return null;
  const rgb = new Uint8Array(3 * width * height),
    isGrey = samples < 3,
    hasAlpha = samples % 2 === 0;
  for (let row = 0, to = 0; row < height; row++) {
    for (let x = 0; x < width; x++) {
      const from = row * (stride + 1) + 1 + x * samples,
        alpha = hasAlpha ? raw[from + samples - 1]! / 255 : 1;
      for (let colour = 0; colour < 3; colour++) {
        rgb[to++] = Math.round(raw[from + (isGrey ? 0 : colour)]! * alpha);
      }
    }
  }
  return { width, height, rgb };
}
