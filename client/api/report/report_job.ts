import { type JobProgress, jobProgress } from "@/model/schema/site/jobs.ts";
import {
  type ReportJobCreated,
  reportJobCreated,
  type ReportJobRequest,
} from "@/model/schema/report/report_job.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** API path of jobs that generate the reports of several studies. */
export const REPORTS_PATH = "/api/v1/patients/reports/pdf";

/**
 * Starts a job that generates the reports of several studies as one PDF file.
 * `report` events and {@link getReportsProgress} report the progress.
 */
export const startReports = (api: Api, request: ReportJobRequest): Promise<ReportJobCreated> =>
  callJson(api, reportJobCreated, REPORTS_PATH, { method: "POST", json: request });

/**
 * Progress of a report job, and the studies missing from the file; also for a finished job.
 * @throws {AppError} `entity.not_found`.
 */
export const getReportsProgress = (
  api: Api,
  uuid: string,
  signal?: AbortSignal,
): Promise<JobProgress> =>
  callJson(api, jobProgress, `${REPORTS_PATH}/${uuid}/progress`, { signal });

/**
 * File of a finished report job, or the progress of an unfinished one.
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

/** Cancels a report job, or deletes a finished one. @throws {AppError} `entity.not_found`. */
export async function cancelReports(api: Api, uuid: string): Promise<void> {
  await call(api, `${REPORTS_PATH}/${uuid}`, { method: "DELETE" });
}

/**
 * Reports of a few studies as one PDF.
 * @throws {AppError} the error of the first study without a report.
 */
export const getReportsPdf = (api: Api, pids: readonly number[]): Promise<Response> =>
  call(api, REPORTS_PATH, { query: { pid_list: pids.join(",") } });
