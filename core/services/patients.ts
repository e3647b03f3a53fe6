import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor, spacingMm } from "@/model/geometry.ts";
import { isAnalyzing } from "@/model/schema/study.ts";
import type {
  Patient,
  PatientHistoryResponse,
  PatientListResponse,
  PatientQuery,
  ViewerFile,
  ViewerVolume,
} from "@/model/schema/patients.ts";
import { type AnalysisFile, findAnalysis, listFiles, type StoredAnalysis } from "@/core/storage/analyses.ts";
import { deleteUnusedBlobs } from "@/core/storage/blob_index.ts";
import {
  deletePatient as deleteRows,
  findPatient,
  listHistory,
  listPatients as listRows,
  type StoredPatient,
  wasDeleted,
} from "@/core/storage/patients.ts";
import type { Database } from "@/core/storage/database.ts";
import { type Caller, nowIso, type ServiceContext } from "@/core/services/context.ts";
import { normReasonOf, regionDataOf } from "@/core/services/region_data.ts";

/** D1 §9. */
const DEFAULT_PAGE_SIZE = 5;

export async function listPatients(
  { db }: ServiceContext,
  query: PatientQuery,
): Promise<PatientListResponse> {
  const pageIdx = query.page_idx ?? 1, pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const { patients, total } = await listRows(db, {
    sortKey: query.sort_key ?? "pid",
    sortDirection: query.sort_direction ?? "desc",
    search: (query.search_string ?? "").trim(),
    offset: (pageIdx - 1) * pageSize,
    limit: pageSize,
  });
  return { patients, total, page_idx: pageIdx, page_size: pageSize };
}

/** @throws {AppError} `study.deleted` when it was there once, `entity.not_found` when it never was. */
export async function mustFindPatient(db: Database, pid: number): Promise<StoredPatient> {
  const patient = await findPatient(db, pid);
  if (patient) return patient;
  if (await wasDeleted(db, pid)) {
    throw new AppError("study.deleted", `Cannot find study ${pid}: deleted`, { pid });
  }
  throw new AppError("entity.not_found", `Cannot find study ${pid}: no such number`, { pid });
}

/** The completed T1w analysis of a study, or `null`. */
async function completedT1(db: Database, patient: StoredPatient): Promise<StoredAnalysis | null> {
  if (patient.analysisId.t1 === null) return null;
  const analysis = await findAnalysis(db, patient.analysisId.t1);
  return analysis?.status === "completed" && analysis.results ? analysis : null;
}

/** Address of a viewer file; `v` changes with the bytes, so that the answer may be kept for ever. */
const fileUrl = (pid: number, file: AnalysisFile): string =>
  `/api/v1/patients/image/viewer/${pid}?file=${file.field}&v=${file.blob.slice(0, 16)}`;

/** A study with its results. @throws {AppError} as {@link mustFindPatient}. */
export async function getPatient({ db }: ServiceContext, pid: number): Promise<Patient> {
  const patient = await mustFindPatient(db, pid), { row } = patient;
  const analysis = await completedT1(db, patient);
  const files = new Map(
    (analysis ? await listFiles(db, analysis.id) : []).map((file) => [file.field, fileUrl(pid, file)]),
  );
  const results = analysis?.results ?? null;
  const subject = { age: row.patient_age, sex: row.patient_sex };
  return {
    ...row,
    t1w_file: files.get("t1w_file") ?? null,
    t1_result: results && regionDataOf(results.volumesMm3, results.icvMm3, subject),
    t1w_mask_file: files.get("t1w_mask_file") ?? null,
    t1_thick_result: null,
    thick_mask_file: null,
    t1w_np_mask_file: files.get("t1w_np_mask_file") ?? null,
    t2w_file: null,
    t2w_mask_file: null,
    wm: null,
    wmh: null,
    deep_wmh: null,
    peri_wmh: null,
    icv: results && Math.round(results.icvMm3 / 10) / 100,
    norm_reason: results && normReasonOf(subject),
  };
}

/** Studies of the same patient id, newest first. @throws {AppError} as {@link mustFindPatient}. */
export async function getHistory({ db }: ServiceContext, pid: number): Promise<PatientHistoryResponse> {
  const { row } = await mustFindPatient(db, pid);
  // studies without a patient id do not belong together
  return { history: row.patient_id === "" ? [row] : await listHistory(db, row.patient_id) };
}

/**
 * Deletes a study with everything that belongs to it.
 * @throws {AppError} `study.being_analyzed`, and as {@link mustFindPatient}.
 */
export async function deletePatient(
  { db, blobs, publish, log }: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<void> {
  const unused = await db.transaction().execute(async (tx) => {
    const { row } = await mustFindPatient(tx, pid);
    if (isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status)) {
      throw new AppError("study.being_analyzed", `Cannot delete study ${pid}: it is being analysed`, { pid });
    }
    await deleteRows(tx, pid, { userId: caller.uid, at: nowIso() });
    return await deleteUnusedBlobs(tx);
  });
  // the rows are gone for good: what is left on disk after a crash here is swept at the next start
  for (const hash of unused) blobs.remove(hash);
  publish({ event: "study_delete", pid, uid: caller.uid });
  log("info", "Deleted study", { pid, uid: caller.uid, blobs: unused.length });
}

const notAnalyzed = (pid: number) =>
  new AppError("study.not_analyzed", `Cannot show study ${pid}: not analysed`, { pid });

/** Grid of the viewer files. @throws {AppError} `study.not_analyzed`, and as {@link mustFindPatient}. */
export async function getVolume({ db }: ServiceContext, pid: number): Promise<ViewerVolume> {
  const results = (await completedT1(db, await mustFindPatient(db, pid)))?.results;
  if (!results) throw notAnalyzed(pid);
  return {
    affine: results.rasFromIjkRows,
    shape: results.shape,
    spacing_mm: spacingMm(affineFromRowMajor<"Ras", "Ijk">(results.rasFromIjkRows)),
  };
}

/** Hashes of one viewer file. @throws {AppError} `study.not_analyzed`, and as {@link mustFindPatient}. */
export async function getViewerFile(
  { db }: ServiceContext,
  pid: number,
  field: ViewerFile,
): Promise<AnalysisFile> {
  const analysis = await completedT1(db, await mustFindPatient(db, pid));
  const file = analysis && (await listFiles(db, analysis.id)).find((f) => f.field === field);
  if (!file) throw notAnalyzed(pid);
  return file;
}
