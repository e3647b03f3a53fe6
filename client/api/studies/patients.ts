import {
  type AgeResponse,
  ageResponse,
  type AnalysesResponse,
  analysesResponse,
  type DeletionResponse,
  deletionResponse,
  type EditClaim,
  editClaim,
  type ListCounts,
  listCounts,
  type Patient,
  patient,
  type PatientHistoryResponse,
  patientHistoryResponse,
  type PatientListResponse,
  patientListResponse,
  type PatientQuery,
  type PatientRow,
  patientRow,
  type PatientUpdate,
  type PatientUpdateResponse,
  patientUpdateResponse,
} from "@/model/schema/studies/patients.ts";
import { type UploadResponse, uploadResponse } from "@/model/schema/studies/upload.ts";
import { type ViewerVolume, viewerVolume } from "@/model/schema/studies/viewer_files.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** @throws {AppError} `input.invalid` with `details.field`. */
export function listPatients(
  api: Api,
  query: PatientQuery = {},
  signal?: AbortSignal,
): Promise<PatientListResponse> {
  const { t1w, t2w, orders, label_id_list, ...others } = query;
  const text = {
    t1w: t1w?.toString(),
    t2w: t2w?.toString(),
    orders: orders?.toString(),
    label_id_list: label_id_list?.join(),
  };
  return callJson(api, patientListResponse, "/api/v1/patients", {
    query: { ...others, ...text },
    signal,
  });
}

/** Number of studies in each state that the worklist can be filtered by. */
export const getListCounts = (api: Api, signal?: AbortSignal): Promise<ListCounts> =>
  callJson(api, listCounts, "/api/v1/worklist/counts", { signal });

/** @throws {AppError} `study.deleted` or `entity.not_found`. */
export const getPatient = (api: Api, pid: number, signal?: AbortSignal): Promise<Patient> =>
  callJson(api, patient, `/api/v1/patients/${pid}`, { signal });

/** Worklist row of a study, without results. @throws {AppError} as {@link getPatient}. */
export const getPatientRow = (api: Api, pid: number, signal?: AbortSignal): Promise<PatientRow> =>
  callJson(api, patientRow, `/api/v1/patients/${pid}`, { query: { fields: "row" }, signal });

/** All studies with the same patient id, newest first, including the given study. */
export const getHistory = (
  api: Api,
  pid: number,
  signal?: AbortSignal,
): Promise<PatientHistoryResponse> =>
  callJson(api, patientHistoryResponse, `/api/v1/patients/${pid}/history`, { signal });

/**
 * Changes a patient record and ends the caller's edit claim.
 * @throws {AppError} `input.invalid` with `details.field`, `study.duplicate`, `study.deleted`,
 * `study.being_edited` with `details.user`, `study.being_analyzed`.
 */
export const updatePatient = (
  api: Api,
  pid: number,
  update: PatientUpdate,
): Promise<PatientUpdateResponse> =>
  callJson(api, patientUpdateResponse, `/api/v1/patients/${pid}`, { method: "PUT", json: update });

/**
 * Claims a record for editing, or renews the claim.
 * Other users cannot edit the record for `expires_in` seconds.
 * @throws {AppError} `study.being_edited` with `details.user`, `study.being_analyzed`,
 * `study.deleted`.
 */
export const claimEdit = (api: Api, pid: number): Promise<EditClaim> =>
  callJson(api, editClaim, `/api/v1/patients/${pid}/editing`, { method: "POST" });

/** Ends an edit claim without changing the record. */
export async function releaseEdit(api: Api, pid: number): Promise<void> {
  await call(api, `/api/v1/patients/${pid}/editing`, { method: "DELETE" });
}

/**
 * Age in whole years between two dates, `YYYY-MM-DD` or `YYYY/MM/DD`.
 * @throws {AppError} `input.invalid`.
 */
export const getAge = (
  api: Api,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<AgeResponse> =>
  callJson(api, ageResponse, "/api/v1/utils/age", {
    query: { from_date: from, to_date: to },
    signal,
  });

/**
 * Deletes up to 200 studies; the response lists failed deletions, each with an error code.
 *
 * @param editedList Studies that are deleted even while another user edits their record.
 */
export const deletePatients = (
  api: Api,
  pidList: readonly number[],
  reason?: string,
  editedList: readonly number[] = [],
): Promise<DeletionResponse> =>
  callJson(api, deletionResponse, "/api/v1/patients", {
    method: "DELETE",
    query: {
      pid_list: pidList.join(),
      reason,
      edited_list: editedList.length > 0 ? editedList.join() : undefined,
    },
  });

/** @throws {AppError} `study.being_analyzed`, `study.deleted`, `entity.not_found`. */
export async function deletePatient(api: Api, pid: number, reason?: string): Promise<void> {
  await call(api, `/api/v1/patients/${pid}`, { method: "DELETE", query: { reason } });
}

/**
 * Uploads files in one request, for programs and tests.
 * The browser's upload, with progress and resume, is client/upload.
 * @throws {AppError} `storage.full`; `study.being_analyzed` if all uploaded studies are.
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
  callJson(api, analysesResponse, "/api/v1/analyses", {
    method: "POST",
    json: { pid_list: pidList },
  });

export const startReanalysis = (api: Api, pid: number): Promise<AnalysesResponse> =>
  callJson(api, analysesResponse, `/api/v1/patients/${pid}/reanalyses`, { method: "POST" });

/** Voxel grid of the image files for the viewer. @throws {AppError} `study.not_analyzed`. */
export const getVolume = (api: Api, pid: number, signal?: AbortSignal): Promise<ViewerVolume> =>
  callJson(api, viewerVolume, `/api/v1/patients/${pid}/volume`, { signal });
