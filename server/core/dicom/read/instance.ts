// Over 400 lines: everything that is read of one file, with the bounds of each value beside it.
import type { DataSet, Element } from "dicom-parser";
import { AppError } from "@/model/errors.ts";
import { characterSetTerms, decodeText, type DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { visibleText } from "@/model/visible_text.ts";
import {
  endOfFragments,
  headerTooLong,
  headsIn,
  MAX_HEADER_BYTES,
  parseBounded,
  readMeta,
} from "@/server/core/dicom/limits/bounded_parser.ts";
import { CLASSIFY_TAGS } from "@/model/dicom/classify.ts";
import {
  boundedText,
  MAX_UID,
  maxBytesOf,
  type TextVr,
} from "@/server/core/dicom/limits/text_limits.ts";
import { headerContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import { componentOfGe, type Frame, framesOf } from "@/server/core/dicom/read/frames.ts";
import { sharedTiming, type SlicePlane } from "@/server/core/dicom/read/plane.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";

/** One file's header. Texts are decoded and trimmed; `undefined` = absent or empty. */
export interface InstanceHeader {
  patientId: string;
  /** as stored: component groups by `=`, components by `^` */
  patientName: string;
  /** YYYY-MM-DD */
  birthDate: string | undefined;
  sex: "male" | "female" | undefined;
  /** whole years from Patient's Age */
  ageYears: number | undefined;
  studyUid: string;
  seriesUid: string;
  instanceUid: string;
  /** YYYY-MM-DD; of an empty Study Date the series' or the acquisition's */
  studyDate: string | undefined;
  /** which date stands in for the study's */
  studyDateSource: "series" | "acquisition" | undefined;
  modality: string;
  seriesDescription: string;
  protocolName: string;
  seriesNumber: number | undefined;
  instanceNumber: number | undefined;
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
  /** 2D, 3D or empty */
  acquisitionType: string;
  scanningSequence: readonly string[];
  hasContrastAgent: boolean;
  sliceThicknessMm: number | undefined;
  rows: number;
  columns: number;
  frameCount: number;
  samplesPerPixel: number;
  photometric: string;
  bitsAllocated: number;
  bitsStored: number;
  highBit: number;
  isSigned: boolean;
  /** stored values that mark pixels outside the image, first to last */
  padding: readonly [number, number] | undefined;
  /** of a file without functional groups */
  slope: number;
  intercept: number;
  transferSyntax: string;
  /**
   * the images to be used, see `framesOf`; empty when position, orientation or spacing is missing
   */
  frames: readonly Frame[];
  /** the place of each of them */
  planes: readonly SlicePlane[];
  frameOfReferenceUid: string;
  /** equal in the files that one multi-frame image was divided into */
  concatenationUid: string;
  /** how many files those are, where the file says it */
  concatenationTotal: number | undefined;
  /**
   * a sequence whose representation the writer did not know (UN), or a private one with another
   * place: some readers take its values for the file's
   */
  hasUnknownSequence: boolean;
  /** a table maps stored values to others, in the place of slope and intercept */
  hasModalityLut: boolean;
  /**
   * where the stored pixels are, from the start of the file; length `undefined` when encapsulated
   */
  pixels: {
    offset: number;
    sizeBytes: number | undefined;
    isBigEndian: boolean;
    /** two bytes at a time (OW): of big-endian files those of 8-bit pixels are exchanged */
    isInWords: boolean;
  } | undefined;
  /** Decoded text attributes by keyword, for the rules that classify and route a series. */
  texts: Readonly<Record<string, string>>;
}

/** Attributes that rules of routing look at beside them. */
const ROUTE_TAGS: Readonly<Record<string, string>> = {
  StationName: "x00081010",
  BodyPartExamined: "x00180015",
};

/** Representations of those that are not LO. */
const CLASSIFY_VR: Readonly<Record<string, TextVr>> = {
  SequenceName: "SH",
  ImageComments: "LT",
  // several values of CS or SH
  ScanningSequence: "ST",
  SequenceVariant: "ST",
  ScanOptions: "ST",
  ImageType: "ST",
};
/** A code, date, number or list of them that is longer is none. */
const MAX_TAG_BYTES = 1024;

const IMPLICIT_LE = "1.2.840.10008.1.2", EXPLICIT_LE = "1.2.840.10008.1.2.1";
const DEFLATED_LE = "1.2.840.10008.1.2.1.99", EXPLICIT_BE = "1.2.840.10008.1.2.2";
const NATIVE = new Set([IMPLICIT_LE, EXPLICIT_LE, EXPLICIT_BE]);

/**
 * Compressed transfer syntaxes the conversion can read: JPEG baseline, JPEG lossless, JPEG-LS, JPEG
 * 2000, RLE. Not JPEG extended (4.51): dcm2niix makes nothing of its 12 bits.
 */
const COMPRESSED = new Set([
  "1.2.840.10008.1.2.4.50",
  "1.2.840.10008.1.2.4.57",
  "1.2.840.10008.1.2.4.70",
  "1.2.840.10008.1.2.4.80",
  "1.2.840.10008.1.2.4.81",
  "1.2.840.10008.1.2.4.90",
  "1.2.840.10008.1.2.4.91",
  "1.2.840.10008.1.2.5",
]);

export const isNativeSyntax = (transferSyntax: string): boolean => NATIVE.has(transferSyntax);

interface ReadOptions {
  /** whole size of the file when `bytes` is only its beginning */
  fileSizeBytes?: number;
  /** group setting "DICOM Language", for files without a Specific Character Set */
  encoding?: DicomEncoding;
}

const PIXEL_DATA = "x7fe00010";
/** No MR slice has more rows or columns; a decoder must not be asked for more. */
const MAX_SIDE = 4096;

/**
 * Reads the header of one DICOM file and checks that an MR image can be made of it.
 *
 * @param bytes     The file, or its beginning with `options.fileSizeBytes`.
 * @param fileName  Not put into errors; kept for the caller's symmetry with verdicts.
 * @throws {AppError} `upload.format_not_supported`, `details.reason` an UploadReason: not_dicom,
 *   identifier, truncated, no_pixel_data, modality, pixel_format, compression, multiframe, no_geometry,
 *   header_limits.
 */
export function readInstance(
  bytes: Uint8Array,
  fileName: string,
  options: ReadOptions = {},
): InstanceHeader {
  const header = readHeader(bytes, fileName, options);
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
  checkPixels(header, bytes, options.fileSizeBytes ?? bytes.length);
  if (header.frames.some(({ slope, intercept }) => Number.isNaN(slope + intercept))) {
    throw rejected("truncated", "Cannot use instance: slope or intercept is no number");
  }
  if (header.planes.length === 0) {
    throw header.frameCount > 1
      ? rejected("multiframe", "Cannot use instance: frames have no position")
      : rejected("no_geometry", "Cannot use instance: position, orientation or spacing is missing");
  }
  return header;
}

/**
 * Reads the header of any DICOM file, without judging its use; see {@link readInstance}.
 * @throws {AppError} `upload.format_not_supported` with reason `not_dicom` or `truncated`.
 */
export function readHeader(
  bytes: Uint8Array,
  _fileName: string,
  options: ReadOptions = {},
): InstanceHeader {
  const parsed = parseFile(bytes, options.fileSizeBytes ?? bytes.length);
  try {
    return headerOf(parsed, options);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Elements whose length or type contradict each other: the parser's own errors have no common
    // type.
    const cause = error instanceof Error ? error : new Error(parserMessage(error));
    throw rejected("truncated", "Cannot read header: elements are damaged", {}, { cause });
  }
}

function headerOf(
  { dataSet, transferSyntax, baseOffset }: ParsedDataSet,
  options: ReadOptions,
): InstanceHeader {
  const tag = (t: string) => {
    const e = dataSet.elements[t];
    return e && e.length > MAX_TAG_BYTES ? "" : dataSet.string(t)?.trim() ?? "";
  };
  const terms = characterSetTerms(dataSet.string("x00080005"));
  // by the attribute's own representation, whatever the file says that it is
  const text = (t: string, vr: TextVr = "LO", isIdentifier = false) => {
    const e = dataSet.elements[t];
    if (!e || e.length === 0 || e.length === 0xffffffff) return "";
    const raw = dataSet.byteArray.subarray(e.dataOffset, e.dataOffset + e.length);
    // of an identifier all is looked at: two that differ at the end stay different
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
  const pixel = dataSet.elements[PIXEL_DATA];
  const frameCount = Math.max(1, Math.trunc(number("x00280008") ?? 1));
  const sex = tag("x00100040").toUpperCase();
  const timing = sharedTiming(dataSet), bitsStored = dataSet.uint16("x00280101") ?? 0;
  const isSigned = dataSet.uint16("x00280103") === 1;
  return {
    patientId: text("x00100020", "LO", true),
    patientName: text("x00100010", "PN"),
    birthDate: isoDate(tag("x00100030")),
    sex: sex === "M" ? "male" : sex === "F" ? "female" : undefined,
    ageYears: ageYears(tag("x00101010")),
    studyUid: tag("x0020000d"),
    seriesUid: tag("x0020000e"),
    instanceUid: tag("x00080018"),
    ...studyDateOf(tag),
    modality: tag("x00080060").toUpperCase(),
    seriesDescription: text("x0008103e"),
    protocolName: text("x00181030"),
    seriesNumber: number("x00200011"),
    instanceNumber: number("x00200013"),
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
    sliceThicknessMm: number("x00180050"),
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
    ...framesOf(dataSet, frameCount),
    frameOfReferenceUid: tag("x00200052"),
    concatenationUid: tag("x00209161"),
    concatenationTotal: dataSet.uint16("x00209163") || undefined,
    hasUnknownSequence: Object.entries(dataSet.elements).some(([name, element]) =>
      isUnknownSequence(dataSet, element) || hasOtherPlace(dataSet, name, element)
    ),
    hasModalityLut: (dataSet.elements.x00283000?.items?.length ?? 0) > 0,
    pixels: pixel && {
      offset: baseOffset + pixel.dataOffset,
      sizeBytes: pixel.length === 0xffffffff ? undefined : pixel.length,
      isBigEndian: transferSyntax === EXPLICIT_BE,
      isInWords: pixel.vr === "OW",
    },
    texts: Object.fromEntries(
      Object.entries({ ...CLASSIFY_TAGS, ...ROUTE_TAGS }).map((
        [name, t],
      ) => [name, text(t, CLASSIFY_VR[name] ?? "LO")]),
    ),
  };
}

/** Image Type with the component that a maker keeps elsewhere, at its end. */
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

/** Whether an element of unknown representation begins with an item. */
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

/** Whether an element is a private sequence with a position, direction or spacing of its own. */
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
 * Beginning of a file that nearly always holds its header; sixteen times as much is read as long as
 * it does not.
 */
const HEAD_BYTES = 1 << 16, GROWTH = 16;

/** Reads the first bytes of an open file, all that it has when that is less. */
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

/** Whether the beginning of a file holds its header. */
function hasPixels(beginning: Uint8Array, fileSizeBytes: number): boolean {
  try {
    return parseFile(beginning, fileSizeBytes).dataSet.elements[PIXEL_DATA] !== undefined;
  } catch {
    return false;
  }
}

/** Heads of items of an open file, for {@link endOfFragments}. */
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
 * Reads the header of a file on disk, and of compressed pixels where each piece begins; never the
 * whole file.
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

/**
 * A data set with its transfer syntax, which may be a guess, and its distance from the start of the
 * file.
 */
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
 * Parses a file up to its pixels, or the whole of it.
 * @throws {AppError} `upload.format_not_supported` with reason `not_dicom`, `truncated`, or
 *   `compression` for a deflated data set, which is not unpacked.
 */
export function parseFile(
  bytes: Uint8Array,
  fileSizeBytes: number,
  isWhole = false,
): ParsedDataSet {
  const isPart = fileSizeBytes > bytes.length;
  if (!hasPrefix(bytes)) return parseBare(bytes, 0, isWhole, isPart);
  try {
    const { meta, end } = readMeta(bytes);
    if (!meta.elements.x00020010?.length) return parseBare(bytes, end, isWhole, isPart);
    const transferSyntax = meta.string("x00020010")?.trim() ?? "";
    // a small one may unpack to gigabytes, and dcm2niix does not read it either
    if (transferSyntax === DEFLATED_LE) throw unsupported(DEFLATED_LE);
    const { dataSet, failure } = parseBounded(bytes, end, transferSyntax, isWhole);
    if (failure !== null) throw failure;
    Object.assign(dataSet.elements, meta.elements);
    return { dataSet, transferSyntax, baseOffset: 0 };
  } catch (error) {
    if (error instanceof AppError) throw error;
    // A Part 10 file that ends inside its data set, or whose elements make no sense.
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

/** Whether a file begins as PS3.10 §7.1 says. */
const hasPrefix = (bytes: Uint8Array): boolean =>
  bytes.length >= 132 && String.fromCharCode(...bytes.subarray(128, 132)) === "DICM";

/**
 * The transfer syntax of a data set that does not name it: explicit when two capitals follow the
 * first tag.
 */
const bareSyntax = (bytes: Uint8Array): string =>
  /^[A-Z]{2}$/.test(String.fromCharCode(bytes[4] ?? 0, bytes[5] ?? 0)) ? EXPLICIT_LE : IMPLICIT_LE;

/** Identifiers by which a data set without meta information is known as one. */
const isKnown = (dataSet: DataSet): boolean =>
  ["x00080016", "x00080018", "x0020000d"].some((tag) => dataSet.elements[tag] !== undefined);

/**
 * Parses a data set that does not name its transfer syntax.
 * @param isPart More of the file follows: an element that goes on there is no reason to take it for
 *   another kind of file.
 */
function parseBare(
  bytes: Uint8Array,
  baseOffset: number,
  isWhole: boolean,
  isPart: boolean,
): ParsedDataSet {
  const part = bytes.subarray(baseOffset), transferSyntax = bareSyntax(part);
  const { dataSet, failure } = parseBounded(part, 0, transferSyntax, isWhole);
  if (failure === null && isKnown(dataSet)) return { dataSet, transferSyntax, baseOffset };
  const cause = failure instanceof Error ? failure : new Error(parserMessage(failure));
  // the elements before the failure were read
  if (isPart && isKnown(dataSet)) {
    throw rejected("truncated", "Cannot read data set: beginning ends inside it", {}, { cause });
  }
  throw rejected("not_dicom", "Cannot read file: no DICOM header", {}, { cause });
}

/**
 * The transfer syntax of a file, from a beginning that need not hold its whole header.
 * @throws {AppError} as {@link parseFile}.
 */
export function transferSyntaxOf(beginning: Uint8Array): string {
  try {
    return parseFile(beginning, Infinity).transferSyntax;
  } catch (error) {
    if (!isCutShort(error)) throw error;
    if (!hasPrefix(beginning)) return bareSyntax(beginning);
    try {
      const { meta, end } = readMeta(beginning);
      return meta.string("x00020010")?.trim() || bareSyntax(beginning.subarray(end));
    } catch {
      throw error;
    }
  }
}

/** Whether a file could not be read because it ends too early: more of it may be enough. */
export const isCutShort = (error: unknown): boolean =>
  error instanceof AppError && error.details.reason === "truncated";

const parserMessage = (error: unknown): string =>
  typeof error === "object" && error !== null && "exception" in error
    ? String(error.exception)
    : String(error);

function checkPixels(header: InstanceHeader, bytes: Uint8Array, fileSizeBytes: number): void {
  const { rows, columns, frameCount, samplesPerPixel, bitsAllocated, transferSyntax, pixels } =
    header;
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
 * The date of a study: its own, or one of the images, which anonymisers and some scanners leave
 * when they empty it.
 */
function studyDateOf(
  tag: (tag: string) => string,
): Pick<InstanceHeader, "studyDate" | "studyDateSource"> {
  const study = isoDate(tag("x00080020")), series = isoDate(tag("x00080021"));
  if (study !== undefined) return { studyDate: study, studyDateSource: undefined };
  if (series !== undefined) return { studyDate: series, studyDateSource: "series" };
  // Acquisition Date, or the date of Acquisition DateTime
  const acquisition = isoDate(tag("x00080022")) ?? isoDate(tag("x0008002a").slice(0, 8));
  return {
    studyDate: acquisition,
    studyDateSource: acquisition === undefined ? undefined : "acquisition",
  };
}

/**
 * YYYY-MM-DD of a DA value, with the dots or hyphens of older files too; `undefined` when it is no
 * date of the calendar.
 */
function isoDate(value: string): string | undefined {
  const m = /^(\d{4})([.-]?)(\d{2})\2(\d{2})$/.exec(value.trim());
  if (!m) return undefined;
  const iso = `${m[1]}-${m[3]}-${m[4]}`, date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== iso ? undefined : iso;
}

/** Whole years of an AS value ("042Y", "018M"). */
function ageYears(value: string): number | undefined {
  const m = /^(\d{1,3})([DWMY])$/.exec(value.trim().toUpperCase());
  if (!m) return undefined;
  const perYear = { D: 365.25, W: 52.18, M: 12, Y: 1 }[m[2] as "D" | "W" | "M" | "Y"];
  return Math.floor(Number(m[1]) / perYear);
}
