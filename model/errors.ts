/** Ways in which a page shows an error; see docs/architecture.md, "Errors". */
type Surface = "inline" | "toast" | "modal" | "page";

interface ErrorRow {
  status: number;
  surface: Surface;
  retryable: boolean;
}

const row = (status: number, surface: Surface, retryable = false): ErrorRow => ({
  status,
  surface,
  retryable,
});

/**
 * Every error the product can report. Codes are `noun.condition`; they are never renamed or reused.
 */
export const ERRORS = {
  "auth.invalid": row(401, "toast"),
  "auth.too_many_attempts": row(429, "toast"),
  "auth.ip_denied": row(403, "toast"),
  "auth.waiting_approval": row(403, "toast"),
  "auth.device_account": row(403, "toast"),
  "auth.suspended": row(403, "toast"),
  "auth.not_found": row(404, "toast"),
  "auth.code_needed": row(401, "inline"),
  "auth.code_wrong": row(401, "toast"),
  "auth.must_enrol": row(403, "page"),
  "auth.no_role": row(403, "toast"),
  "auth.no_email": row(403, "toast"),
  "auth.account_exists": row(409, "toast"),
  "auth.provider_refused": row(403, "toast"),
  "auth.provider_unreachable": row(503, "toast", true),
  "token.missing": row(401, "page"),
  "token.expired": row(401, "modal"),
  "token.revoked": row(401, "modal"),
  "access.forbidden": row(403, "page"),
  "input.invalid": row(400, "inline"),
  "input.media_type": row(415, "toast"),
  "entity.not_found": row(404, "page"),
  "label.duplicate": row(409, "inline"),
  "label.changed": row(409, "modal"),
  "filter.duplicate_name": row(409, "inline"),
  "settings.changed": row(409, "toast"),
  "logo.format": row(422, "inline"),
  "logo.too_large": row(422, "inline"),
  "study.duplicate": row(409, "toast"),
  "study.being_analyzed": row(409, "toast"),
  "study.being_edited": row(409, "modal"),
  "merge.not_undoable": row(409, "toast"),
  "message.unconfirmed": row(409, "toast"),
  "study.deleted": row(410, "modal"),
  "study.not_analyzed": row(409, "toast"),
  "study.already_analyzed": row(409, "toast"),
  "study.insufficient_info": row(422, "toast"),
  "study.no_series": row(422, "toast"),
  "credit.none": row(402, "modal"),
  "license.expired": row(402, "modal"),
  "license.not_started": row(402, "modal"),
  "storage.full": row(507, "modal"),
  "storage.read_only": row(503, "toast"),
  "file.damaged": row(422, "modal"),
  "upload.format_not_supported": row(422, "toast"),
  "upload.too_many_parts": row(413, "toast"),
  "media.not_acceptable": row(406, "toast"),
  "report.too_few_longitudinal": row(422, "toast"),
  "text.changed": row(409, "inline"),
  "text.results_changed": row(409, "toast"),
  "control.unsuitable": row(422, "toast"),
  "norm.too_few_controls": row(422, "toast"),
  "norm.too_few_routine": row(422, "toast"),
  "norm.not_separable": row(422, "toast"),
  "norm.pool_unsuitable": row(422, "toast"),
  "norm.table_invalid": row(422, "inline"),
  "norm.too_many_tables": row(409, "toast"),
  "norm.same_person": row(409, "toast"),
  "norm.not_open": row(409, "toast"),
  "norm.not_in_force": row(409, "toast"),
  "acceptance.no_studies": row(422, "toast"),
  "acceptance.not_open": row(409, "toast"),
  "acceptance.picture_unseen": row(409, "toast"),
  "acceptance.replaced": row(409, "toast"),
  "acceptance.not_allowed": row(409, "toast"),
  "acceptance.remark_missing": row(422, "toast"),
  "acceptance.same_person": row(409, "toast"),
  "reading_study.no_images": row(422, "toast"),
  "reading_study.readers": row(422, "toast"),
  "reading_study.begun": row(409, "toast"),
  "reading_study.blinded": row(409, "inline"),
  "reading_study.washout": row(409, "inline"),
  "reading_study.open_elsewhere": row(409, "inline"),
  "reading_study.not_next": row(409, "toast"),
  "reading_study.answered": row(409, "toast"),
  "stop.not_open": row(409, "toast"),
  "stop.same_person": row(409, "toast"),
  "signature.not_independent": row(409, "toast"),
  "signature.signer_inactive": row(409, "toast"),
  "stop.outdated": row(409, "toast"),
  "chart.not_open": row(409, "toast"),
  "chart.same_person": row(409, "toast"),
  "user.last_administrator": row(409, "toast"),
  "study.not_restorable": row(409, "toast"),
  "password.incorrect": row(403, "inline"),
  "password.mismatch": row(422, "inline"),
  "password.policy": row(422, "inline"),
  "password.unchanged": row(422, "inline"),
  "password.common": row(422, "inline"),
  "password.must_change": row(403, "page"),
  "job.canceled": row(410, "toast"),
  "job.failed": row(500, "toast"),
  "engine.crashed": row(500, "toast"),
  "engine.unsupported_input": row(422, "toast"),
  "volume.affine_singular": row(422, "toast"),
  "call.too_often": row(429, "toast"),
  "request.too_slow": row(408, "toast", true),
  "server.busy": row(503, "toast", true),
  "storage.unavailable": row(503, "toast", true),
  "core.unreachable": row(502, "toast", true),
  "network.offline": row(503, "toast", true),
  "internal": row(500, "toast"),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorDetails = Record<string, string | number | string[]>;

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(ERRORS, code);

/** Whether the same call may be repeated: the failure is temporary. */
export const isRetryable = (code: string): boolean => isErrorCode(code) && ERRORS[code].retryable;

/**
 * The error type that crosses layers. `message` is for the log: action first, state after a colon,
 * no full stop. Neither `message` nor `details` contain patient data.
 */
export class AppError extends Error {
  override readonly name = "AppError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/**
 * Returns an AppError unchanged. Any other error becomes `internal`, with its text for the log
 * only.
 */
export const asAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError("internal", String(error));

/** RFC 9457 problem details, in the form in which the API sends them. */
export interface Problem {
  type: "about:blank";
  status: number;
  title: string;
  code: ErrorCode;
  details?: ErrorDetails;
  request_id: string;
}

/**
 * Codes of errors in which disk, database or the file-reading process are temporarily unavailable.
 */
const PASSING: ReadonlySet<string> = new Set(
  ["storage.full", "storage.read_only", "storage.unavailable", "server.busy"] satisfies ErrorCode[],
);

export const isPassingCode = (code: string): boolean => PASSING.has(code);

/** Whether a failure is temporary and not caused by the study, file or job: retried later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof AppError && isPassingCode(error.code);

/** Whether a disk is full or read-only: nothing can be written, but all data can be read. */
export const cannotWrite = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === "storage.full" || error.code === "storage.read_only");
