/** Detects that a file's Transfer Syntax UID contradicts its data set or its pixels. */
import type { DataSet } from "dicom-parser";
import type { StoredAs } from "@/model/text/worklist/upload_values.ts";
import { parseBounded } from "@/server/core/dicom/limits/bounded_parser.ts";
import type { SyntaxConflict } from "@/server/core/dicom/read/verdict.ts";

const IMPLICIT_LE = "1.2.840.10008.1.2", EXPLICIT_LE = "1.2.840.10008.1.2.1";
const EXPLICIT_BE = "1.2.840.10008.1.2.2", RLE = "1.2.840.10008.1.2.5";
/** Beginnings of the UIDs of standard transfer syntaxes, and of those with JPEG compression. */
const STANDARD = "1.2.840.10008.1.2.", JPEG = "1.2.840.10008.1.2.4.";

/** Names of transfer syntaxes (PS3.6 table A-1). */
const NAMES: Readonly<Record<string, string>> = {
  [IMPLICIT_LE]: "Implicit VR Little Endian",
  [EXPLICIT_LE]: "Explicit VR Little Endian",
  [EXPLICIT_BE]: "Explicit VR Big Endian",
  [RLE]: "RLE Lossless",
  "1.2.840.10008.1.2.4.50": "JPEG Baseline",
  "1.2.840.10008.1.2.4.51": "JPEG Extended",
  "1.2.840.10008.1.2.4.57": "JPEG Lossless",
  "1.2.840.10008.1.2.4.70": "JPEG Lossless",
  "1.2.840.10008.1.2.4.80": "JPEG-LS Lossless",
  "1.2.840.10008.1.2.4.81": "JPEG-LS Near-Lossless",
  "1.2.840.10008.1.2.4.90": "JPEG 2000 Lossless",
  "1.2.840.10008.1.2.4.91": "JPEG 2000",
  "1.2.840.10008.1.2.4.201": "HTJ2K Lossless",
  "1.2.840.10008.1.2.4.202": "HTJ2K Lossless RPCL",
  "1.2.840.10008.1.2.4.203": "HTJ2K",
};

/** Value representations (PS3.5 §6.2), which follow the tag in explicit data sets. */
const VRS = new Set(
  ("AE AS AT CS DA DS DT FD FL IS LO LT OB OD OF OL OV OW PN SH SL SQ SS ST SV TM UC UI UL UN UR " +
    "US UT UV").split(" "),
);

const DATA_SETS = {
  implicit: IMPLICIT_LE,
  explicit: EXPLICIT_LE,
  big_endian: EXPLICIT_BE,
} as const;
type DataSetEncoding = keyof typeof DATA_SETS;

/** Encoding of a data set by the bytes of the first element; `null` if the bytes do not show it. */
function encodingAt(bytes: Uint8Array, at: number): DataSetEncoding | null {
  if (at + 8 > bytes.length) return null;
  // group numbers of first elements are below 0100
  const [low, high] = [bytes[at]!, bytes[at + 1]!];
  const hasVr = VRS.has(String.fromCharCode(bytes[at + 4]!, bytes[at + 5]!));
  if (low === 0 && high > 0) return hasVr ? "big_endian" : null;
  if (low === 0 || high > 0) return null;
  return hasVr ? "explicit" : "implicit";
}

/** Encoding of the data set that a transfer syntax requires; `null` for private syntaxes. */
function encodingOf(transferSyntax: string): DataSetEncoding | null {
  if (transferSyntax === IMPLICIT_LE) return "implicit";
  if (transferSyntax === EXPLICIT_BE) return "big_endian";
  return transferSyntax.startsWith(STANDARD) ? "explicit" : null;
}

const isUid = (dataSet: DataSet, tag: string): boolean =>
  /^\d+(\.\d+)+$/.test(dataSet.string(tag)?.trim() ?? "");

/** Whether parsing with a transfer syntax gives an identifier that has the form of a UID. */
function isReadable(bytes: Uint8Array, start: number, transferSyntax: string): boolean {
  try {
    const { dataSet } = parseBounded(bytes, start, transferSyntax, false);
    return ["x00080016", "x00080018", "x0020000d"].some((tag) => isUid(dataSet, tag));
  } catch {
    // ignored: elements are damaged, or exceed limits because the encoding is wrong
    return false;
  }
}

/** Contradiction, and the transfer syntax with which the data set can be parsed. */
export interface DataSetConflict {
  conflict: SyntaxConflict;
  transferSyntax: string;
}

/**
 * Compares the stated transfer syntax with the encoding of a data set.
 * @param start Position of the data set, after the meta information.
 * @returns `null` unless only another encoding makes the data set readable.
 */
export function dataSetConflict(
  bytes: Uint8Array,
  start: number,
  transferSyntax: string,
): DataSetConflict | null {
  const declared = encodingOf(transferSyntax), actual = encodingAt(bytes, start);
  if (declared === null || actual === null || declared === actual) return null;
  if (isReadable(bytes, start, transferSyntax)) return null;
  if (!isReadable(bytes, start, DATA_SETS[actual])) return null;
  return { conflict: conflictOf(transferSyntax, actual), transferSyntax: DATA_SETS[actual] };
}

export const conflictOf = (transferSyntax: string, actual: StoredAs): SyntaxConflict => ({
  declared: NAMES[transferSyntax] ?? transferSyntax,
  actual,
});

/** Attributes of a file that determine the size of its uncompressed pixels. */
interface PixelHeader {
  transferSyntax: string;
  rows: number;
  columns: number;
  frameCount: number;
  samplesPerPixel: number;
  bitsAllocated: number;
  /** `undefined`: the pixels are encapsulated, as all compressed pixels are */
  pixels: { sizeBytes: number | undefined } | undefined;
}

/** Compares the stated transfer syntax with the form of the pixels; `undefined`: they agree. */
export function pixelConflict(header: PixelHeader): SyntaxConflict | undefined {
  const { transferSyntax, rows, columns, frameCount, samplesPerPixel, bitsAllocated } = header;
  const sizeBytes = header.pixels?.sizeBytes;
  if (!header.pixels || sizeBytes === 0) return undefined;
  if (Object.values<string>(DATA_SETS).includes(transferSyntax)) {
    return sizeBytes === undefined ? conflictOf(transferSyntax, "compressed") : undefined;
  }
  const isCompressed = transferSyntax === RLE || transferSyntax.startsWith(JPEG);
  const native = rows * columns * frameCount * samplesPerPixel * bitsAllocated / 8;
  // pixel data are padded to an even length
  const isNative = sizeBytes !== undefined && (sizeBytes === native || sizeBytes === native + 1);
  return isCompressed && isNative ? conflictOf(transferSyntax, "uncompressed") : undefined;
}

/** Markers of a frame header in JPEG images, by method. */
const FRAME_HEADERS: Readonly<Record<number, StoredAs>> = {
  0xc0: "jpeg",
  0xc1: "jpeg",
  0xc2: "jpeg",
  0xc3: "jpeg_lossless",
  0xf7: "jpeg_ls",
};
/** First bytes of JPEG, JPEG 2000, and markers that are not followed by a frame header. */
const JPEG_START = 0xffd8, JPEG_2000_START = 0xff4f;

/** Compression method of a frame by the first bytes; `null` if the bytes do not show it. */
function methodOf(bytes: Uint8Array): StoredAs | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = bytes.length < 4 ? 0 : view.getUint16(0);
  if (start === JPEG_2000_START) return "jpeg_2000";
  if (start !== JPEG_START) return null;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const method = FRAME_HEADERS[bytes[at + 1]!];
    if (method) return method;
    at += bytes[at + 1] === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

/**
 * Methods of the supported compressed transfer syntaxes; `undefined` for RLE and others. HTJ2K
 * counts as JPEG 2000: the code streams begin alike, and one decoder reads both.
 */
const METHODS: Readonly<Record<string, StoredAs>> = {
  "1.2.840.10008.1.2.4.50": "jpeg",
  "1.2.840.10008.1.2.4.57": "jpeg_lossless",
  "1.2.840.10008.1.2.4.70": "jpeg_lossless",
  "1.2.840.10008.1.2.4.80": "jpeg_ls",
  "1.2.840.10008.1.2.4.81": "jpeg_ls",
  "1.2.840.10008.1.2.4.90": "jpeg_2000",
  "1.2.840.10008.1.2.4.91": "jpeg_2000",
  "1.2.840.10008.1.2.4.201": "jpeg_2000",
  "1.2.840.10008.1.2.4.202": "jpeg_2000",
  "1.2.840.10008.1.2.4.203": "jpeg_2000",
};

/** Compares the stated transfer syntax with a compressed frame; `undefined`: they agree. */
export function methodConflict(
  transferSyntax: string,
  frame: Uint8Array,
): SyntaxConflict | undefined {
  const actual = methodOf(frame);
  return actual === null || actual === METHODS[transferSyntax]
    ? undefined
    : conflictOf(transferSyntax, actual);
}
