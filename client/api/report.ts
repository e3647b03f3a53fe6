import { type ReportFilter, type ReportResponse, reportResponse } from "@/model/schema/report.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** @throws {AppError} `study.not_analyzed`, `study.deleted` or `entity.not_found`. */
export const getReport = (
  api: Api,
  pid: number,
  filter: ReportFilter = {},
  signal?: AbortSignal,
): Promise<ReportResponse> =>
  callJson(api, reportResponse, `/api/v1/patients/${pid}/report`, { query: { ...filter }, signal });

/** The report as a PDF; its name is in Content-Disposition. @throws {AppError} as {@link getReport}. */
export const getReportPdf = (
  api: Api,
  pid: number,
  filter: ReportFilter = {},
  signal?: AbortSignal,
): Promise<Response> => call(api, `/api/v1/patients/${pid}/report/pdf`, { query: { ...filter }, signal });
