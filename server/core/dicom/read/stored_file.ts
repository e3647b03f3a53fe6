// Parses stored DICOM files; used only in a reader process, see server/core/dicom/worker.
import type { DataSet } from "dicom-parser";
import { validForm } from "@/server/core/dicom/read/value_forms.ts";
import { characterSetTerms, decodeText, type DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { withoutPadding } from "@/model/dicom/padding.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import { dicomJson, type JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import { isCutShort, type ParsedDataSet, parseFile } from "@/server/core/dicom/read/instance.ts";
import { pixelElement } from "@/server/core/dicom/limits/bounded_parser.ts";
import { framesOf } from "@/server/core/dicom/read/frames.ts";
import { damaged, type SourceHead } from "@/server/core/dicom/read/source_series.ts";

/**
 * Attributes that derived objects copy into their patient and study modules.
 * VRs are given for the attributes that are names.
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
/** Attributes that every object must contain, even if empty (PS3.3 C.7.1.1, C.7.2.1). */
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

/** Parses a file's first bytes. @returns `null` if the header is longer than these. */
export function parsedHead(bytes: Uint8Array, isWhole: boolean): ParsedDataSet | null {
  try {
    const parsed = parseFile(bytes, isWhole ? bytes.length : Infinity);
    // without pixels, the first bytes may end exactly at the end of an element
    return isWhole || parsed.dataSet.elements[pixelElement(parsed.dataSet)] ? parsed : null;
  } catch (error) {
    if (!isWhole && isCutShort(error)) return null;
    throw damaged("its elements are damaged", error);
  }
}

/** Attributes of a stored file. @throws {AppError} `engine.unsupported_input` for damaged ones. */
export function jsonOfHead(
  { dataSet }: ParsedDataSet,
  encoding: DicomEncoding | undefined,
): JsonDataSet {
  try {
    return dicomJson(dataSet, encoding);
  } catch (error) {
    // damaged values (contradictory length and type): the parser's errors have no common type
    throw damaged("its elements are damaged", error);
  }
}

/**
 * Parses a stored file, up to the pixels or completely.
 * @throws {AppError} `engine.unsupported_input` for a damaged file.
 */
export function parseStored(bytes: Uint8Array, isWhole: boolean): ParsedDataSet {
  try {
    return parseFile(bytes, bytes.length, isWhole);
  } catch (error) {
    throw damaged("its elements are damaged", error);
  }
}

function identityOf(dataSet: DataSet, encoding: DicomEncoding | undefined): Dataset {
  const terms = characterSetTerms(dataSet.string("x00080005")),
    identity: Record<string, string> = {};
  for (const [keyword, tag] of Object.entries(IDENTITY)) {
    const element = dataSet.elements[tag];
    if (!element) continue;
    const raw = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
    const text = withoutPadding(
      decodeText(raw, terms, encoding, IS_NAME.has(keyword)).trimEnd(),
    );
    const value = validForm(keyword, text);
    if (value !== undefined) identity[keyword] = value;
  }
  for (const keyword of TYPE_2) identity[keyword] ??= "";
  return identity;
}

/**
 * Slices of one file of a series, with the attributes that derived objects copy.
 * @throws {AppError} `engine.unsupported_input` when the file has no geometry.
 */
export function sourceHead(
  { dataSet }: ParsedDataSet,
  encoding: DicomEncoding | undefined,
): SourceHead {
  const text = (tag: string) => dataSet.string(tag)?.trim() ?? "";
  const frames = Math.max(1, Math.trunc(dataSet.floatString("x00280008") ?? 1));
  const sopInstanceUid = text("x00080018"), seriesUid = text("x0020000e");
  const images = framesOf(dataSet, frames), thickness = dataSet.floatString("x00180050");
  return {
    identity: identityOf(dataSet, encoding),
    studyUid: text("x0020000d"),
    seriesUid,
    sopClassUid: text("x00080016"),
    frameOfReferenceUid: text("x00200052"),
    positionReference: text("x00201040"),
    rows: dataSet.uint16("x00280010") ?? 0,
    columns: dataSet.uint16("x00280011") ?? 0,
    sliceThicknessMm: Number.isFinite(thickness) ? thickness : undefined,
    slices: images.planes.map((plane, at) => ({
      ...plane,
      sopInstanceUid,
      seriesUid,
      frameNumber: frames > 1 ? images.frames[at]!.number + 1 : undefined,
    })),
  };
}
