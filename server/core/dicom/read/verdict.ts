import { AppError, type ErrorDetails } from "@/model/errors.ts";
import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { UploadReason } from "@/model/text/worklist/upload.ts";

/**
 * Why one file did not go in. `details` fills the text of `reason` (model/text/worklist/upload.ts);
 * no patient data.
 */
export interface Verdict {
  fileName: string;
  code: "upload.format_not_supported";
  reason: UploadReason;
  details: ErrorDetails;
}

/**
 * The error of a file or series that cannot be used: `upload.format_not_supported` with
 * `details.reason`.
 */
export function rejected(
  reason: UploadReason,
  message: string,
  details: ErrorDetails = {},
  options?: ErrorOptions,
): AppError {
  return new AppError("upload.format_not_supported", message, { reason, ...details }, options);
}

/**
 * An error about a series, with the kind that the series is of: the study may lack that kind now.
 */
export const withKind = ({ code, message, details, cause }: AppError, kind: SeriesKind): AppError =>
  new AppError(code, message, { ...details, kind }, { cause });

/** The verdict of one file for an error of {@link rejected}. */
export function verdictOf(fileName: string, error: AppError): Verdict {
  const { reason, ...details } = error.details;
  return { fileName, code: "upload.format_not_supported", reason: reason as UploadReason, details };
}
