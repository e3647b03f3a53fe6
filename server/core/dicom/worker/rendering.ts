/**
 * Renders frames as JPEG (PS3.18 §8.7.4, §9.4), scaled to a viewport.
 * Window/level is that of the request, otherwise of the file, otherwise of the pixel values.
 */
import jpeg from "jpeg-js";
import { AppError } from "@/model/errors.ts";
import {
  type InstanceHeader,
  isNativeSyntax,
  readHeader,
} from "@/server/core/dicom/read/instance.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import type { Rendering } from "@/server/core/dicom/worker/rendering_query.ts";

const QUALITY = 90;
/** Maximum enlargement of an image; a larger viewport is not filled. */
const MAX_PIXELS = 2048 * 2048;

/** Opaque image as RGBA pixels, row by row. */
interface Picture {
  data: Uint8Array;
  width: number;
  height: number;
}

/**
 * Scales an image to fit into a viewport; each pixel is the mean of the source pixels it covers.
 */
function fitted(
  { data, width, height }: Picture,
  into: { width: number; height: number },
): Picture {
  const most = Math.max(1, Math.sqrt(MAX_PIXELS / (width * height)));
  const scale = Math.min(into.width / width, into.height / height, most);
  const wide = Math.max(1, Math.round(width * scale)),
    high = Math.max(1, Math.round(height * scale));
  const out = new Uint8Array(4 * wide * high).fill(255);
  for (let y = 0, to = 0; y < high; y++) {
    const top = Math.floor(y * height / high),
      bottom = Math.max(top + 1, Math.floor((y + 1) * height / high));
    for (let x = 0; x < wide; x++, to += 4) {
      const left = Math.floor(x * width / wide),
        right = Math.max(left + 1, Math.floor((x + 1) * width / wide));
      for (let colour = 0; colour < 3; colour++) {
        let sum = 0;
        for (let j = top; j < bottom; j++) {
          for (let i = left; i < right; i++) sum += data[4 * (j * width + i) + colour]!;
        }
        out[to + colour] = sum / ((bottom - top) * (right - left));
      }
    }
  }
  return { data: out, width: wide, height: high };
}

function jpegOf(picture: Picture, viewport: Rendering["viewport"]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(jpeg.encode(viewport ? fitted(picture, viewport) : picture, QUALITY).data);
}

/** Window/level stated in a file for all frames (PS3.3 C.11.2, C.7.6.16.2.10); `null` if none. */
function ownWindow(bytes: Uint8Array): Window | null {
  const { dataSet } = parseStored(bytes, false);
  const ofFrames = dataSet.elements.x52009229?.items?.[0]?.dataSet?.elements.x00289132?.items?.[0]
    ?.dataSet;
  for (const stated of [dataSet, ofFrames]) {
    const level = stated?.floatString("x00281050"), width = stated?.floatString("x00281051");
    if (level !== undefined && width !== undefined && width >= 1) return { level, width };
  }
  return null;
}

type Window = { level: number; width: number };

/** Default window: from the lowest value to the 99.5th percentile; NaN pixels are ignored. */
function windowOf(values: Float32Array): Window {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort(),
    low = sorted[0] ?? 0,
    high = sorted[Math.floor(0.995 * (sorted.length - 1))] ?? 0;
  return { level: (low + high + 1) / 2, width: Math.max(1, high - low + 1) };
}

/** Default window of one-bit pixels: percentiles would hide a segment, which is small. */
const BLACK_AND_WHITE: Window = { level: 0.5, width: 1 };

/** Rescaled values of an uncompressed grey frame. */
function valuesOf(
  bytes: Uint8Array<ArrayBuffer>,
  { rows, columns, bitsAllocated, pixels, isSigned, slope, intercept }: InstanceHeader,
  frame: number,
): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), size = bitsAllocated / 8;
  const { offset, isBigEndian, isFloat } = pixels!, isLittle = !isBigEndian;
  if (bitsAllocated === 1) {
    // pixels are packed from the lowest bit on, and so are frames (PS3.5 8.1.1)
    const first = (frame - 1) * rows * columns;
    return Float32Array.from({ length: rows * columns }, (_, at) => {
      const bit = first + at;
      return view.getUint8(offset + (bit >> 3)) >> (bit & 7) & 1;
    });
  }
  const start = offset + (frame - 1) * rows * columns * size;
  const readAt = (place: number) => {
    if (size === 1) return view.getUint8(place);
    if (isFloat) {
      return size === 4 ? view.getFloat32(place, isLittle) : view.getFloat64(place, isLittle);
    }
    return isSigned ? view.getInt16(place, isLittle) : view.getUint16(place, isLittle);
  };
  return Float32Array.from(
    { length: rows * columns },
    (_, at) => readAt(start + at * size) * slope + intercept,
  );
}

/**
 * Renders a frame of a file as JPEG.
 * @throws {AppError} `entity.not_found`; `upload.format_not_supported` for compressed pixels,
 * or for a photometric interpretation other than grey or colour.
 */
export function renderFrame(
  bytes: Uint8Array<ArrayBuffer>,
  { frame, window, viewport }: Rendering,
): Uint8Array<ArrayBuffer> {
  const header = readHeader(bytes, ""),
    { rows, columns, bitsAllocated, pixels, frameCount } = header;
  if (frame < 1 || frame > frameCount) {
    throw new AppError("entity.not_found", "Cannot answer: there is no such frame");
  }
  if (!pixels || !isNativeSyntax(header.transferSyntax)) {
    throw new AppError("upload.format_not_supported", "Cannot render: the pixels are compressed", {
      reason: "compression",
    });
  }
  const data = new Uint8Array(4 * rows * columns).fill(255),
    picture = { data, width: columns, height: rows };
  if (header.samplesPerPixel === 3 && bitsAllocated === 8) {
    const start = pixels.offset + (frame - 1) * 3 * rows * columns;
    for (let from = start, to = 0; to < data.length; to += 4, from += 3) {
      data.set(bytes.subarray(from, from + 3), to);
    }
    return jpegOf(picture, viewport);
  }
  if (
    header.samplesPerPixel !== 1 ||
    (bitsAllocated < 8 && (bitsAllocated !== 1 || pixels.isBigEndian)) ||
    (bitsAllocated > 16 && !pixels.isFloat)
  ) {
    throw new AppError(
      "upload.format_not_supported",
      "Cannot render: no picture of grey levels or colours",
      {
        reason: "pixel_format",
      },
    );
  }
  const values = valuesOf(bytes, header, frame);
  const { level, width } = window ?? ownWindow(bytes) ??
    (bitsAllocated === 1 ? BLACK_AND_WHITE : windowOf(values));
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    // linear window function: PS3.3 C.11.2.1.2.1, for float pixels C.11.2.1.3.2
    const part = pixels.isFloat
      ? (Number.isNaN(value) ? 0 : (value - level) / width + 0.5)
      : width > 1
      ? (value - (level - 0.5)) / (width - 1) + 0.5
      : Number(value > level - 0.5);
    const grey = 255 * Math.max(0, Math.min(1, part));
    data.fill(header.photometric === "MONOCHROME1" ? 255 - grey : grey, 4 * at, 4 * at + 3);
  }
  return jpegOf(picture, viewport);
}
