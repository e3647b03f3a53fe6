import { AppError, type ErrorDetails } from "@/model/errors.ts";
import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { UploadReason } from "@/model/text/worklist/upload.ts";

/**
 * Reason for refusing a file. `details` fills the text of `reason`, without patient data.
 * The texts are in model/text/worklist/upload.ts.
 */
export interface Verdict {
  fileName: string;
  code: "upload.format_not_supported";
  reason: UploadReason;
  details: ErrorDetails;
}

/** Error for an unusable file or series: `upload.format_not_supported` with `details.reason`. */
export function rejected(
  reason: UploadReason,
  message: string,
  details: ErrorDetails = {},
  options?: ErrorOptions,
): AppError {
  return new AppError("upload.format_not_supported", message, { reason, ...details }, options);
}

/** Adds the kind of a refused series to the error: the study may now lack a series of that kind. */
export const withKind = ({ code, message, details, cause }: AppError, kind: SeriesKind): AppError =>
  new AppError(code, message, { ...details, kind }, { cause });

/** Refusal of one file for an error of {@link rejected}. */
export function verdictOf(fileName: string, error: AppError): Verdict {
  const { reason, ...details } = error.details;
  return { fileName, code: "upload.format_not_supported", reason: reason as UploadReason, details };
}
