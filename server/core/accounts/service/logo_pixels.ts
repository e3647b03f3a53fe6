/// <reference path="./pngjs.d.ts" />
// Pixels of an uploaded logo. Runs in a worker, see logo.ts.
import { inflateSync } from "node:zlib";
import { decode as decodeJpeg } from "jpeg-js";
import { PNG } from "pngjs";
import { AppError } from "@/model/errors.ts";
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE } from "@/model/schema/accounts/my_page.ts";
import { encodePng } from "@/report/pdf/png.ts";

/** Maximum size of the stored logo, pixels: sharp in print at a width of 5 cm. */
const MAX_LOGO_WIDTH = 600, MAX_LOGO_HEIGHT = 240;

interface Picture {
  width: number;
  height: number;
  /** RGBA pixels, row by row from the top */
  data: Uint8Array;
}

const noPicture = (cause?: unknown) =>
  new AppError("logo.format", "Cannot take the logo: neither PNG nor JPEG", {}, { cause });
const tooLarge = () => new AppError("logo.too_large", "Cannot take the logo: too large");

const isPng = (bytes: Uint8Array) =>
  Buffer.from(bytes.subarray(0, 8)).toString("hex") === "89504e470d0a1a0a";
const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/**
 * Width and height by the frame header of a JPEG file (ITU-T T.81 B.2.2); `null` without header.
 */
function jpegSize(bytes: Uint8Array): [number, number] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return [view.getUint16(at + 7), view.getUint16(at + 5)];
    }
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** Position of the interlace method in a PNG file, and the largest size of a pixel: 4 × 16 bits. */
const INTERLACE_AT = 28, MAX_BYTES_PER_PIXEL = 8;

/**
 * Unpacks the pixels of an interlaced PNG up to the size of its image. pngjs unpacks them without a
 * limit, so that a file of 1 MB would fill a gigabyte and stop the server for a minute.
 * @throws {Error} ERR_BUFFER_TOO_LARGE when there is more than the image has.
 */
function checkInterlaced(bytes: Uint8Array, width: number, height: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const isPixels = Buffer.from(bytes.subarray(at + 4, at + 8)).toString("latin1") === "IDAT";
    if (isPixels) parts.push(bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  // one byte for each row of the seven passes, which have less than twice as many rows as the image
  const filterBytes = 2 * (height + 7);
  inflateSync(Buffer.concat(parts), {
    maxOutputLength: MAX_BYTES_PER_PIXEL * width * height + filterBytes,
  });
}

/** Maximum number of pixels that are decoded. */
const MAX_PIXELS = MAX_LOGO_SIDE ** 2;

/** Checks the declared size before decoding, because a small file may unpack to gigabytes. */
function decoded(bytes: Uint8Array): Picture {
  if (!isPng(bytes) && !isJpeg(bytes)) throw noPicture();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isPng(bytes) && bytes.length < 33) throw noPicture();
  const size = isPng(bytes) ? [view.getUint32(16), view.getUint32(20)] : jpegSize(bytes);
  if (size === null || size.includes(0)) throw noPicture();
  if (size.some((side) => side > MAX_LOGO_SIDE)) throw tooLarge();
  try {
    if (isPng(bytes) && bytes[INTERLACE_AT] !== 0) checkInterlaced(bytes, size[0]!, size[1]!);
    return isPng(bytes) ? PNG.sync.read(Buffer.from(bytes)) : decodeJpeg(bytes, {
      useTArray: true,
      maxMemoryUsageInMB: 256,
      // only the first frame header was checked above; the file may have a larger second one
      maxResolutionInMP: MAX_PIXELS / 1e6,
      tolerantDecoding: false,
    });
  } catch (cause) {
    throw noPicture(cause);
  }
}

/**
 * Draws an image on white and scales it down; a pixel is the mean of the source pixels it covers.
 */
function fitted(
  { width, height, data }: Picture,
): { width: number; height: number; rgb: Uint8Array } {
  const factor = Math.max(1, width / MAX_LOGO_WIDTH, height / MAX_LOGO_HEIGHT);
  const w = Math.max(1, Math.round(width / factor)), h = Math.max(1, Math.round(height / factor));
  const rgb = new Uint8Array(3 * w * h);
  for (let y = 0; y < h; y++) {
    const top = Math.floor(y * height / h),
      bottom = Math.max(top + 1, Math.floor((y + 1) * height / h));
    for (let x = 0; x < w; x++) {
      const left = Math.floor(x * width / w),
        right = Math.max(left + 1, Math.floor((x + 1) * width / w));
      let red = 0, green = 0, blue = 0;
      for (let row = top; row < bottom; row++) {
        for (let i = 4 * (row * width + left), end = 4 * (row * width + right); i < end; i += 4) {
          const alpha = data[i + 3]! / 255, white = 255 * (1 - alpha);
          red += data[i]! * alpha + white;
          green += data[i + 1]! * alpha + white;
          blue += data[i + 2]! * alpha + white;
        }
      }
      const count = (bottom - top) * (right - left);
      rgb.set([red / count, green / count, blue / count].map(Math.round), 3 * (y * w + x));
    }
  }
  return { width: w, height: h, rgb };
}

/**
 * Encodes a logo again from its pixels, so that no metadata of the uploaded file is kept.
 *
 * @returns PNG, RGB on white, at most 600 × 240 pixels.
 * @throws {AppError} `logo.too_large`; `logo.format` for content that is neither PNG nor JPEG.
 */
export function reencodeLogo(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length > MAX_LOGO_BYTES) throw tooLarge();
  const { width, height, rgb } = fitted(decoded(bytes));
  return encodePng(rgb, width, height);
}
