import { type JobProgress, jobProgress } from "@/model/schema/site/jobs.ts";
import {
  type ReportJobCreated,
  reportJobCreated,
  type ReportJobRequest,
} from "@/model/schema/report/report_job.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Where the reports of several studies are asked for. */
export const REPORTS_PATH = "/api/v1/patients/reports/pdf";

/**
 * Asks for the reports of studies as one PDF; `report` events and {@link getReportsProgress} tell
 * how far it is.
 */
export const startReports = (api: Api, request: ReportJobRequest): Promise<ReportJobCreated> =>
  callJson(api, reportJobCreated, REPORTS_PATH, { method: "POST", json: request });

/**
 * How far a file of reports is, and which studies it lacks; also when it is over.
 * @throws {AppError} `entity.not_found`.
 */
export const getReportsProgress = (
  api: Api,
  uuid: string,
  signal?: AbortSignal,
): Promise<JobProgress> =>
  callJson(api, jobProgress, `${REPORTS_PATH}/${uuid}/progress`, { signal });

/**
 * The finished file, or how far it is.
 * @throws {AppError} `job.canceled`, `job.failed`, `entity.not_found`.
 */
export async function getReports(
  api: Api,
  uuid: string,
): Promise<{ file: Response } | { progress: JobProgress }> {
  const response = await call(api, `${REPORTS_PATH}/${uuid}`);
  return response.status === 202
    ? { progress: jobProgress.parse(await response.json()) }
    : { file: response };
}

/** Cancels a file of reports, or forgets a finished one. @throws {AppError} `entity.not_found`. */
export async function cancelReports(api: Api, uuid: string): Promise<void> {
  await call(api, `${REPORTS_PATH}/${uuid}`, { method: "DELETE" });
}

/**
 * The reports of a few studies as one PDF. @throws {AppError} of the first study that has no
 * report.
 */
export const getReportsPdf = (api: Api, pids: readonly number[]): Promise<Response> =>
  call(api, REPORTS_PATH, { query: { pid_list: pids.join(",") } });
