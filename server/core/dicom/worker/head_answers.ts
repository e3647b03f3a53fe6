// Answers of a reader about a stored file, from its beginning up to the pixels.
import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { characterSetTerms } from "@/model/dicom/dicom_charset.ts";
import { AppError } from "@/model/errors.ts";
import type { DataSet } from "dicom-parser";
import { type HeaderWindow, headerWindow } from "@/server/core/dicom/read/display_window.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import {
  type InstanceHeader,
  type ParsedDataSet,
  readHeader,
} from "@/server/core/dicom/read/instance.ts";
import { isLossy } from "@/server/core/dicom/read/lossy.ts";
import { protocolName, scannerName } from "@/server/core/dicom/read/protocol.ts";
import { damaged, type SourceHead } from "@/server/core/dicom/read/source_series.ts";
import { jsonOfHead, parsedHead, sourceHead } from "@/server/core/dicom/read/stored_file.ts";

/** Bytes of the attributes that identify a patient, for readings in other character sets. */
export interface IdentityBytes {
  name: Uint8Array;
  id: Uint8Array;
  /** character sets that the file declares */
  terms: readonly string[];
}

/** What can be asked about the beginning of a file. */
export interface HeadAnswers {
  attributes: JsonDataSet;
  header: InstanceHeader;
  /** slices and attributes that derived objects repeat */
  source: SourceHead;
  /** whether the pixels have been compressed with loss */
  lossy: boolean;
  /** name of the scanner; empty when the header does not say */
  scanner: string;
  /** name of the protocol; empty when the header does not say */
  protocol: string;
  window: HeaderWindow | null;
  identity: IdentityBytes;
  /** Accession Number; empty when there is none */
  accession: string;
}

/** Longest values that are given away of a name and a number; a file may hold more. */
const MAX_IDENTITY_BYTES = 4096, MAX_ACCESSION = 64;

function bytesOf(dataSet: DataSet, tag: string): Uint8Array {
  const element = dataSet.elements[tag];
  if (!element || element.length === 0xffffffff) return new Uint8Array();
  const length = Math.min(element.length, MAX_IDENTITY_BYTES);
  return dataSet.byteArray.slice(element.dataOffset, element.dataOffset + length);
}

/** The beginning of a file with its elements. */
interface Head {
  bytes: Uint8Array;
  /** the beginning is all of the file */
  isWhole: boolean;
  parsed: ParsedDataSet;
  encoding: DicomEncoding | undefined;
}

const ANSWERS: { [Of in keyof HeadAnswers]: (head: Head) => HeadAnswers[Of] } = {
  attributes: ({ parsed, encoding }) => jsonOfHead(parsed, encoding),
  header: ({ bytes, isWhole, encoding }) =>
    readHeader(bytes, "", {
      encoding,
      fileSizeBytes: isWhole ? bytes.length : Number.MAX_SAFE_INTEGER,
    }),
  source: ({ parsed, encoding }) => sourceHead(parsed, encoding),
  lossy: ({ parsed }) => isLossy(parsed),
  scanner: ({ parsed }) => scannerName(parsed.dataSet),
  protocol: ({ parsed }) => protocolName(parsed.dataSet),
  window: ({ parsed }) => headerWindow(parsed.dataSet),
  identity: ({ parsed: { dataSet } }) => ({
    name: bytesOf(dataSet, "x00100010"),
    id: bytesOf(dataSet, "x00100020"),
    terms: characterSetTerms(dataSet.string("x00080005")),
  }),
  accession: ({ parsed }) =>
    parsed.dataSet.string("x00080050")?.trim().slice(0, MAX_ACCESSION) ?? "",
};

/**
 * Answers a question about the beginning of a file.
 * @returns `null` when the header goes on behind the beginning.
 * @throws {AppError} `engine.unsupported_input` when its elements are damaged.
 */
export function headAnswer<Of extends keyof HeadAnswers>(
  of: Of,
  bytes: Uint8Array,
  isWhole: boolean,
  encoding: DicomEncoding | undefined,
): { value: HeadAnswers[Of] } | null {
  const parsed = parsedHead(bytes, isWhole);
  if (parsed === null) return null;
  try {
    return { value: ANSWERS[of]({ bytes, isWhole, parsed, encoding }) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    // values of contradictory length and type: errors of the parser, of no common type
    throw damaged("its elements are damaged", error);
  }
}
