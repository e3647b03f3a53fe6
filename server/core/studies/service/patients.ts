import { fileVersion } from "@/server/core/analyses/service/files/file_version.ts";
import { AppError } from "@/model/errors.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { affineFromRowMajor, spacingMm } from "@/model/geometry.ts";
import { isAnalyzing, type SortKey } from "@/model/schema/studies/study.ts";
import {
  type DeletionResponse,
  type ListCounts,
  type ListState,
  listState,
  type Patient,
  type PatientFilter,
  type PatientHistoryResponse,
  type PatientListResponse,
  type PatientQuery,
  type PatientRow,
} from "@/model/schema/studies/patients.ts";
import { surfaceFile, type ViewerVolume } from "@/model/schema/studies/viewer_files.ts";
import {
  type AnalysisFile,
  type AnalysisResults,
  type FileField,
  findAnalysis,
  listFiles,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { insertBinned } from "@/server/core/studies/storage/bin.ts";
import { blobsOfPatient, deleteIfUnused } from "@/server/core/blobs/blob_index.ts";
import {
  deletePatient as deleteRows,
  findPage,
  findPatient,
  listHistory,
  listPatientStudies,
  readPage,
  type StoredPatient,
  wasDeleted,
} from "@/server/core/studies/storage/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listSeriesOf } from "@/server/core/studies/storage/series.ts";
import { cursorOf, cursorText } from "@/server/core/studies/service/list_cursor.ts";
import { localDay, worklistIndex } from "@/server/core/studies/storage/worklist_index.ts";
import type {
  WorklistFilter,
  WorklistState,
} from "@/server/core/studies/storage/worklist_columns.ts";
import { addMissingFindings } from "@/server/core/analyses/service/finding.ts";
import { type AppliedNorms, appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { keepCharted } from "@/server/core/norms/service/charts/deleted_charted.ts";
import { binDaysOf } from "@/server/core/studies/service/bin.ts";
import { findClaim } from "@/server/core/studies/storage/edit_claims.ts";
import { orderRows } from "@/server/core/studies/service/orders/order_rows.ts";
import { marked, marksOf } from "@/server/core/studies/service/study_marks.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { correctionMark } from "@/server/core/reading/service/stroke_map.ts";
import { individualSettings } from "@/server/core/settings/service/settings.ts";
import { METHOD_ERROR_HEADS } from "@/server/core/norms/service/method_error_text.ts";
import { flairStructuresOf } from "@/server/core/analyses/service/files/flair_structures.ts";
import { mayPaintPercentiles } from "@/model/norms/percentile_rank.ts";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { millilitres } from "@/model/measured/region_data.ts";

/** Number of studies on a page of the worklist, unless the request states another number. */
const DEFAULT_PAGE_SIZE = 5;

const DAY_MS = 86_400_000;

/** Converts a state to a filter of the worklist. Yesterday depends on the site's time zone. */
function stateOf(state: ListState, userId: number): WorklistState {
  if (state === "new") return { kind: state, since: localDay(Date.now() - DAY_MS) };
  return state === "mine" ? { kind: state, userId } : { kind: state };
}

/** Number of studies in each state by which the worklist can be filtered. */
export async function getListCounts(services: ServiceContext, caller: Caller): Promise<ListCounts> {
  const states = listState.options.map((state) => stateOf(state, caller.uid));
  const [waiting, processing, failed, recent, mine, ordered] = await worklistIndex(services.db)
    .count(
      states,
    );
  return {
    waiting: waiting!,
    processing: processing!,
    failed: failed!,
    new: recent!,
    mine: mine!,
    ordered: ordered!,
    bin_days: binDaysOf(services),
  };
}

/** Converts a user's query to a filter; dates get the format of the database. */
export function filterOf(query: PatientFilter, userId: number): WorklistFilter {
  const range = (from: string | undefined, to: string | undefined) => ({
    ...(from ? { from: from.replaceAll("/", "-") } : {}),
    ...(to ? { to: to.replaceAll("/", "-") } : {}),
  });
  return {
    search: query.search_string,
    hasT1: query.t1w,
    hasT2: query.t2w,
    sex: query.sex,
    age: {
      ...(query.age_from === undefined ? {} : { from: query.age_from }),
      ...(query.age_to === undefined ? {} : { to: query.age_to }),
    },
    birth: range(query.birth_from, query.birth_to),
    study: range(query.study_from, query.study_to),
    analysis: range(query.analysis_from, query.analysis_to),
    labels: query.label_id_list,
    ...(query.state ? { state: stateOf(query.state, userId) } : {}),
  };
}

/**
 * Whether the worklist also shows orders of the hospital, which have no images yet.
 * A list that is narrowed to a state or series that only studies have shows no orders.
 */
const showsOrders = ({ orders, state, t1w, t2w }: PatientQuery): boolean =>
  orders === true && (state === undefined || state === "ordered") && t1w === undefined &&
  t2w === undefined;

/** Columns with text values, which decides about the type of a cursor; others are numeric. */
const TEXT_KEYS: readonly SortKey[] = [
  "patient_id",
  "patient_name",
  "patient_sex",
  "label_list",
  "quality_grade",
];

/**
 * One page of the worklist. `page_idx` of the response is the page that is returned:
 * if the requested page is past the end, this is the last page.
 */
export async function listPatients(
  services: ServiceContext,
  query: PatientQuery,
  caller: Caller,
): Promise<PatientListResponse> {
  const pageIdx = query.page_idx ?? 1, pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const sortKey = query.sort_key ?? "pid", kind = TEXT_KEYS.includes(sortKey) ? "string" : "number";
  const { after, before } = query;
  const { pids, total, ordered: orderCount, offset, first, last } = await findPage(services.db, {
    ...(after === undefined ? {} : { after: cursorOf(after, "after", kind) }),
    ...(before === undefined ? {} : { before: cursorOf(before, "before", kind) }),
    sortKey,
    sortDirection: query.sort_direction ?? "desc",
    language: query.language,
    filter: { ...filterOf(query, caller.uid), hasOrders: showsOrders(query) },
    offset: (pageIdx - 1) * pageSize,
    limit: pageSize,
    orLast: query.beyond === "last",
  });
  const studies = pids.filter((pid) => pid > 0), orders = pids.filter((pid) => pid < 0);
  // queries run in parallel, because each one waits for the database
  const [stored, marks, ordered] = await Promise.all([
    readPage(services.db, studies),
    marksOf(services, studies, caller),
    orderRows(services.db, orders.map((pid) => -pid)),
  ]);
  const rows = await withPendingFindings(services, stored, () => readPage(services.db, studies));
  const byPid = new Map([...marked(rows, marks), ...ordered].map((row) => [row.pid, row]));
  return {
    patients: pids.flatMap((pid) => byPid.get(pid) ?? []),
    total,
    ...(orderCount > 0 ? { ordered: orderCount } : {}),
    // the page index is rounded, because a page after a cursor can begin at any row
    page_idx: Math.round(offset / pageSize) + 1,
    page_size: pageSize,
    offset,
    ...(first ? { first: cursorText(first) } : {}),
    ...(last ? { last: cursorText(last) } : {}),
  };
}

/** Maximum number of findings that are computed before the list is returned: about 15 ms. */
const MAX_AWAITED_FINDINGS = 3;

/**
 * Rows with findings. A few missing findings are computed before the response.
 * Many, as after an upgrade, are computed after the response, and the rows are marked.
 */
async function withPendingFindings(
  { db, missingFindings }: ServiceContext,
  stored: readonly StoredPatient[],
  readAgain: () => Promise<readonly StoredPatient[]>,
): Promise<PatientRow[]> {
  const missing = stored.filter(({ isFindingCurrent }) => !isFindingCurrent);
  if (missing.length === 0) return stored.map(({ row }) => row);
  if (missing.length <= MAX_AWAITED_FINDINGS) {
    await addMissingFindings(db, missing);
    return (await readAgain()).map(({ row }) => row);
  }
  const pending = new Set(missingFindings.request(missing.map(({ row }) => row.pid)));
  return stored.map(({ row }) => pending.has(row.pid) ? { ...row, is_finding_pending: true } : row);
}

/**
 * Finds a study. @throws {AppError} `study.deleted`; `entity.not_found` for an unknown number.
 */
export async function mustFindPatient(db: Database, pid: number): Promise<StoredPatient> {
  const patient = await findPatient(db, pid);
  if (patient) return patient;
  if (await wasDeleted(db, pid)) {
    throw new AppError("study.deleted", `Cannot find study ${pid}: deleted`, { pid });
  }
  throw new AppError("entity.not_found", `Cannot find study ${pid}: no such number`, { pid });
}

/** Completed analyses of a study; `null` if incomplete, or stored in an unknown format. */
export async function completedAnalyses(
  db: Database,
  { analysisId }: StoredPatient,
): Promise<{ t1: StoredAnalysis | null; t2: StoredAnalysis | null }> {
  const completed = async (id: number | null) => {
    const analysis = id === null ? null : await findAnalysis(db, id);
    return analysis?.status === "completed" && (analysis.results ?? analysis.flair)
      ? analysis
      : null;
  };
  return { t1: await completed(analysisId.t1), t2: await completed(analysisId.t2) };
}

/**
 * URL of a result file. Its `v` changes with the content, so that browsers may cache it forever.
 */
function fileUrl(pid: number, { field, blob }: AnalysisFile, mark = ""): string {
  const v = fileVersion(blob, mark);
  return surfaceFile.safeParse(field).success
    ? `/api/v1/secure/${field}.npy?pid=${pid}&v=${v}`
    : `/api/v1/patients/image/viewer/${pid}?file=${field}&v=${v}`;
}

/** Whether readers can correct a file by brush strokes. */
export const isCorrectable = (field: FileField): boolean =>
  field === "t1w_mask_file" || field === "t2w_mask_file";

/**
 * Whether the stored map of percentiles is shown and sent. It has percentiles by published norms,
 * of labels that are not corrected, and cannot be marked as provisional.
 */
const isStoredMapShown = (
  { method, name }: AppliedNorms,
  results: AnalysisResults | null,
): boolean => mayPaintPercentiles(method) && name === null && !(results && "corrected" in results);

/** URLs of all arrays of the brain surface; `null` if one is missing. */
function surfaceFilesOf(files: ReadonlyMap<string, string>): Patient["surface_files"] {
  const [verts, faces, normals, values] = surfaceFile.options.map((field) => files.get(field));
  return verts && faces && normals && values ? { verts, faces, normals, values } : null;
}

const NO_LESIONS = { wm: null, wmh: null, deep_wmh: null, peri_wmh: null, wmh_detail: null };

/**
 * A study with the results of its analyses.
 * @param userId User with own percentile thresholds, as in the user's reports; absent: defaults.
 * @throws {AppError} as {@link mustFindPatient}.
 */
export async function getPatient(
  services: ServiceContext,
  pid: number,
  userId?: number,
): Promise<Patient> {
  const { db } = services;
  const thresholds = userId === undefined
    ? DEFAULT_THRESHOLDS
    : (await individualSettings(services, userId)).report.threshold_list;
  const patient = await mustFindPatient(db, pid), { row } = patient;
  const { t1, t2 } = await completedAnalyses(db, patient);
  const files = new Map<string, string>();
  for (const analysis of [t1, t2]) {
    const mark = analysis ? await correctionMark(db, analysis.id) : "";
    for (const file of analysis ? await listFiles(db, analysis.id) : []) {
      files.set(file.field, fileUrl(pid, file, isCorrectable(file.field) ? mark : ""));
    }
  }
  const results = t1?.results ?? null, flair = t2?.flair ?? null;
  const applied = await appliedNorms(db, t1), { method, name } = applied;
  const study = measureStudy({ patient: row, t1: results, flair, method, thresholds });
  const { icvMm3 } = study;
  const structures = flairStructuresOf(flair, results);
  return {
    ...row,
    t1w_file: files.get("t1w_file") ?? null,
    t1_result: results && [...study.regions],
    t1w_mask_file: files.get("t1w_mask_file") ?? null,
    t1_thick_result: study.thickness && [...study.thickness],
    thickness_reason: results?.thicknessReason ?? null,
    thick_mask_file: files.get("thick_mask_file") ?? null,
    t1w_np_mask_file: isStoredMapShown(applied, results)
      ? files.get("t1w_np_mask_file") ?? null
      : null,
    icv_mask_file: files.get("icv_mask_file") ?? null,
    t2w_file: files.get("t2w_file") ?? null,
    t2w_mask_file: files.get("t2w_mask_file") ?? null,
    ...(structures.length > 0 && {
      flair_structures: structures,
      t2w_region_mask_file: files.get("t2w_region_mask_file") ?? null,
    }),
    surface_files: surfaceFilesOf(files),
    ...(study.lesions ?? NO_LESIONS),
    icv: icvMm3 === null ? null : millilitres(icvMm3),
    method_error_heads: METHOD_ERROR_HEADS,
    threshold_list: [...thresholds],
    ...(name ? { local_norms: name } : {}),
    norm_reason: study.normReason,
    aggregates: results && [...study.aggregates],
    t1_quality: study.quality,
    t2_quality: flair && { grade: flair.grade, warnings: flair.warnings ?? [] },
  };
}

/**
 * Studies with the same patient ID, newest first. @throws {AppError} as {@link mustFindPatient}.
 */
export async function getHistory(
  services: ServiceContext,
  pid: number,
): Promise<PatientHistoryResponse> {
  const { db } = services;
  const patient = await mustFindPatient(db, pid), { patient_id } = patient.row;
  // studies without a patient ID are not taken for one patient
  const read = () =>
    patient_id === "" ? mustFindPatient(db, pid).then((one) => [one]) : listHistory(db, patient_id);
  return { history: await withPendingFindings(services, await read(), read) };
}

/**
 * Numbers of the given studies and of all other studies of the same patients.
 * Studies without a patient ID are not taken for one patient.
 */
export async function listVisits(db: Database, pids: readonly number[]): Promise<number[]> {
  return [...new Set([...pids, ...await listPatientStudies(db, pids)])];
}

/** Checks that no other user edits a study. @throws {AppError} `study.being_edited` with name. */
export async function checkUnclaimed(tx: Database, pid: number, caller: Caller): Promise<void> {
  const claim = await findClaim(tx, pid, Date.now());
  if (claim && claim.userId !== caller.uid) {
    throw new AppError("study.being_edited", `Cannot change study ${pid}: another user edits it`, {
      pid,
      user: claim.userName,
    });
  }
}

/**
 * Deletes a study with all series and results: into the bin, or permanently if there is no bin.
 *
 * @param reason Reason given by the user, shown in the bin only.
 * @param isEditKept Whether to throw if another user is editing the study.
 * @throws {AppError} as {@link mustFindPatient}, `study.being_analyzed`,
 * `study.being_edited` with the name of the other user in `details.user`.
 */
export async function deletePatient(
  services: ServiceContext,
  pid: number,
  caller: Caller,
  { reason = null, isEditKept = false }: { reason?: string | null; isEditKept?: boolean } = {},
): Promise<void> {
  const { db, blobs, publish, log } = services, by = { userId: caller.uid, at: nowIso() };
  const unused = await db.transaction().execute(async (tx) => {
    const { row } = await mustFindPatient(tx, pid);
    if (isEditKept) await checkUnclaimed(tx, pid, caller);
    if (isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status)) {
      throw new AppError(
        "study.being_analyzed",
        `Cannot delete study ${pid}: it is being analysed`,
        { pid },
      );
    }
    const freedBlobs = await blobsOfPatient(tx, pid);
    await keepCharted(tx, pid);
    if (binDaysOf(services) > 0) await insertBinned(tx, pid, { ...by, reason }, freedBlobs);
    await deleteRows(tx, pid, by);
    return await deleteIfUnused(tx, freedBlobs);
  });
  // files that remain after a crash at this point are deleted by a sweep at the next start
  for (const hash of unused) blobs.remove(hash);
  publish({ event: "study_delete", pid, uid: caller.uid });
  log("info", "Deleted study", { pid, uid: caller.uid, blobs: unused.length });
}

/**
 * Deletes all given studies that can be deleted, and returns the others with the reason.
 *
 * @param edited Numbers of studies that may be deleted while another user edits them: the caller
 * has confirmed that these edits are lost.
 */
export async function deletePatients(
  services: ServiceContext,
  pids: readonly number[],
  caller: Caller,
  { reason = null, edited = [] }: { reason?: string | null; edited?: readonly number[] } = {},
): Promise<DeletionResponse> {
  const answer: DeletionResponse = { deleted: [], excluded: [] };
  for (const pid of new Set(pids)) {
    try {
      await deletePatient(services, pid, caller, { reason, isEditKept: !edited.includes(pid) });
      answer.deleted.push(pid);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const { user } = error.details;
      answer.excluded.push({ pid, code: error.code, ...typeof user === "string" ? { user } : {} });
    }
  }
  return answer;
}

const notAnalyzed = (pid: number) =>
  new AppError("study.not_analyzed", `Cannot show study ${pid}: not analyzed`, { pid });

/**
 * Grid of the files that the viewer shows: of the T1w result, or else of the FLAIR result.
 * @throws {AppError} `study.not_analyzed`, and as {@link mustFindPatient}.
 */
export async function getVolume({ db }: ServiceContext, pid: number): Promise<ViewerVolume> {
  const { t1, t2 } = await completedAnalyses(db, await mustFindPatient(db, pid));
  const grid = t1?.results ?? t2?.flair;
  if (!grid) throw notAnalyzed(pid);
  return {
    affine: grid.rasFromIjkRows,
    shape: grid.shape,
    spacing_mm: spacingMm(affineFromRowMajor<"Ras", "Ijk">(grid.rasFromIjkRows)),
  };
}

/**
 * Finds a result file of a study, with the hashes of its content.
 * @throws {AppError} `study.not_analyzed`, `entity.not_found` for a map of percentiles that is not
 * shown, and as {@link mustFindPatient}.
 */
export async function getResultFile(
  { db }: ServiceContext,
  pid: number,
  field: FileField,
): Promise<AnalysisFile & { analysisId: number }> {
  const { t1, t2 } = await completedAnalyses(db, await mustFindPatient(db, pid));
  const analysis = field.startsWith("t2w_") ? t2 : t1;
  const file = analysis && (await listFiles(db, analysis.id)).find((f) => f.field === field);
  if (!analysis || !file) throw notAnalyzed(pid);
  if (
    field === "t1w_np_mask_file" &&
    !isStoredMapShown(await appliedNorms(db, analysis), analysis.results)
  ) {
    throw new AppError(
      "entity.not_found",
      `Cannot show percentiles of study ${pid} in voxels: withheld, provisional or of other norms`,
      { pid },
    );
  }
  return { ...file, analysisId: analysis.id };
}

/** Kinds and ids of a study's series, for the audit log; without texts from the images. */
export const seriesNames = async (db: Database, pid: number): Promise<string> =>
  (await listSeriesOf(db, pid)).map(({ id, kind }) => `${kind}:${id}`).join(" ");
