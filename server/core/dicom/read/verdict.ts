import { AppError, type ErrorDetails } from "@/model/errors.ts";
import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { UploadReason } from "@/model/text/worklist/upload.ts";
import type { StoredAs } from "@/model/text/worklist/upload_values.ts";

/**
 * Reason for refusing a file, with `details` that the text of the reason shows; no patient data.
 * The texts are in model/text/worklist/upload.ts.
 */
export interface Verdict {
  fileName: string;
  code: "upload.format_not_supported";
  reason: UploadReason;
  details: ErrorDetails;
}

/** Contradiction between the transfer syntax that a file states and its content. */
export interface SyntaxConflict {
  /** name of the stated transfer syntax, or its UID */
  declared: string;
  actual: StoredAs;
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

/** Adds the series kind (T1w or FLAIR) to a refusal: the study may now have none of that kind. */
export const withKind = ({ code, message, details, cause }: AppError, kind: SeriesKind): AppError =>
  new AppError(code, message, { ...details, kind }, { cause });

/** Entry of the list of refused files. @param error Error made by {@link rejected}. */
export function verdictOf(fileName: string, error: AppError): Verdict {
  const { reason, ...details } = error.details;
  return { fileName, code: "upload.format_not_supported", reason: reason as UploadReason, details };
}

/** Error for a file that contradicts the stated transfer syntax. */
export const conflictError = (conflict: SyntaxConflict): AppError =>
  rejected("transfer_syntax", "Cannot read file: its content contradicts the transfer syntax", {
    ...conflict,
  });
