/** Wraps dicom-parser, so that a received file cannot exceed limits on memory and elements. */
import dicomParser, {
  type ByteArrayParser,
  type ByteStream,
  type DataSet,
  type Element,
} from "dicom-parser";
import type { AppError } from "@/model/errors.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";

/**
 * Maximum number of elements and items in a header, at all levels. Scanners write a few hundred.
 */
export const MAX_ELEMENTS = 20_000;
/**
 * Additional elements for each frame of a multi-frame object: functional groups have about fifty
 * (PS3.3 C.7.6.16), those of a segmentation 41. This program's largest has 5,000 frames.
 */
const MAX_ELEMENTS_PER_FRAME = 100, MAX_COUNTED_FRAMES = 3000;
/** Maximum number of elements in a structured report: this program writes large ones. */
const MAX_REPORT_ELEMENTS = 100_000;
/** Maximum depth of nested sequences; objects of the standard have up to eight levels. */
export const MAX_DEPTH = 32;
/** Maximum size of a header, bytes from the start of the file to the pixels. */
export const MAX_HEADER_BYTES = 8 << 20;
/** Maximum number of fragments of compressed pixels, and of entries in their offset table. */
const MAX_FRAGMENTS = 100_000;
/**
 * Maximum length of a text value, bytes, because dicom-parser concatenates texts byte by byte.
 * No valid number, code, date or identifier is longer.
 */
const MAX_TEXT_BYTES = 65_536;

const PIXEL_DATA = "x7fe00010",
  BITS_ALLOCATED = "x00280100",
  NUMBER_OF_FRAMES = "x00280008",
  MODALITY = "x00080060",
  UNDEFINED_LENGTH = 0xffffffff;
const IMPLICIT_LE = "1.2.840.10008.1.2", EXPLICIT_BE = "1.2.840.10008.1.2.2";
/** dicom-parser's class DataSet, which is public but missing from its type declarations. */
const { DataSet: DataSetOf } = dicomParser as unknown as {
  DataSet: new (
    parser: ByteArrayParser,
    bytes: Uint8Array,
    elements: DataSet["elements"],
  ) => DataSet;
};

const tooComplex = (limit: "elements" | "levels" | "bytes" | "fragments", most: number): AppError =>
  rejected("header_limits", `Cannot read header: it has more than ${most} ${limit}`, {
    limit,
    most,
  });

/** Error for a header that does not end within {@link MAX_HEADER_BYTES}. */
export const headerTooLong = (): AppError => tooComplex("bytes", MAX_HEADER_BYTES);

/** Makes text values longer than {@link MAX_TEXT_BYTES} appear absent in a data set. */
function boundTexts(dataSet: DataSet): void {
  const read = dataSet.string.bind(dataSet);
  dataSet.string = (tag, index) =>
    (dataSet.elements[tag]?.length ?? 0) > MAX_TEXT_BYTES ? undefined : read(tag, index);
}

function dataSetOf(parser: ByteArrayParser, bytes: Uint8Array): DataSet {
  const dataSet = new DataSetOf(parser, bytes, {});
  dataSet.warnings = [];
  boundTexts(dataSet);
  return dataSet;
}

/**
 * Maximum number of elements of a data set, higher for structured reports and multi-frame images.
 * For multi-frame images the limit depends on Number of Frames.
 */
function mostElements(dataSet: DataSet): number {
  if (dataSet.string(MODALITY) === "SR") return MAX_REPORT_ELEMENTS;
  const frames = dataSet.elements[NUMBER_OF_FRAMES] ? dataSet.intString(NUMBER_OF_FRAMES) ?? 1 : 1;
  if (!(frames > 1)) return MAX_ELEMENTS;
  return MAX_ELEMENTS + MAX_ELEMENTS_PER_FRAME * Math.min(frames, MAX_COUNTED_FRAMES);
}

/**
 * VRs with a four-byte length (PS3.5 7.1.2) that dicom-parser does not list, for example that of an
 * Extended Offset Table.
 */
const LATER_VRS = new Set(["OV", "SV", "UV"]);

/**
 * Byte stream that counts the elements and items read from it: each has a VR after the tag, or a
 * four-byte length (implicit VR, and items).
 * @param most Called beyond {@link MAX_ELEMENTS} elements; returns the data set's higher limit.
 */
function countedStream(
  parser: ByteArrayParser,
  bytes: Uint8Array,
  position: number,
  most: () => number,
): ByteStream {
  const stream = new dicomParser.ByteStream(parser, bytes, position);
  const [readUint16, readUint32, readFixedString] = [
    stream.readUint16.bind(stream),
    stream.readUint32.bind(stream),
    stream.readFixedString.bind(stream),
  ];
  let count = 0, limit = MAX_ELEMENTS, isCounted = false;
  const add = () => {
    if (++count <= limit) return;
    limit = most();
    if (count > limit) throw tooComplex("elements", limit);
  };
  stream.readUint16 = () => {
    isCounted = false;
    return readUint16();
  };
  stream.readFixedString = (length) => {
    add();
    isCounted = true;
    const text = readFixedString(length);
    return LATER_VRS.has(text) ? "OB" : text;
  };
  stream.readUint32 = () => {
    if (!isCounted) add();
    isCounted = false;
    return readUint32();
  };
  return stream;
}

/**
 * Applies the limits to the data sets of sequence items, which the parser creates.
 * @throws {AppError} when sequences are nested deeper than {@link MAX_DEPTH}.
 */
function boundItems({ elements }: DataSet, depth = 0): void {
  for (const { items } of Object.values(elements)) {
    // end of an empty sequence, or in implicit files the delimiter of an item
    if (!items || items.length === 0) continue;
    if (depth === MAX_DEPTH) throw tooComplex("levels", MAX_DEPTH);
    for (const { dataSet } of items) {
      if (!dataSet) continue;
      boundTexts(dataSet);
      boundItems(dataSet, depth + 1);
    }
  }
}

/**
 * Parses the meta information of a Part 10 file (PS3.10 §7.1), and nothing after it.
 * The encoding is always explicit little-endian.
 */
export function readMeta(bytes: Uint8Array): { meta: DataSet; end: number } {
  const parser = dicomParser.littleEndianByteArrayParser, meta = dataSetOf(parser, bytes);
  const stream = countedStream(parser, bytes, 132, () => MAX_ELEMENTS);
  // of the next element only the group number is read, because it may be a huge sequence
  const groupAt = (at: number) => bytes[at]! | bytes[at + 1]! << 8;
  while (stream.position < bytes.length && !(groupAt(stream.position) > 2)) {
    const element = dicomParser.readDicomElementExplicit(stream, meta.warnings);
    meta.elements[element.tag] = { ...element, parser };
  }
  return { meta, end: stream.position };
}

/** Reads the headers of items from bytes, for {@link endOfFragments}. */
export const headsIn = (bytes: Uint8Array) => (at: number): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset + at, 8);

/**
 * Iterates over the fragments of encapsulated (compressed) pixel data.
 * @param headAt Reads the eight bytes of an item header; `null` beyond the end of the file.
 * @returns position after the last fragment; `null` for truncated or invalid items.
 * @throws {AppError} `upload.format_not_supported`, reason `header_limits`, for too many items.
 */
export function endOfFragments(
  sizeBytes: number,
  offset: number,
  headAt: (at: number) => DataView | null,
): number | null {
  for (let at = offset, items = 0; at + 8 <= sizeBytes; items++) {
    const head = headAt(at);
    if (head === null || head.getUint16(0, true) !== 0xfffe) return null;
    const element = head.getUint16(2, true), length = head.getUint32(4, true);
    // needed are the offset table and at least one fragment
    if (element === 0xe0dd) return items >= 2 ? at + 8 : null;
    if (element !== 0xe000) return null;
    if (items > MAX_FRAGMENTS || (items === 0 && length > 4 * MAX_FRAGMENTS)) {
      throw tooComplex("fragments", MAX_FRAGMENTS);
    }
    at += 8 + length;
    // no delimiter at the end of the file: some writers omit it
    if (at === sizeBytes) return items >= 1 ? at : null;
  }
  return null;
}

/** Elements that could be parsed, and the error that stopped the parser; `null`: none. */
interface BoundedRead {
  dataSet: DataSet;
  failure: unknown;
}

/** Tags of float and double pixels by bits per pixel (PS3.3 C.7.6.24, C.7.6.25). */
const FLOAT_PIXELS: Readonly<Record<number, number>> = { 32: 0x0008, 64: 0x0009 };

/** Element number of float pixels in group 7FE0; `undefined` for integer pixels. */
const floatElement = (dataSet: DataSet): number | undefined =>
  dataSet.elements[BITS_ALLOCATED]?.length === 2
    ? FLOAT_PIXELS[dataSet.uint16(BITS_ALLOCATED) ?? 0]
    : undefined;
const tagOf = (element: number) => `x7fe0${element.toString(16).padStart(4, "0")}`;

/** Element with the pixels of a data set, integer or floating-point. */
export function pixelElement(dataSet: DataSet): string {
  const element = floatElement(dataSet), tag = element === undefined ? PIXEL_DATA : tagOf(element);
  return dataSet.elements[tag] ? tag : PIXEL_DATA;
}

/**
 * Parser option that stops at the pixels; the parser calls it before and after each element.
 * Float pixels have the size of an image, and are recognised by the tag after them.
 */
function untilPixels(parser: ByteArrayParser, stream: ByteStream, dataSet: DataSet) {
  let found: number | undefined;
  return {
    get untilTag(): string {
      const { byteArray: bytes, position } = stream, element = floatElement(dataSet);
      if (
        element !== undefined && position + 4 <= bytes.length &&
        parser.readUint16(bytes, position) === 0x7fe0 &&
        parser.readUint16(bytes, position + 2) === element
      ) found = element;
      return found === undefined ? PIXEL_DATA : tagOf(found);
    },
  };
}

/**
 * Parses a data set up to the pixels, or completely.
 * @throws {AppError} `upload.format_not_supported` with reason `header_limits`.
 * Untyped errors of the parser are returned as `failure`.
 */
export function parseBounded(
  bytes: Uint8Array,
  start: number,
  transferSyntax: string,
  isWhole: boolean,
): BoundedRead {
  const isBig = transferSyntax === EXPLICIT_BE, isImplicit = transferSyntax === IMPLICIT_LE;
  const parser = isBig
    ? dicomParser.bigEndianByteArrayParser
    : dicomParser.littleEndianByteArrayParser;
  const dataSet = dataSetOf(parser, bytes), read: BoundedRead = { dataSet, failure: null };
  try {
    const stream = countedStream(parser, bytes, start, () => mostElements(dataSet));
    dataSet.warnings = stream.warnings;
    const until = untilPixels(parser, stream, dataSet);
    if (isImplicit) {
      dicomParser.parseDicomDataSetImplicit(
        dataSet,
        stream,
        bytes.length,
        isWhole ? undefined : until,
      );
    } else {
      dicomParser.parseDicomDataSetExplicit(dataSet, stream, bytes.length, until);
      const pixels = dataSet.elements[pixelElement(dataSet)];
      if (isWhole && pixels) {
        stream.position = skipPixels(bytes, pixels, parser, dataSet.warnings);
        dicomParser.parseDicomDataSetExplicit(dataSet, stream, bytes.length);
      }
    }
  } catch (error) {
    if (error instanceof RangeError) throw tooComplex("levels", MAX_DEPTH);
    if (isLimit(error)) throw error;
    read.failure = error;
  }
  boundItems(dataSet);
  return read;
}

const isLimit = (error: unknown): error is AppError =>
  (error as AppError | null)?.details?.reason === "header_limits";

/**
 * Position after the pixels; keeps their fragments. @throws if the pixels exceed the bytes.
 */
function skipPixels(
  bytes: Uint8Array,
  pixels: Element,
  parser: ByteArrayParser,
  warnings: string[],
): number {
  if (pixels.length !== UNDEFINED_LENGTH) {
    const end = pixels.dataOffset + pixels.length;
    if (end > bytes.length) throw new TypeError("Cannot read pixels: the file ends inside them");
    return end;
  }
  endOfFragments(bytes.length, pixels.dataOffset, headsIn(bytes));
  const stream = new dicomParser.ByteStream(parser, bytes, pixels.dataOffset);
  dicomParser.findEndOfEncapsulatedElement(stream, pixels, warnings);
  return Math.min(stream.position, bytes.length);
}
