import {
  type AnalysesResponse,
  analysesResponse,
  type Patient,
  patient,
  type PatientHistoryResponse,
  patientHistoryResponse,
  type PatientListResponse,
  patientListResponse,
  type PatientQuery,
  type UploadResponse,
  uploadResponse,
  type ViewerFile,
  type ViewerVolume,
  viewerVolume,
} from "@/model/schema/patients.ts";
import type { SeriesType } from "@/model/schema/study.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

export const listPatients = (
  api: Api,
  query: PatientQuery = {},
  signal?: AbortSignal,
): Promise<PatientListResponse> =>
  callJson(api, patientListResponse, "/api/v1/patients", { query: { ...query }, signal });

/** @throws {AppError} `study.deleted` or `entity.not_found`. */
export const getPatient = (api: Api, pid: number, signal?: AbortSignal): Promise<Patient> =>
  callJson(api, patient, `/api/v1/patients/${pid}`, { signal });

/** Studies of the same patient id, newest first, the study itself included. */
export const getHistory = (api: Api, pid: number, signal?: AbortSignal): Promise<PatientHistoryResponse> =>
  callJson(api, patientHistoryResponse, `/api/v1/patients/${pid}/history`, { signal });

export async function deletePatient(api: Api, pid: number): Promise<void> {
  await call(api, `/api/v1/patients/${pid}`, { method: "DELETE" });
}

/**
 * Uploads files in one request. The browser's upload, with progress and resume, is client/upload; this one is for
 * programs and tests.
 * @throws {AppError} `study.being_analyzed` when every study of the upload is being analysed, `storage.full`.
 */
export function uploadFiles(
  api: Api,
  files: readonly { fileName: string; bytes: Uint8Array<ArrayBuffer> }[],
  seriesType?: SeriesType,
  signal?: AbortSignal,
): Promise<UploadResponse> {
  const form = new FormData();
  if (seriesType) form.set("series_type", seriesType);
  for (const file of files) form.append("dicom_files", new Blob([file.bytes]), file.fileName);
  return callJson(api, uploadResponse, "/api/v1/patients", { method: "POST", body: form, signal });
}

export const startAnalyses = (api: Api, pidList: number[]): Promise<AnalysesResponse> =>
  callJson(api, analysesResponse, "/api/v1/analyses", { method: "POST", json: { pid_list: pidList } });

export const startReanalysis = (api: Api, pid: number): Promise<AnalysesResponse> =>
  callJson(api, analysesResponse, `/api/v1/patients/${pid}/reanalyses`, { method: "POST" });

/** Grid of the viewer files. @throws {AppError} `study.not_analyzed`. */
export const getVolume = (api: Api, pid: number, signal?: AbortSignal): Promise<ViewerVolume> =>
  callJson(api, viewerVolume, `/api/v1/patients/${pid}/volume`, { signal });

/** One NPY file of the viewer, as a response whose body can be streamed. @throws {AppError} `study.not_analyzed`. */
export const getViewerFile = (
  api: Api,
  pid: number,
  file: ViewerFile,
  signal?: AbortSignal,
): Promise<Response> => call(api, `/api/v1/patients/image/viewer/${pid}`, { query: { file }, signal });
