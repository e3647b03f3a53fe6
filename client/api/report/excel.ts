import {
  type ExcelEstimate,
  excelEstimate,
  type ExcelJobCreated,
  excelJobCreated,
  type ExcelJobRequest,
  type ExportSets,
  exportSets,
} from "@/model/schema/report/excel.ts";
import { type JobProgress, jobProgress } from "@/model/schema/site/jobs.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Starts an export; `excel` events and {@link getExcelProgress} report the progress. */
export const startExcel = (api: Api, request: ExcelJobRequest): Promise<ExcelJobCreated> =>
  callJson(api, excelJobCreated, "/api/v1/patients/excel", { method: "POST", json: request });

/**
 * Progress of an export, and the studies missing from the file; also for a finished export.
 * @throws {AppError} `entity.not_found`.
 */
export const getExcelProgress = (
  api: Api,
  excelId: string,
  signal?: AbortSignal,
): Promise<JobProgress> =>
  callJson(api, jobProgress, `/api/v1/patients/excel/${excelId}/progress`, { signal });

/**
 * File of a finished export (name in Content-Disposition), or the progress of an unfinished one.
 * @throws {AppError} `job.canceled`, `job.failed`, `entity.not_found`.
 */
export async function getExcel(
  api: Api,
  excelId: string,
  signal?: AbortSignal,
): Promise<{ file: Response } | { progress: JobProgress }> {
  const response = await call(api, `/api/v1/patients/excel/${excelId}`, { signal });
  return response.status === 202
    ? { progress: jobProgress.parse(await response.json()) }
    : { file: response };
}

/**
 * Cancels an export, or deletes a finished export with the file.
 * @throws {AppError} `entity.not_found`.
 */
export async function cancelExcel(api: Api, excelId: string): Promise<void> {
  await call(api, `/api/v1/patients/excel/${excelId}`, { method: "DELETE" });
}

/** Estimated size and duration of an export. */
export const estimateExcel = (
  api: Api,
  request: ExcelJobRequest,
  signal?: AbortSignal,
): Promise<ExcelEstimate> =>
  callJson(api, excelEstimate, "/api/v1/patients/excel/estimate", {
    method: "POST",
    json: request,
    signal,
  });

/** Column selections that the caller has stored for exports. */
export const getExportSets = (api: Api, signal?: AbortSignal): Promise<ExportSets> =>
  callJson(api, exportSets, "/api/v1/worklist/export-sets", { signal });

/** @throws {AppError} `input.invalid` with `details.field`. */
export const saveExportSets = (api: Api, sets: ExportSets): Promise<ExportSets> =>
  callJson(api, exportSets, "/api/v1/worklist/export-sets", { method: "PUT", json: sets });
