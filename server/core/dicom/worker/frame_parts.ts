/** Frames and bulk data of stored files, unchanged, for DICOMweb (PS3.18 §10.4). */
import { AppError } from "@/model/errors.ts";
import { isNativeSyntax, readHeader } from "@/server/core/dicom/read/instance.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import { compressedFrame } from "@/server/core/dicom/stack/fragments.ts";

/** One part of a multipart HTTP response. */
export interface WebPart {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Media type of frames by transfer syntax (PS3.18 Table 8.7.3-5). */
const MEDIA: Readonly<Record<string, string>> = {
  "1.2.840.10008.1.2.4.50": "image/jpeg",
  "1.2.840.10008.1.2.4.51": "image/jpeg",
  "1.2.840.10008.1.2.4.57": "image/jpeg",
  "1.2.840.10008.1.2.4.70": "image/jpeg",
  "1.2.840.10008.1.2.4.80": "image/jls",
  "1.2.840.10008.1.2.4.81": "image/jls",
  "1.2.840.10008.1.2.4.90": "image/jp2",
  "1.2.840.10008.1.2.4.91": "image/jp2",
  "1.2.840.10008.1.2.4.201": "image/jphc",
  "1.2.840.10008.1.2.4.202": "image/jphc",
  "1.2.840.10008.1.2.4.203": "image/jphc",
  "1.2.840.10008.1.2.5": "image/dicom-rle",
};
const EXPLICIT_LE = "1.2.840.10008.1.2.1";

const notFound = () => new AppError("entity.not_found", "Cannot answer: there is no such frame");

/** Swaps the two bytes of each 16-bit value. */
function swapped(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    [bytes[at], bytes[at + 1]] = [bytes[at + 1]!, bytes[at]!];
  }
  return bytes;
}

/**
 * Frames of a file as stored; uncompressed frames are sent in little-endian byte order.
 * @param wanted Frame numbers from 1.
 * @throws {AppError} `entity.not_found`; `upload.format_not_supported` for bit-packed pixels.
 */
export function framesOf(bytes: Uint8Array<ArrayBuffer>, wanted: readonly number[]): WebPart[] {
  const header = readHeader(bytes, ""),
    { pixels, rows, columns, bitsAllocated, transferSyntax } = header;
  const { frameCount, samplesPerPixel } = header;
  if (!pixels || wanted.some((frame) => frame < 1 || frame > frameCount)) throw notFound();
  if (isNativeSyntax(transferSyntax)) {
    const bits = rows * columns * samplesPerPixel * bitsAllocated;
    if (bits % 8 !== 0 || bitsAllocated < 8) {
      throw new AppError(
        "upload.format_not_supported",
        "Cannot answer: frames begin inside a byte",
        {
          reason: "pixel_format",
        },
      );
    }
    return wanted.map((frame) => {
      const from = pixels.offset + (frame - 1) * bits / 8, own = bytes.slice(from, from + bits / 8);
      return {
        type: `application/octet-stream; transfer-syntax=${EXPLICIT_LE}`,
        bytes: pixels.isBigEndian && bitsAllocated === 16 ? swapped(own) : own,
      };
    });
  }
  const { dataSet } = parseStored(bytes, true);
  const media = MEDIA[transferSyntax] ?? "application/octet-stream";
  return wanted.map((frame) => {
    const compressed = compressedFrame(dataSet, frameCount, frame - 1);
    if (!compressed) throw notFound();
    return {
      type: `${media}; transfer-syntax=${transferSyntax}`,
      bytes: new Uint8Array(compressed),
    };
  });
}

/**
 * A bulk data value. @param tag Eight hexadecimal digits. @throws {AppError} `entity.not_found`.
 */
export function bulkDataOf(bytes: Uint8Array<ArrayBuffer>, tag: string): Uint8Array<ArrayBuffer> {
  const { dataSet } = parseStored(bytes, true), element = dataSet.elements[`x${tag.toLowerCase()}`];
  if (!element || element.fragments || element.length > bytes.length) throw notFound();
  return new Uint8Array(
    dataSet.byteArray.slice(element.dataOffset, element.dataOffset + element.length),
  );
}
