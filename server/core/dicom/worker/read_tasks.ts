/**
 * Tasks and results of the workers that read DICOM: plain values that can be sent between threads.
 */
import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { AppError, type ErrorCode, type ErrorDetails } from "@/model/errors.ts";
import type { Deidentification } from "@/server/core/dicom/deidentify/identity.ts";
import type { WebPart } from "@/server/core/dicom/worker/frame_parts.ts";
import type { HeadAnswers } from "@/server/core/dicom/worker/head_answers.ts";
import type { FaceMessage, MaskedFile } from "@/server/core/dicom/worker/masked_message.ts";
import type { FileHeader } from "@/server/core/dicom/worker/file_header.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import type { Rendering } from "@/server/core/dicom/worker/rendering_query.ts";

/** Length of the pieces of an inflated file, bytes; the last piece may be shorter. */
export const INFLATED_PIECE_BYTES = 4 << 20;

/** An error as a plain object, which a worker sends. */
export interface ReadFailure {
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

export type ReadTask =
  /** headers of files that will be grouped into series */
  | { kind: "instances"; paths: readonly string[]; encoding: DicomEncoding | undefined }
  /** headers of DICOM objects of any kind */
  | { kind: "objects"; paths: readonly string[]; encoding: DicomEncoding | undefined }
  /** a question about a file's header; `isWhole`: the bytes are the complete file */
  | {
    kind: "head";
    of: keyof HeadAnswers;
    bytes: Uint8Array<ArrayBuffer>;
    isWhole: boolean;
    encoding: DicomEncoding | undefined;
  }
  /** transfer syntax, from first bytes that include the meta information */
  | { kind: "syntax"; bytes: Uint8Array<ArrayBuffer> }
  /** de-identification of a complete file, and removal of the face if a face region is given */
  | {
    kind: "masked";
    bytes: Uint8Array<ArrayBuffer>;
    options: Omit<Deidentification, "isDefaced">;
    face: FaceMessage | null;
  }
  /** a frame rendered as JPEG */
  | { kind: "picture"; bytes: Uint8Array<ArrayBuffer>; rendering: Rendering }
  /** a piece of a deflated file, inflated */
  | { kind: "inflated"; path: string; from: number }
  /** frames as stored; frame numbers from 1 */
  | { kind: "frames"; bytes: Uint8Array<ArrayBuffer>; wanted: readonly number[] }
  /** value of an element; its tag is eight hexadecimal digits */
  | { kind: "value"; bytes: Uint8Array<ArrayBuffer>; tag: string };

interface Results {
  instances: (InstanceHeader | ReadFailure)[];
  objects: (FileHeader | ReadFailure)[];
  /** `null`: the header is longer than the bytes */
  head: { value: HeadAnswers[keyof HeadAnswers] } | null;
  syntax: string;
  /** `null`: the patient's identity is burned into the pixels */
  masked: MaskedFile | null;
  picture: Uint8Array<ArrayBuffer>;
  inflated: Uint8Array<ArrayBuffer>;
  frames: WebPart[];
  value: Uint8Array<ArrayBuffer>;
}
export type ReadResult<Kind extends ReadTask["kind"]> = Results[Kind];
export type ReadAnswer = { result: Results[ReadTask["kind"]] } | { failure: ReadFailure };

/** Converts an error to a plain object; keeps the code of a system error, which callers test. */
export function failureOf(error: unknown): ReadFailure {
  if (error instanceof AppError) {
    return { code: error.code, message: error.message, details: error.details };
  }
  const { name = "Error", code = "" } = error as { name?: string; code?: string };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, details: { name, system: String(code) } };
}

/** Inverse of {@link failureOf}: the plain object as an error again. */
export function errorOf({ code, message, details }: ReadFailure): Error {
  if (code !== "internal" || details.system === undefined) {
    return new AppError(code, message, details);
  }
  if (details.name === "RangeError") return new RangeError(message);
  if (details.name === "TypeError") return new TypeError(message);
  return Object.assign(
    new Error(message),
    details.system === "" ? {} : { code: String(details.system) },
  );
}

export const isFailure = (value: object): value is ReadFailure =>
  "code" in value && "details" in value;
