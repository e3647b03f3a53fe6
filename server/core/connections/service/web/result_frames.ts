/** Reads single frames of a result without reading the whole file. */
import { AppError } from "@/model/errors.ts";
import {
  PIXEL_HEADER_BYTES,
  resultBytes,
  type WebResult,
} from "@/server/core/connections/service/web/results.ts";
import { parseOwn } from "@/server/core/dicom/read/own_file.ts";
import type { WebPart } from "@/server/core/dicom/worker/frame_parts.ts";

const TYPE = "application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1";

const numberOf = ({ json }: WebResult, tag: string, otherwise: number): number =>
  Number(json[tag]?.Value?.[0] ?? otherwise);

/** Position and size of the frames in the file of a result. */
interface Place {
  /** position of the first frame in the file, bytes */
  offset: number;
  /** size of a frame in bits; frames follow each other without padding, even inside a byte */
  bits: number;
  count: number;
  /** whether a pixel takes 1 bit (PS3.5 8.1.1) */
  isPacked: boolean;
}

/** @returns `null` for a result without pixels. */
function placeOf(result: WebResult): Place | null {
  const { pixelOffset: offset } = result;
  const allocated = numberOf(result, "00280100", 0);
  const bits = numberOf(result, "00280010", 0) * numberOf(result, "00280011", 0) *
    numberOf(result, "00280002", 1) * allocated;
  if (offset === null || bits === 0) return null;
  return { offset, bits, count: numberOf(result, "00280008", 1), isPacked: allocated === 1 };
}

/** Bytes of a frame, shifted so that the first pixel is the lowest bit of the first byte. */
async function frameOf(
  result: WebResult,
  { offset, bits, count }: Place,
  frame: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (frame < 1 || frame > count) {
    throw new AppError("entity.not_found", "Cannot answer: there is no such frame");
  }
  const from = (frame - 1) * bits, shift = from % 8;
  const read = await resultBytes(
    result,
    offset + Math.floor(from / 8),
    offset + Math.ceil((from + bits) / 8),
  );
  if (shift === 0) return read;
  const bytes = new Uint8Array(Math.ceil(bits / 8));
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = read[at]! >> shift | (read[at + 1] ?? 0) << 8 - shift;
  }
  return bytes;
}

/**
 * Frames of a result without conversion; `null` if the whole file must be read.
 * @param wanted Frame numbers from 1. @throws {AppError} `entity.not_found`.
 */
export async function resultFrames(
  result: WebResult,
  wanted: readonly number[],
): Promise<WebPart[] | null> {
  const place = placeOf(result);
  if (place === null || place.isPacked) return null;
  const parts: WebPart[] = [];
  for (const frame of wanted) {
    parts.push({ type: TYPE, bytes: await frameOf(result, place, frame) });
  }
  return parts;
}

/**
 * A DICOM file with one frame of a result, for rendering; `null` if the whole file must be read.
 * @throws {AppError} `entity.not_found`.
 */
export async function oneFrameFile(
  result: WebResult,
  frame: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const place = placeOf(result);
  if (place === null || place.count === 1) return null;
  const head = await resultBytes(result, 0, place.offset);
  const own = await frameOf(result, place, frame);
  // pixel data in a DICOM file must have an even length
  const pixels = new Uint8Array(own.length + own.length % 2);
  pixels.set(own);
  const frames = parseOwn(head.subarray(0, place.offset - PIXEL_HEADER_BYTES)).elements.x00280008!;
  head.fill(0x20, frames.dataOffset, frames.dataOffset + frames.length);
  head[frames.dataOffset] = "1".charCodeAt(0);
  new DataView(head.buffer).setUint32(place.offset - 4, pixels.length, true);
  return new Uint8Array(await new Blob([head, pixels]).arrayBuffer());
}

/** Value of an element that precedes the pixels; `null` if the whole file must be read. */
export async function headValue(
  result: WebResult,
  tag: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (result.pixelOffset === null) return null;
  const head = await resultBytes(result, 0, result.pixelOffset - PIXEL_HEADER_BYTES);
  const element = parseOwn(head).elements[`x${tag.toLowerCase()}`];
  return element && !element.items
    ? head.slice(element.dataOffset, element.dataOffset + element.length)
    : null;
}
