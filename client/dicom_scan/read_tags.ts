import dicomParser, { type DataSet } from "dicom-parser";
import { characterSetTerms, decodeText, readableName } from "@/model/dicom/dicom_charset.ts";
import { packedFormat } from "@/model/dicom/packed_file.ts";
import type { UploadReason } from "@/model/text/worklist/upload.ts";
import { CLASSIFY_TAGS } from "@/model/dicom/classify.ts";
import { type FileTags, READ_ATTRIBUTES } from "@/model/worklist/upload_study.ts";

/** Parsed tags or the reason for failure; `more` requests a longer prefix of the file. */
type TagsAnswer = { tags: FileTags } | {
  reason: UploadReason;
  details?: Record<string, string>;
  more: boolean;
};

/** The parser stops after Series Instance UID, the last DICOM element that is needed. */
const LAST_TAG = "x0020000e";
const DIRECTORY_TAG = "x00041220", ROWS_TAG = "x00280010";
/** Transfer syntax UID of Deflated Explicit VR Little Endian. */
const DEFLATED = "1.2.840.10008.1.2.1.99";

function parse(
  bytes: Uint8Array,
  transferSyntax?: string,
): { dataSet: DataSet; isWhole: boolean } | undefined {
  const options = {
    untilTag: LAST_TAG,
    ...(transferSyntax ? { TransferSyntaxUID: transferSyntax } : {}),
  };
  try {
    return { dataSet: dicomParser.parseDicom(bytes, options), isWhole: true };
  } catch (error) {
    // the parser's error carries the elements parsed before the end of the input
    const { dataSet } = error as { dataSet?: DataSet };
    return dataSet ? { dataSet, isWhole: false } : undefined;
  }
}

/** Whether a file starts with the preamble and the DICM prefix of PS3.10 §7.1. */
export const hasDicomPrefix = (bytes: Uint8Array): boolean =>
  bytes.length >= 132 && String.fromCharCode(...bytes.subarray(128, 132)) === "DICM";

/**
 * Parses a data set without a file header; two capital letters after the first tag mean explicit
 * VR, and a group number that begins with a zero byte means big-endian.
 */
function parseBare(bytes: Uint8Array) {
  const isExplicit = /^[A-Z]{2}$/.test(String.fromCharCode(bytes[4] ?? 0, bytes[5] ?? 0));
  if (!isExplicit) return parse(bytes, "1.2.840.10008.1.2");
  const isBigEndian = bytes[0] === 0 && bytes[1]! > 0;
  return parse(bytes, isBigEndian ? "1.2.840.10008.1.2.2" : "1.2.840.10008.1.2.1");
}

/**
 * Reads the tags shown in the upload table from the beginning of a file.
 *
 * @param bytes  Beginning of the file, or the whole file.
 * @returns tags, or the reason why the file cannot be used; never throws.
 * `no_pixel_data`: the file is certainly not an MR image.
 */
export function readTags(bytes: Uint8Array): TagsAnswer {
  const answer = tagsAsStated(bytes);
  if ("tags" in answer || answer.reason === "compression") return answer;
  // a file with a wrong transfer syntax is uploaded, so that the server's error can name the fault
  const start = dataSetStart(bytes);
  const tags = start === null ? undefined : tagsByContent(bytes.subarray(start));
  return tags ? { tags } : answer;
}

/** Tags of a data set, found without the stated transfer syntax; `undefined` without UIDs. */
function tagsByContent(dataSetBytes: Uint8Array): FileTags | undefined {
  try {
    const parsed = parseBare(dataSetBytes), tags = parsed && tagsOf(parsed.dataSet);
    return tags && [tags.studyUid, tags.seriesUid].every((uid) => /^\d+(\.\d+)+$/.test(uid))
      ? tags
      : undefined;
  } catch {
    // elements with contradictory length or type
    return undefined;
  }
}

/** Reads the tags with the transfer syntax that the file states. */
function tagsAsStated(bytes: Uint8Array): TagsAnswer {
  const isPart10 = hasDicomPrefix(bytes), format = isPart10 ? null : packedFormat(bytes);
  if (format !== null) return { reason: "packed", details: { format }, more: false };
  if (isPart10 && isDeflated(bytes)) {
    return { reason: "compression", details: { transferSyntax: DEFLATED }, more: false };
  }
  try {
    const parsed = isPart10 ? parse(bytes) : parseBare(bytes);
    const tags = parsed && tagsOf(parsed.dataSet);
    if (tags && tags.seriesUid !== "" && tags.studyUid !== "") return { tags };
    // these tags come after the UIDs, or are those of a DICOMDIR: a longer prefix would not help
    const names = Object.keys(parsed?.dataSet.elements ?? {});
    if (parsed?.isWhole && names.some((name) => name === LAST_TAG || name === ROWS_TAG)) {
      return { reason: "identifier", more: false };
    }
    const isOther = parsed?.isWhole &&
      names.some((name) => name > LAST_TAG || name === DIRECTORY_TAG);
    if (isPart10 && isOther) return { reason: "no_pixel_data", more: false };
    return { reason: isPart10 ? "truncated" : "not_dicom", more: true };
  } catch {
    // a file that fails here has DICOM elements with contradictory length or type
    return { reason: isPart10 ? "truncated" : "not_dicom", more: true };
  }
}

/** Byte offset of the data set; `null` if the file meta information lacks its length. */
function dataSetStart(bytes: Uint8Array): number | null {
  const hasLength = String.fromCharCode(...bytes.subarray(128, 140)) === "DICM\x02\0\0\0UL\x04\0";
  if (!hasLength || bytes.length < 144) return null;
  return 144 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(140, true);
}

/**
 * Byte offset of a deflated data set. `null` if the file is not deflated, or if the file meta
 * information lacks its length; the server rejects such a file too.
 */
export const deflatedFrom = (bytes: Uint8Array): number | null =>
  isDeflated(bytes) ? dataSetStart(bytes) : null;

/** Whether the file meta information names the deflated transfer syntax. */
function isDeflated(bytes: Uint8Array): boolean {
  const beginning = String.fromCharCode(...bytes.subarray(132, 1024));
  return beginning.includes(`\x02\0\x10\0UI${String.fromCharCode(DEFLATED.length)}\0${DEFLATED}`);
}

function tagsOf(dataSet: DataSet): FileTags {
  const terms = characterSetTerms(dataSet.string("x00080005"));
  const plain = (tag: string) => dataSet.string(tag)?.trim() ?? "";
  const text = (tag: string, isName = false) => {
    const element = dataSet.elements[tag];
    if (!element || element.length === 0 || element.length === 0xffffffff) return "";
    const raw = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
    return decodeText(raw, terms, undefined, isName).trim();
  };
  const list = (tag: string) => plain(tag).toUpperCase().split("\\").map((part) => part.trim());
  const number = (tag: string) => {
    const value = dataSet.elements[tag] ? dataSet.floatString(tag) : undefined;
    return value !== undefined && Number.isFinite(value) ? value : undefined;
  };
  const date = /^(\d{4})\.?(\d{2})\.?(\d{2})$/.exec(plain("x00080020"));
  return {
    patientId: text("x00100020"),
    patientName: readableName(text("x00100010", true)),
    studyUid: plain("x0020000d"),
    seriesUid: plain("x0020000e"),
    instanceUid: plain("x00080018"),
    seriesDescription: text("x0008103e"),
    studyDate: date ? `${date[1]}-${date[2]}-${date[3]}` : "",
    modality: plain("x00080060").toUpperCase(),
    imageType: list("x00080008"),
    protocolName: text("x00181030"),
    sopClassUid: plain("x00080016"),
    contrast: {
      repetitionTimeMs: number("x00180080"),
      echoTimeMs: number("x00180081"),
      inversionTimeMs: number("x00180082"),
      flipAngleDeg: number("x00181314"),
      scanningSequence: list("x00180020"),
      texts: Object.fromEntries(READ_ATTRIBUTES.map((name) => [name, text(CLASSIFY_TAGS[name]!)])),
    },
  };
}
