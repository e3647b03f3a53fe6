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

/** Asks for an export; `excel` events and {@link getExcelProgress} tell how far it is. */
export const startExcel = (api: Api, request: ExcelJobRequest): Promise<ExcelJobCreated> =>
  callJson(api, excelJobCreated, "/api/v1/patients/excel", { method: "POST", json: request });

/**
 * How far an export is, and which studies its file lacks; also when it is over.
 * @throws {AppError} `entity.not_found`.
 */
export const getExcelProgress = (
  api: Api,
  excelId: string,
  signal?: AbortSignal,
): Promise<JobProgress> =>
  callJson(api, jobProgress, `/api/v1/patients/excel/${excelId}/progress`, { signal });

/**
 * The file of a finished export (its name is in Content-Disposition), or how far it is.
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
 * Cancels an export, or forgets a finished one with its file. @throws {AppError}
 * `entity.not_found`.
 */
export async function cancelExcel(api: Api, excelId: string): Promise<void> {
  await call(api, `/api/v1/patients/excel/${excelId}`, { method: "DELETE" });
}

/** How large a table would be and how long it would take. */
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

/** The caller's choices of columns. */
export const getExportSets = (api: Api, signal?: AbortSignal): Promise<ExportSets> =>
  callJson(api, exportSets, "/api/v1/worklist/export-sets", { signal });

/** @throws {AppError} `input.invalid` with `details.field`. */
export const saveExportSets = (api: Api, sets: ExportSets): Promise<ExportSets> =>
  callJson(api, exportSets, "/api/v1/worklist/export-sets", { method: "PUT", json: sets });
