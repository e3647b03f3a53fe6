import type { ErrorCode, ErrorDetails } from "@/model/errors.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import type { Unchecked } from "@/server/core/dicom/convert/convert_checks.ts";

/** A file of a series on disk. */
export interface SeriesFile {
  fileName: string;
  path: string;
}

/** An error as a plain object, which a worker sends. */
export interface ConvertFailure {
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

export interface ConvertRequest {
  files: readonly SeriesFile[];
}
export type ConvertAnswer = { volume: Volume } | { error: ConvertFailure };

export interface PackRequest {
  files: readonly SeriesFile[];
  /** path of the .nii.gz file to write */
  packTo: string;
}
export type PackAnswer = { packed: true; unchecked: Unchecked | null } | { error: ConvertFailure };
