// Answers about a stored file that need only its header, read by a DICOM reader process.
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
import { coilName, protocolName, scannerName } from "@/server/core/dicom/read/protocol.ts";
import { damaged, type SourceHead } from "@/server/core/dicom/read/source_series.ts";
import { jsonOfHead, parsedHead, sourceHead } from "@/server/core/dicom/read/stored_file.ts";

/** Identifying attributes as raw bytes, to be decoded in other character sets. */
export interface IdentityBytes {
  name: Uint8Array;
  id: Uint8Array;
  /** character sets declared in the file */
  terms: readonly string[];
}

/** Questions about a file's header, with the type of each answer. */
export interface HeadAnswers {
  attributes: JsonDataSet;
  header: InstanceHeader;
  /** slices and attributes that derived objects copy */
  source: SourceHead;
  /** whether the pixels were ever compressed lossily */
  lossy: boolean;
  /** scanner name; empty if the header lacks it */
  scanner: string;
  /** protocol name; empty if the header lacks it */
  protocol: string;
  /** receive coil name; empty if the header lacks it */
  coil: string;
  window: HeaderWindow | null;
  identity: IdentityBytes;
  /** Accession Number; empty if the header lacks it */
  accession: string;
}

/** Maximum number of bytes of a name and of a number that are returned. */
const MAX_IDENTITY_BYTES = 4096, MAX_ACCESSION = 64;

function bytesOf(dataSet: DataSet, tag: string): Uint8Array {
  const element = dataSet.elements[tag];
  if (!element || element.length === 0xffffffff) return new Uint8Array();
  const length = Math.min(element.length, MAX_IDENTITY_BYTES);
  return dataSet.byteArray.slice(element.dataOffset, element.dataOffset + length);
}

/** Parsed header, from the first bytes of a file. */
interface Head {
  bytes: Uint8Array;
  /** whether the bytes are the complete file */
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
  coil: ({ parsed }) => coilName(parsed.dataSet),
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
 * Answers a question about a file from its first bytes.
 * @returns `null` if the header is longer than the bytes.
 * @throws {AppError} `engine.unsupported_input` if elements are damaged.
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
    // damaged values (contradictory length and type): the parser's errors have no common type
    throw damaged("its elements are damaged", error);
  }
}
