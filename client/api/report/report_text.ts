import {
  type ReportTextAnswer,
  reportTextAnswer,
  type ReportTextPut,
  type SignaturePost,
  type WithdrawalPost,
} from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import { type Api, callJson } from "@/client/api/http.ts";

const textOf = (pid: number) => `/api/v1/patients/${pid}/report/text`;

/**
 * The physician's text of a report, with a suggested text if a language is given.
 * @throws {AppError} `study.not_analyzed`, `study.deleted` or `entity.not_found`.
 */
export const getReportText = (
  api: Api,
  pid: number,
  language?: Language,
  signal?: AbortSignal,
): Promise<ReportTextAnswer> =>
  callJson(api, reportTextAnswer, textOf(pid), { query: { language }, signal });

/**
 * Saves a draft. @throws {AppError} `text.changed` if another version was saved after `based_on`.
 */
export const saveReportText = (
  api: Api,
  pid: number,
  put: ReportTextPut,
): Promise<ReportTextAnswer> =>
  callJson(api, reportTextAnswer, textOf(pid), { method: "PUT", json: put });

/** Signs the text of a report. @throws {AppError} `text.changed`, `text.results_changed`. */
export const signReportText = (
  api: Api,
  pid: number,
  post: SignaturePost,
): Promise<ReportTextAnswer> =>
  callJson(api, reportTextAnswer, `${textOf(pid)}/signature`, { method: "POST", json: post });

/** Withdraws the signature under a report text. @throws {AppError} `text.changed`. */
export const withdrawSignature = (
  api: Api,
  pid: number,
  post: WithdrawalPost,
): Promise<ReportTextAnswer> =>
  callJson(api, reportTextAnswer, `${textOf(pid)}/withdrawal`, { method: "POST", json: post });
