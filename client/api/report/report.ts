import {
  type MtaPut,
  mtaPut,
  type ReportFilter,
  type ReportResponse,
  reportResponse,
} from "@/model/schema/report/report.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** @throws {AppError} `study.not_analyzed`, `study.deleted` or `entity.not_found`. */
export const getReport = (
  api: Api,
  pid: number,
  filter: ReportFilter = {},
  signal?: AbortSignal,
): Promise<ReportResponse> =>
  callJson(api, reportResponse, `/api/v1/patients/${pid}/report`, { query: { ...filter }, signal });

/**
 * Report as a PDF file, with the file name in Content-Disposition.
 * @throws {AppError} as {@link getReport}.
 */
export const getReportPdf = (
  api: Api,
  pid: number,
  filter: ReportFilter = {},
  signal?: AbortSignal,
): Promise<Response> =>
  call(api, `/api/v1/patients/${pid}/report/pdf`, { query: { ...filter }, signal });

/**
 * Stores the physician's MTA grade (medial temporal atrophy, 0..4) of each side.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export const saveMta = (api: Api, pid: number, put: MtaPut): Promise<MtaPut> =>
  callJson(api, mtaPut, `/api/v1/patients/${pid}/mta`, { method: "PUT", json: put });
