import dicomParser, { type DataSet } from "dicom-parser";
import { type Affine, type Shape } from "@/model/geometry.ts";
import { AppError } from "@/model/errors.ts";
import { validForm } from "@/server/core/dicom/read/value_forms.ts";
import { characterSetTerms, decodeText, type DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import { dicomJson, type JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import { affineOfStack, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import { isCutShort, type ParsedDataSet, parseFile } from "@/server/core/dicom/read/instance.ts";
import { framesOf } from "@/server/core/dicom/read/frames.ts";
import type { SlicePlane } from "@/server/core/dicom/read/plane.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

/** One slice of a series: its plane, its file and its frame. */
export interface SourceSlice extends SlicePlane {
  sopInstanceUid: string;
  /** of the file: an acquisition may have come under several */
  seriesUid: string;
  /** from 1; `undefined` in a file of one slice */
  frameNumber: number | undefined;
}

/** Attributes of a series that objects derived from it repeat. */
export interface SourceSeries {
  /**
   * patient and study as the files have them, so that an archive files the derived objects with
   * them
   */
  identity: Dataset;
  studyUid: string;
  seriesUid: string;
  sopClassUid: string;
  frameOfReferenceUid: string;
  positionReference: string;
  rows: number;
  columns: number;
  /** of the slice's signal, mm */
  sliceThicknessMm: number | undefined;
  /** in stack order: along row × column */
  slices: readonly SourceSlice[];
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/**
 * Attributes copied into the patient and study modules of derived objects, with the VRs that hold
 * names.
 */
const IDENTITY = {
  PatientName: "x00100010",
  PatientID: "x00100020",
  IssuerOfPatientID: "x00100021",
  PatientBirthDate: "x00100030",
  PatientSex: "x00100040",
  PatientAge: "x00101010",
  StudyInstanceUID: "x0020000d",
  StudyDate: "x00080020",
  StudyTime: "x00080030",
  ReferringPhysicianName: "x00080090",
  StudyID: "x00200010",
  AccessionNumber: "x00080050",
  StudyDescription: "x00081030",
  TimezoneOffsetFromUTC: "x00080201",
} as const;
/** Attributes that every object of a patient must have, if only empty (PS3.3 C.7.1.1, C.7.2.1). */
const TYPE_2 = [
  "PatientName",
  "PatientID",
  "PatientBirthDate",
  "PatientSex",
  "StudyDate",
  "StudyTime",
  "ReferringPhysicianName",
  "StudyID",
  "AccessionNumber",
] as const;
const IS_NAME: ReadonlySet<string> = new Set(["PatientName", "ReferringPhysicianName"]);

/** The error of a stored file or series that cannot be used. */
export const damaged = (message: string, cause?: unknown): AppError =>
  new AppError("engine.unsupported_input", `Cannot read the stored series: ${message}`, {
    reason: "dicom",
  }, {
    cause,
  });

const PIXEL_DATA = "x7fe00010";

/** Parses the beginning of a file. @returns `null` when its header goes on behind it. */
export function parsedHead(bytes: Uint8Array, isWhole: boolean): ParsedDataSet | null {
  try {
    const parsed = parseFile(bytes, isWhole ? bytes.length : Infinity);
    // without pixels an element may have ended where the beginning ends
    return isWhole || parsed.dataSet.elements[PIXEL_DATA] ? parsed : null;
  } catch (error) {
    if (!isWhole && isCutShort(error)) return null;
    throw damaged("its elements are damaged", error);
  }
}

/**
 * The attributes of a file. @throws {AppError} `engine.unsupported_input` when they are damaged.
 */
export function jsonOfHead(
  { dataSet }: ParsedDataSet,
  encoding: DicomEncoding | undefined,
): JsonDataSet {
  try {
    return dicomJson(dataSet, encoding);
  } catch (error) {
    // values of contradictory length and type: errors of the parser, of no common type
    throw damaged("its elements are damaged", error);
  }
}

/**
 * A stored file, up to its pixels or the whole of it.
 * @throws {AppError} `engine.unsupported_input` when it is damaged.
 */
export function parseStored(bytes: Uint8Array, isWhole: boolean): ParsedDataSet {
  try {
    return parseFile(bytes, bytes.length, isWhole);
  } catch (error) {
    throw damaged("its elements are damaged", error);
  }
}

/**
 * A file that this program has just written, up to its pixels: without the limits of foreign bytes,
 * which a segmentation of thin slices may exceed.
 */
export const parseOwn = (bytes: Uint8Array): DataSet =>
  dicomParser.parseDicom(bytes, { untilTag: PIXEL_DATA });

function identityOf(dataSet: DataSet, encoding: DicomEncoding | undefined): Dataset {
  const terms = characterSetTerms(dataSet.string("x00080005")),
    identity: Record<string, string> = {};
  for (const [keyword, tag] of Object.entries(IDENTITY)) {
    const element = dataSet.elements[tag];
    if (!element) continue;
    const raw = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
    const text = decodeText(raw, terms, encoding, IS_NAME.has(keyword)).replace(/[\s\0]+$/, "");
    const value = validForm(keyword, text);
    if (value !== undefined) identity[keyword] = value;
  }
  for (const keyword of TYPE_2) identity[keyword] ??= "";
  return identity;
}

/**
 * Reads the headers of a series' files.
 *
 * @param files  Whole files or their beginnings, any order, one at a time.
 * @throws {AppError} `engine.unsupported_input` when there is none, or one is damaged or has no
 *   geometry.
 */
export async function readSourceSeries(
  files: AsyncIterable<Uint8Array>,
  encoding?: DicomEncoding,
): Promise<SourceSeries> {
  let first: DataSet | undefined;
  const slices: SourceSlice[] = [];
  for await (const bytes of files) {
    const { dataSet } = parseStored(bytes, false);
    first ??= dataSet;
    const frames = Math.max(1, Math.trunc(dataSet.floatString("x00280008") ?? 1));
    const sopInstanceUid = dataSet.string("x00080018")?.trim() ?? "";
    const seriesUid = dataSet.string("x0020000e")?.trim() ?? "", images = framesOf(dataSet, frames);
    for (const [at, plane] of images.planes.entries()) {
      const frameNumber = frames > 1 ? images.frames[at]!.number + 1 : undefined;
      slices.push({ ...plane, sopInstanceUid, seriesUid, frameNumber });
    }
  }
  if (!first || slices.length < 2) throw damaged("no slices");
  slices.sort((a, b) => stackPositionMm(a) - stackPositionMm(b));
  const text = (tag: string) => first.string(tag)?.trim() ?? "";
  const seriesUid = text("x0020000e"), rows = first.uint16("x00280010") ?? 0;
  const columns = first.uint16("x00280011") ?? 0;
  if (rows === 0 || columns === 0) throw damaged("no rows or columns");
  return {
    identity: identityOf(first, encoding),
    studyUid: text("x0020000d"),
    seriesUid,
    sopClassUid: text("x00080016"),
    frameOfReferenceUid: text("x00200052") || uidOf("frame of reference", seriesUid),
    positionReference: text("x00201040"),
    rows,
    columns,
    sliceThicknessMm: first.floatString("x00180050"),
    slices,
    shape: [columns, rows, slices.length],
    rasFromIjk: affineOfStack(slices),
  };
}
