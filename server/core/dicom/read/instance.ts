// Longer than 400 lines: reads all attributes of a file, with the limits of each.
import type { DataSet, Element } from "dicom-parser";
import { AppError } from "@/model/errors.ts";
import { characterSetTerms, decodeText, type DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { packedFormat } from "@/model/dicom/packed_file.ts";
import { yearsOfAge } from "@/model/patient/age.ts";
import { visibleText } from "@/model/visible_text.ts";
import {
  endOfFragments,
  headerTooLong,
  headsIn,
  MAX_HEADER_BYTES,
  parseBounded,
  pixelElement,
  readMeta,
} from "@/server/core/dicom/limits/bounded_parser.ts";
import { CLASSIFY_TAGS } from "@/model/dicom/classify.ts";
import {
  boundedText,
  MAX_UID,
  maxBytesOf,
  type TextVr,
} from "@/server/core/dicom/limits/text_limits.ts";
import { dataSetConflict, pixelConflict } from "@/server/core/dicom/limits/transfer_syntax.ts";
import { headerContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import { componentOfGe, type Frame, framesOf } from "@/server/core/dicom/read/frames.ts";
import { sharedTiming, type SlicePlane, sliceSpacingOf } from "@/server/core/dicom/read/plane.ts";
import { unitsOf } from "@/server/core/dicom/choice/units.ts";
import { conflictError, rejected, type SyntaxConflict } from "@/server/core/dicom/read/verdict.ts";

/** Header of one file. Texts are decoded and trimmed; `undefined`: absent or empty. */
export interface InstanceHeader {
  patientId: string;
  /** Patient's Name as stored: component groups separated by `=`, components by `^` */
  patientName: string;
  /** date of birth, YYYY-MM-DD */
  birthDate: string | undefined;
  sex: "male" | "female" | undefined;
  /** age in whole years from Patient's Age */
  ageYears: number | undefined;
  studyUid: string;
  seriesUid: string;
  instanceUid: string;
  /** study date, YYYY-MM-DD; that of the series or acquisition if Study Date is empty */
  studyDate: string | undefined;
  /** attribute that gave the study date, if Study Date is empty */
  studyDateSource: "series" | "acquisition" | undefined;
  modality: string;
  seriesDescription: string;
  protocolName: string;
  seriesNumber: number | undefined;
  instanceNumber: number | undefined;
  acquisitionNumber: number | undefined;
  imageType: readonly string[];
  manufacturer: string;
  model: string;
  deviceSerial: string;
  receiveCoil: string;
  fieldStrengthT: number | undefined;
  repetitionTimeMs: number | undefined;
  echoTimeMs: number | undefined;
  inversionTimeMs: number | undefined;
  flipAngleDeg: number | undefined;
  /** MR Acquisition Type: "2D", "3D" or empty */
  acquisitionType: string;
  scanningSequence: readonly string[];
  hasContrastAgent: boolean;
  /** number of time points of the acquisition, as stated */
  timePoints: number | undefined;
  /** units of the rescaled values of the used images, each once, as stated; empty text: none */
  units: readonly string[];
  sliceThicknessMm: number | undefined;
  /** distance between the centres of adjacent slices, mm; above the thickness if there are gaps */
  sliceSpacingMm: number | undefined;
  rows: number;
  columns: number;
  frameCount: number;
  samplesPerPixel: number;
  photometric: string;
  bitsAllocated: number;
  bitsStored: number;
  highBit: number;
  isSigned: boolean;
  /** range of stored values that mark pixels outside the image as padding */
  padding: readonly [number, number] | undefined;
  /** repetition, echo and inversion time, ms, in a file without functional groups */
  slope: number;
  intercept: number;
  transferSyntax: string;
  /** contradiction between the stated transfer syntax and the content of the file */
  syntaxConflict: SyntaxConflict | undefined;
  /**
   * images (frames) to use, see `framesOf`; empty if position, orientation or spacing is missing
   */
  frames: readonly Frame[];
  /** position and orientation of each image */
  planes: readonly SlicePlane[];
  frameOfReferenceUid: string;
  /** UID that all files of a divided multi-frame image share */
  concatenationUid: string;
  /**
   * number of files into which a multi-frame image was divided: as stated, or at least the number
   * of this file, since files without a stated total are counted too
   */
  concatenationTotal: number | undefined;
  /**
   * whether the file has a sequence of unknown VR (UN), or a private sequence with a position;
   * some DICOM readers mistake values in such a sequence for values of the image
   */
  hasUnknownSequence: boolean;
  /** whether a lookup table maps stored values, instead of slope and intercept */
  hasModalityLut: boolean;
  /** position of the stored pixels in the file; length `undefined` for compressed pixels */
  pixels: {
    offset: number;
    sizeBytes: number | undefined;
    isBigEndian: boolean;
    /**
     * whether pixels are stored as 16-bit words (OW):
     * then big-endian files swap pairs of 8-bit pixels
     */
    isInWords: boolean;
    /** floating-point pixels of 32 or 64 bits (PS3.3 C.7.6.24) */
    isFloat: boolean;
  } | undefined;
  /** Decoded text attributes by keyword, for classification and routing rules. */
  texts: Readonly<Record<string, string>>;
}

/** Additional attributes that are read from files received over the network. */
const ROUTE_TAGS: Readonly<Record<string, string>> = {
  StationName: "x00081010",
  BodyPartExamined: "x00180015",
  PatientIdentityRemoved: "x00120062",
};

/** VRs of text attributes for which the VR is not LO. */
const CLASSIFY_VR: Readonly<Record<string, TextVr>> = {
  SequenceName: "SH",
  ImageComments: "LT",
  // multi-valued CS or SH
  ScanningSequence: "ST",
  SequenceVariant: "ST",
  ScanOptions: "ST",
  ImageType: "ST",
};
/** Maximum length of a code, date, number or list of numbers; longer values are ignored. */
const MAX_TAG_BYTES = 1024;

const IMPLICIT_LE = "1.2.840.10008.1.2", EXPLICIT_LE = "1.2.840.10008.1.2.1";
const DEFLATED_LE = "1.2.840.10008.1.2.1.99", EXPLICIT_BE = "1.2.840.10008.1.2.2";
const NATIVE = new Set([IMPLICIT_LE, EXPLICIT_LE, EXPLICIT_BE]);

/**
 * Supported compressed transfer syntaxes: JPEG baseline, JPEG lossless, JPEG-LS, JPEG 2000, HTJ2K,
 * RLE. JPEG extended (4.51) is unsupported: no suitable decoder reads its 12 bits (ADR 0043).
 */
const COMPRESSED = new Set([
  "1.2.840.10008.1.2.4.50",
  "1.2.840.10008.1.2.4.57",
  "1.2.840.10008.1.2.4.70",
  "1.2.840.10008.1.2.4.80",
  "1.2.840.10008.1.2.4.81",
  "1.2.840.10008.1.2.4.90",
  "1.2.840.10008.1.2.4.91",
  "1.2.840.10008.1.2.4.201",
  "1.2.840.10008.1.2.4.202",
  "1.2.840.10008.1.2.4.203",
  "1.2.840.10008.1.2.5",
]);

export const isNativeSyntax = (transferSyntax: string): boolean => NATIVE.has(transferSyntax);

interface ReadOptions {
  /** size of the complete file, if `bytes` is only the file's beginning */
  fileSizeBytes?: number;
  /** character set by the setting "DICOM Language", for files without Specific Character Set */
  encoding?: DicomEncoding;
}

const PIXEL_DATA = "x7fe00010";
/** Maximum rows and columns of an MR slice, which limit the memory that decoders allocate. */
const MAX_SIDE = 4096;

/**
 * Reads the header of one DICOM file, and checks that its MR image can be used. The header of a
 * file that contradicts its transfer syntax is returned with `syntaxConflict`, and not checked
 * further, so that the refusal can name the series.
 *
 * @param bytes     Content of the file, or its beginning with `options.fileSizeBytes`.
 * @param _fileName Name of the file; not included in errors.
 * @throws {AppError} `upload.format_not_supported`; `details.reason` is one of these:
 *   not_dicom, packed, identifier, truncated, no_pixel_data, modality;
 *   or one about the image: pixel_format, compression, multiframe, no_geometry, rescale,
 *   or the header: header_limits.
 */
export function readInstance(
  bytes: Uint8Array,
  _fileName: string,
  options: ReadOptions = {},
): InstanceHeader {
  const header = headerByContent(bytes, options);
  if (header.modality !== "MR" && (header.modality !== "" || header.pixels)) {
    const modality = header.modality === "" ? "?" : header.modality;
    throw rejected("modality", "Cannot use instance: modality is not MR", { modality });
  }
  if (
    header.pixels &&
    (header.studyUid === "" || header.seriesUid === "" || header.instanceUid === "")
  ) {
    throw rejected("identifier", "Cannot use instance: an identifier is missing");
  }
  if ([header.studyUid, header.seriesUid, header.instanceUid].some((uid) => uid.length > MAX_UID)) {
    throw rejected("identifier", "Cannot use instance: an identifier is too long");
  }
  const isImage = header.pixels !== undefined && header.rows > 0 && header.columns > 0;
  const syntaxConflict = header.syntaxConflict ?? pixelConflict(header);
  if (isImage && syntaxConflict) return { ...header, syntaxConflict };
  checkPixels(header, bytes, options.fileSizeBytes ?? bytes.length);
  if (header.frames.some(({ slope, intercept }) => Number.isNaN(slope + intercept))) {
    throw rejected("rescale", "Cannot use instance: slope or intercept is no number");
  }
  if (header.planes.length === 0) {
    throw header.frameCount > 1
      ? rejected("multiframe", "Cannot use instance: frames have no position")
      : rejected("no_geometry", "Cannot use instance: position, orientation or spacing is missing");
  }
  return header;
}

/**
 * Reads the header of any DICOM file, also if the image cannot be used; see {@link readInstance}.
 * @throws {AppError} `upload.format_not_supported`;
 * reasons: `not_dicom`, `packed`, `truncated`, `transfer_syntax`.
 */
export function readHeader(
  bytes: Uint8Array,
  _fileName: string,
  options: ReadOptions = {},
): InstanceHeader {
  const header = headerByContent(bytes, options);
  if (header.syntaxConflict) throw conflictError(header.syntaxConflict);
  return header;
}

/** Like {@link readHeader}, and also reads a file that contradicts its transfer syntax. */
function headerByContent(bytes: Uint8Array, options: ReadOptions): InstanceHeader {
  const parsed = parseByContent(bytes, options.fileSizeBytes ?? bytes.length);
  try {
    return { ...headerOf(parsed, options), syntaxConflict: parsed.conflict };
  } catch (error) {
    if (error instanceof AppError) throw error;
    // damaged elements (contradictory length or type): the parser's errors have no common type
    const cause = error instanceof Error ? error : new Error(parserMessage(error));
    throw rejected("truncated", "Cannot read header: elements are damaged", {}, { cause });
  }
}

function headerOf(
  { dataSet, transferSyntax, baseOffset }: ParsedDataSet,
  options: ReadOptions,
): Omit<InstanceHeader, "syntaxConflict"> {
  const tag = (t: string) => {
    const e = dataSet.elements[t];
    return e && e.length > MAX_TAG_BYTES ? "" : dataSet.string(t)?.trim() ?? "";
  };
  const terms = characterSetTerms(dataSet.string("x00080005"));
  // VR by the standard, even if the file states another VR
  const text = (t: string, vr: TextVr = "LO", isIdentifier = false) => {
    const e = dataSet.elements[t];
    if (!e || e.length === 0 || e.length === 0xffffffff) return "";
    const raw = dataSet.byteArray.subarray(e.dataOffset, e.dataOffset + e.length);
    // not shortened before they are compared, because two identifiers may differ only at the end
    const bytes = isIdentifier ? raw : raw.subarray(0, maxBytesOf(vr));
    const fullText = decodeText(bytes, terms, options.encoding, vr === "PN").trim();
    return visibleText(boundedText(fullText, vr, isIdentifier));
  };
  const number = (...tags: string[]) => {
    for (const t of tags) {
      const e = dataSet.elements[t];
      if (!e || e.length === 0 || e.length > MAX_TAG_BYTES) continue;
      const value = e.vr === "FD" ? dataSet.double(t) : dataSet.floatString(t);
      if (value !== undefined && Number.isFinite(value)) return value;
    }
  };
  const list = (t: string) => tag(t) === "" ? [] : tag(t).split("\\").map((v) => v.trim());
  const pixelTag = pixelElement(dataSet), pixel = dataSet.elements[pixelTag];
  const frameCount = Math.max(1, Math.trunc(number("x00280008") ?? 1));
  const sex = tag("x00100040").toUpperCase(), images = framesOf(dataSet, frameCount);
  const timing = sharedTiming(dataSet), bitsStored = dataSet.uint16("x00280101") ?? 0;
  const isSigned = dataSet.uint16("x00280103") === 1;
  return {
    patientId: text("x00100020", "LO", true),
    patientName: text("x00100010", "PN"),
    birthDate: isoDate(tag("x00100030")),
    sex: sex === "M" ? "male" : sex === "F" ? "female" : undefined,
    ageYears: yearsOfAge(tag("x00101010")) ?? undefined,
    studyUid: tag("x0020000d"),
    seriesUid: tag("x0020000e"),
    instanceUid: tag("x00080018"),
    ...studyDateOf(tag),
    modality: tag("x00080060").toUpperCase(),
    seriesDescription: text("x0008103e"),
    protocolName: text("x00181030"),
    seriesNumber: number("x00200011"),
    instanceNumber: number("x00200013"),
    acquisitionNumber: number("x00200012"),
    imageType: imageTypeOf(list("x00080008"), componentOfGe(dataSet)),
    manufacturer: text("x00080070"),
    model: text("x00081090"),
    deviceSerial: text("x00181000"),
    receiveCoil: text("x00181250"),
    fieldStrengthT: number("x00180087"),
    repetitionTimeMs: number("x00180080") ?? timing.repetitionTimeMs,
    echoTimeMs: number("x00180081") ?? timing.echoTimeMs,
    inversionTimeMs: number("x00180082") ?? timing.inversionTimeMs,
    flipAngleDeg: number("x00181314"),
    acquisitionType: tag("x00180023").toUpperCase(),
    scanningSequence: list("x00180020").map((v) => v.toUpperCase()),
    hasContrastAgent: headerContrastAgent(dataSet, tag("x00180010")),
    timePoints: number("x00200105"),
    units: unitsOf(dataSet, images.frames.map(({ number }) => number)),
    sliceThicknessMm: number("x00180050"),
    sliceSpacingMm: sliceSpacingOf(dataSet),
    rows: dataSet.uint16("x00280010") ?? 0,
    columns: dataSet.uint16("x00280011") ?? 0,
    frameCount,
    samplesPerPixel: dataSet.uint16("x00280002") ?? 1,
    photometric: tag("x00280004").toUpperCase(),
    bitsAllocated: dataSet.uint16("x00280100") ?? 0,
    bitsStored,
    highBit: dataSet.uint16("x00280102") ?? bitsStored - 1,
    isSigned,
    padding: paddingOf(dataSet, isSigned),
    slope: number("x00281053") ?? 1,
    intercept: number("x00281052") ?? 0,
    transferSyntax,
    ...images,
    frameOfReferenceUid: tag("x00200052"),
    concatenationUid: tag("x00209161"),
    concatenationTotal:
      Math.max(dataSet.uint16("x00209163") ?? 0, dataSet.uint16("x00209162") ?? 0) || undefined,
    hasUnknownSequence: Object.entries(dataSet.elements).some(([name, element]) =>
      isUnknownSequence(dataSet, element) || hasOtherPlace(dataSet, name, element)
    ),
    hasModalityLut: (dataSet.elements.x00283000?.items?.length ?? 0) > 0,
    pixels: pixel && {
      offset: baseOffset + pixel.dataOffset,
      sizeBytes: pixel.length === 0xffffffff ? undefined : pixel.length,
      isBigEndian: transferSyntax === EXPLICIT_BE,
      isInWords: pixel.vr === "OW",
      isFloat: pixelTag !== PIXEL_DATA,
    },
    texts: Object.fromEntries(
      Object.entries({ ...CLASSIFY_TAGS, ...ROUTE_TAGS }).map((
        [name, t],
      ) => [name, text(t, CLASSIFY_VR[name] ?? "LO")]),
    ),
  };
}

/**
 * Image Type, followed by the image component that some manufacturers store in other attributes.
 */
function imageTypeOf(values: readonly string[], component: string | undefined): string[] {
  const imageType = values.map((value) => value.toUpperCase());
  if (component === undefined || imageType.slice(2).includes(component)) return imageType;
  while (imageType.length < 2) imageType.push("");
  return [...imageType, component];
}

/** Pixel Padding Value and Range Limit (PS3.3 C.7.5.1.1.2). */
function paddingOf(dataSet: DataSet, isSigned: boolean): [number, number] | undefined {
  const number = (tag: string) =>
    !dataSet.elements[tag]?.length
      ? undefined
      : isSigned
      ? dataSet.int16(tag)
      : dataSet.uint16(tag);
  const value = number("x00280120");
  if (value === undefined) return undefined;
  const limit = number("x00280121") ?? value;
  return [Math.min(value, limit), Math.max(value, limit)];
}

/** Whether an element of unknown VR begins with an item, and therefore is a sequence. */
function isUnknownSequence(
  { byteArray }: DataSet,
  { vr, dataOffset, length, items }: Element,
): boolean {
  if (vr !== "UN") return false;
  if (items) return true;
  const tag = [0xfe, 0xff, 0x00, 0xe0];
  return length >= 8 && tag.every((byte, at) => byteArray[dataOffset + at] === byte);
}

const PLACE_TAGS = ["x00200032", "x00200037", "x00280030"];

/** Whether an element is a private sequence containing a position, orientation or spacing. */
function hasOtherPlace(dataSet: DataSet, name: string, { items }: Element): boolean {
  const isPrivate = parseInt(name.slice(4, 5), 16) % 2 === 1;
  if (!isPrivate || !items) return false;
  return items.some(({ dataSet: item }) =>
    item &&
    PLACE_TAGS.some((tag) =>
      item.elements[tag] !== undefined && item.string(tag) !== dataSet.string(tag)
    )
  );
}

/**
 * Bytes read from the start of a file, which usually contain the header;
 * if not, sixteen times as many bytes are read, and so on.
 */
const HEAD_BYTES = 1 << 16, GROWTH = 16;

/** Reads the first bytes of an open file; the whole file if it is shorter. */
async function beginningOf(file: Deno.FsFile, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  await file.seek(0, Deno.SeekMode.Start);
  let at = 0;
  for (; at < bytes.length;) {
    const n = await file.read(bytes.subarray(at));
    if (n === null) break;
    at += n;
  }
  return bytes.subarray(0, at);
}

/** Whether the first bytes of a file contain the complete header. */
function hasPixels(beginning: Uint8Array, fileSizeBytes: number): boolean {
  try {
    const { dataSet } = parseFile(beginning, fileSizeBytes);
    return dataSet.elements[pixelElement(dataSet)] !== undefined;
  } catch {
    return false;
  }
}

/** Reads headers of items from an open file, for {@link endOfFragments}. */
const headsOf = (file: Deno.FsFile) => (at: number) => {
  const head = new Uint8Array(8);
  file.seekSync(at, Deno.SeekMode.Start);
  const count = file.readSync(head);
  return count === head.length ? new DataView(head.buffer) : null;
};

function checkFragments(end: number | null): void {
  if (end === null) throw rejected("truncated", "Cannot use instance: compressed image ends early");
}

/**
 * Reads the header of a file on disk, and the positions of compressed fragments.
 * The pixels are never read.
 * @throws {AppError} as {@link readInstance}.
 */
export async function readInstanceFile(
  path: string,
  fileName: string,
  encoding?: DicomEncoding,
): Promise<InstanceHeader> {
  using file = await Deno.open(path, { read: true });
  const fileSizeBytes = (await file.stat()).size;
  for (let size = HEAD_BYTES;; size = Math.min(GROWTH * size, MAX_HEADER_BYTES)) {
    const bytes = await beginningOf(file, Math.min(size, fileSizeBytes));
    if (bytes.length === fileSizeBytes) return readInstance(bytes, fileName, { encoding });
    try {
      const header = readInstance(bytes, fileName, { encoding, fileSizeBytes });
      const { offset, sizeBytes } = header.pixels!;
      if (sizeBytes === undefined) {
        checkFragments(endOfFragments(fileSizeBytes, offset, headsOf(file)));
      }
      return header;
    } catch (error) {
      const isPart = error instanceof AppError &&
        ["truncated", "no_pixel_data"].includes(String(error.details.reason));
      if (!isPart || bytes.length < size || hasPixels(bytes, fileSizeBytes)) throw error;
      if (size === MAX_HEADER_BYTES) throw headerTooLong();
    }
  }
}

/** A parsed data set, with its transfer syntax (maybe guessed) and its offset in the file. */
export interface ParsedDataSet {
  dataSet: DataSet;
  transferSyntax: string;
  baseOffset: number;
}

const unsupported = (transferSyntax: string) =>
  rejected("compression", "Cannot use instance: transfer syntax is not supported", {
    transferSyntax,
  });

/**
 * Parses a file up to its pixels, or completely.
 * @throws {AppError} `upload.format_not_supported` with reason `not_dicom`, `packed`, `truncated`,
 * `transfer_syntax`, or `compression` for a deflated data set.
 */
export function parseFile(
  bytes: Uint8Array,
  fileSizeBytes: number,
  isWhole = false,
): ParsedDataSet {
  const { conflict, ...parsed } = parseByContent(bytes, fileSizeBytes, isWhole);
  if (conflict) throw conflictError(conflict);
  return parsed;
}

/**
 * Like {@link parseFile}, but parses a data set that contradicts the stated transfer syntax with
 * the transfer syntax that makes it readable.
 */
function parseByContent(
  bytes: Uint8Array,
  fileSizeBytes: number,
  isWhole = false,
): ParsedDataSet & { conflict?: SyntaxConflict } {
  const isPart = fileSizeBytes > bytes.length;
  if (!hasPrefix(bytes)) return parseBare(bytes, 0, isWhole, isPart);
  try {
    const { meta, end } = readMeta(bytes);
    if (!meta.elements.x00020010?.length) return parseBare(bytes, end, isWhole, isPart);
    const declared = meta.string("x00020010")?.trim() ?? "";
    // not supported here: received files are inflated before they are read, see `inflatedBody`
    if (declared === DEFLATED_LE) throw unsupported(DEFLATED_LE);
    const { conflict, transferSyntax } = dataSetConflict(bytes, end, declared) ??
      { conflict: undefined, transferSyntax: declared };
    const { dataSet, failure } = parseBounded(bytes, end, transferSyntax, isWhole);
    if (failure !== null) throw failure;
    Object.assign(dataSet.elements, meta.elements);
    return { dataSet, transferSyntax, baseOffset: 0, ...conflict && { conflict } };
  } catch (error) {
    if (error instanceof AppError) throw error;
    // a Part 10 file that is cut off inside the data set, or has invalid elements
    throw rejected(
      "truncated",
      `Cannot read data set: ${isPart ? "beginning" : "file"} ends inside it`,
      {},
      {
        cause: error instanceof Error ? error : new Error(parserMessage(error)),
      },
    );
  }
}

/** Whether a file begins with the preamble and prefix of PS3.10 §7.1. */
const hasPrefix = (bytes: Uint8Array): boolean =>
  bytes.length >= 132 && String.fromCharCode(...bytes.subarray(128, 132)) === "DICM";

/**
 * Guesses the transfer syntax of a data set without meta information: explicit VR if two capital
 * letters follow the first tag.
 */
const bareSyntax = (bytes: Uint8Array): string =>
  /^[A-Z]{2}$/.test(String.fromCharCode(bytes[4] ?? 0, bytes[5] ?? 0)) ? EXPLICIT_LE : IMPLICIT_LE;

/** Attributes by which a data set without meta information is recognised as DICOM. */
const isKnown = (dataSet: DataSet): boolean =>
  ["x00080016", "x00080018", "x0020000d"].some((tag) => dataSet.elements[tag] !== undefined);

/**
 * Parses a data set of which the transfer syntax is not stated.
 * @param isPart Whether the bytes are only a file's beginning: an element that extends beyond them
 * is then no proof that the file is not DICOM.
 */
function parseBare(
  bytes: Uint8Array,
  baseOffset: number,
  isWhole: boolean,
  isPart: boolean,
): ParsedDataSet {
  const part = bytes.subarray(baseOffset), transferSyntax = bareSyntax(part);
  const format = packedFormat(part);
  if (format !== null) throw rejected("packed", "Cannot read file: it is packed", { format });
  const { dataSet, failure } = parseBounded(part, 0, transferSyntax, isWhole);
  if (failure === null && isKnown(dataSet)) return { dataSet, transferSyntax, baseOffset };
  const cause = failure instanceof Error ? failure : new Error(parserMessage(failure));
  // the elements before the damaged element are used
  if (isPart && isKnown(dataSet)) {
    throw rejected("truncated", "Cannot read data set: beginning ends inside it", {}, { cause });
  }
  throw rejected("not_dicom", "Cannot read file: no DICOM header", {}, { cause });
}

/**
 * Transfer syntax of a file, given its first bytes, which may not contain the whole header.
 * @throws {AppError} as {@link parseFile}.
 */
export function transferSyntaxOf(beginning: Uint8Array): string {
  try {
    return parseFile(beginning, Infinity).transferSyntax;
  } catch (error) {
    const isStated = isCutShort(error) || isConflict(error);
    if (!isStated) throw error;
    if (!hasPrefix(beginning)) return bareSyntax(beginning);
    try {
      const { meta, end } = readMeta(beginning);
      return meta.string("x00020010")?.trim() || bareSyntax(beginning.subarray(end));
    } catch {
      throw error;
    }
  }
}

/** Whether parsing failed because the bytes end too early, so that more bytes may help. */
export const isCutShort = (error: unknown): boolean =>
  error instanceof AppError && error.details.reason === "truncated";

const isConflict = (error: unknown): boolean =>
  error instanceof AppError && error.details.reason === "transfer_syntax";

const parserMessage = (error: unknown): string =>
  typeof error === "object" && error !== null && "exception" in error
    ? String(error.exception)
    : String(error);

function checkPixels(header: InstanceHeader, bytes: Uint8Array, fileSizeBytes: number): void {
  const { rows, columns, frameCount, samplesPerPixel, bitsAllocated, transferSyntax, pixels } =
    header;
  if (pixels?.isFloat || (!pixels && rows > 0 && columns > 0 && bitsAllocated > 16)) {
    throw rejected("pixel_format", "Cannot use instance: its pixels are floating-point numbers");
  }
  if (!pixels || rows === 0 || columns === 0 || pixels.sizeBytes === 0) {
    throw rejected("no_pixel_data", "Cannot use instance: it holds no image");
  }
  if (
    samplesPerPixel !== 1 || !header.photometric.startsWith("MONOCHROME") ||
    ![8, 16].includes(bitsAllocated)
  ) {
    throw rejected(
      "pixel_format",
      `Cannot use instance: ${samplesPerPixel} samples, ${bitsAllocated} bits`,
    );
  }
  if (header.hasModalityLut) {
    throw rejected("pixel_format", "Cannot use instance: a table gives the pixels their values");
  }
  if (!NATIVE.has(transferSyntax) && !COMPRESSED.has(transferSyntax)) {
    throw unsupported(transferSyntax);
  }
  if (rows > MAX_SIDE || columns > MAX_SIDE) {
    throw rejected("pixel_format", `Cannot use instance: ${columns} × ${rows} pixels`);
  }
  if (NATIVE.has(transferSyntax)) {
    const expected = rows * columns * frameCount * (bitsAllocated / 8);
    const available = Math.min(pixels.sizeBytes ?? 0, fileSizeBytes - pixels.offset);
    if (available < expected) {
      throw rejected(
        "truncated",
        `Cannot use instance: ${available} of ${expected} pixel bytes are there`,
      );
    }
  } else if (bytes.length === fileSizeBytes) {
    checkFragments(endOfFragments(fileSizeBytes, pixels.offset, headsIn(bytes)));
  }
}

/**
 * Date of a study: Study Date, or a date of the images, which anonymisers and some scanners keep
 * when they clear Study Date.
 */
function studyDateOf(
  tag: (tag: string) => string,
): Pick<InstanceHeader, "studyDate" | "studyDateSource"> {
  const study = isoDate(tag("x00080020")), series = isoDate(tag("x00080021"));
  if (study !== undefined) return { studyDate: study, studyDateSource: undefined };
  if (series !== undefined) return { studyDate: series, studyDateSource: "series" };
  // Acquisition Date, or the date in Acquisition DateTime
  const acquisition = isoDate(tag("x00080022")) ?? isoDate(tag("x0008002a").slice(0, 8));
  return {
    studyDate: acquisition,
    studyDateSource: acquisition === undefined ? undefined : "acquisition",
  };
}

/**
 * A DA value as YYYY-MM-DD, also with the separators of older files;
 * `undefined` when it is not a calendar date.
 */
function isoDate(value: string): string | undefined {
  const m = /^(\d{4})([.-]?)(\d{2})\2(\d{2})$/.exec(value.trim());
  if (!m) return undefined;
  const iso = `${m[1]}-${m[3]}-${m[4]}`, date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== iso ? undefined : iso;
}
