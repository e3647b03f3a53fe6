import {
  type ControlsMarked,
  controlsMarked,
  type ControlsPost,
  normApplied,
  type NormChanges,
  normChanges,
  normCreated,
  type NormsResponse,
  normsResponse,
  type NormSummary,
  normSummary,
} from "@/model/schema/report/norms.ts";
import {
  type RoutineDetails,
  routineDetails,
  type RoutineFile,
  routineFile,
  type RoutineGroups,
  routineGroups,
  routineImported,
} from "@/model/schema/report/routine_norms.ts";
import {
  type DriftDetails,
  driftDetails,
  type DriftGroups,
  driftGroups,
  type RestartAgreement,
} from "@/model/schema/report/drift.ts";
import { normTable } from "@/model/schema/report/norm_tables.ts";
import type { NormTable } from "@/model/norms/imported/table.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const NORMS = "/api/v1/norms";

/**
 * Lists control studies and all local norms. All calls of this file are for administrators only:
 * @throws {AppError} `access.forbidden`.
 */
export const getNorms = (api: Api, signal?: AbortSignal): Promise<NormsResponse> =>
  callJson(api, normsResponse, NORMS, { signal });

/** Summary of the control studies of a scanner (`null`: of the site) against the norms. */
export const getNormSummary = (
  api: Api,
  scanner: string | null,
  signal?: AbortSignal,
): Promise<NormSummary> =>
  callJson(api, normSummary, `${NORMS}/summary`, { query: { scanner }, signal });

/** Marks studies as controls. @throws {AppError} `control.unsuitable` if none is suitable. */
export const markControls = (api: Api, post: ControlsPost): Promise<ControlsMarked> =>
  callJson(api, controlsMarked, `${NORMS}/controls`, { method: "POST", json: post });

export const unmarkControl = async (api: Api, pid: number): Promise<void> =>
  void await call(api, `${NORMS}/controls/${pid}`, { method: "DELETE" });

/** Proposes local norms from the controls. @throws {AppError} `norm.too_few_controls`. */
export const proposeNorm = async (api: Api, scanner: string | null): Promise<number> =>
  (await callJson(api, normCreated, NORMS, { method: "POST", json: { scanner } })).id;

/** @throws {AppError} `norm.same_person`, `norm.not_open`. */
export const acceptNorm = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${NORMS}/${id}/acceptance`, { method: "POST" });

/** Withdraws local norms. @throws {AppError} `norm.not_open`. */
export const revokeNorm = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${NORMS}/${id}/revocation`, { method: "POST" });

/**
 * One page of the stored results that would change under local norms.
 * @param after Cursor: `next` of the previous page.
 */
export const listNormChanges = (
  api: Api,
  id: number,
  after = 0,
  signal?: AbortSignal,
): Promise<NormChanges> =>
  callJson(api, normChanges, `${NORMS}/${id}/changes`, { query: { after }, signal });

/**
 * Applies local norms to stored results. @returns number of changed results.
 * @throws {AppError} `norm.not_in_force`.
 */
export const applyNorm = async (api: Api, id: number): Promise<number> =>
  (await callJson(api, normApplied, `${NORMS}/${id}/application`, { method: "POST" })).studies;

const ROUTINE = `${NORMS}/routine`;

/** Newest norm estimates from routine studies, by scanner and protocol. */
export const getRoutineNorms = (api: Api, signal?: AbortSignal): Promise<RoutineGroups> =>
  callJson(api, routineGroups, ROUTINE, { signal });

/** Counts and norm estimates of one scanner and protocol. @throws {AppError} `entity.not_found`. */
export const getRoutineDetails = (
  api: Api,
  id: number,
  signal?: AbortSignal,
): Promise<RoutineDetails> => callJson(api, routineDetails, `${ROUTINE}/${id}`, { signal });

/**
 * Starts a new norm estimate for every scanner; {@link getRoutineNorms} shows when it is finished.
 */
export const computeRoutineNorms = async (api: Api): Promise<void> =>
  void await call(api, `${ROUTINE}/computation`, { method: "POST" });

/** @throws {AppError} `norm.too_few_routine`, `norm.not_separable`. */
export const proposeRoutineNorm = async (api: Api, id: number): Promise<number> =>
  (await callJson(api, normCreated, `${ROUTINE}/${id}/proposal`, { method: "POST" })).id;

/**
 * Counts of this site's routine studies, a file for pooling with counts of other sites.
 * @throws {AppError} `norm.too_few_routine`.
 */
export const exportRoutineCounts = (api: Api, id: number): Promise<RoutineFile> =>
  callJson(api, routineFile, `${ROUTINE}/${id}/counts`);

/**
 * Pools the counts that another site has sent. @returns number of studies in these counts.
 * @throws {AppError} `norm.pool_unsuitable`, `input.invalid`.
 */
export const importRoutineCounts = async (
  api: Api,
  id: number,
  file: unknown,
): Promise<number> =>
  (await callJson(api, routineImported, `${ROUTINE}/${id}/counts`, { method: "POST", json: file }))
    .studies;

/** Removes the pooled counts of all other sites. */
export const removeRoutineCounts = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${ROUTINE}/${id}/counts`, { method: "DELETE" });

const TABLES = `${NORMS}/tables`;

/**
 * Proposes the norms of a CSV or JSON file.
 * @throws {AppError} `norm.table_invalid` with row and column, `norm.too_many_tables`.
 */
export const importNormTable = async (api: Api, content: string): Promise<number> =>
  (await callJson(api, normCreated, TABLES, { method: "POST", json: { content } })).id;

/** An imported table of norms. @throws {AppError} `norm.not_open` for a revoked table. */
export const getNormTable = (api: Api, id: number, signal?: AbortSignal): Promise<NormTable> =>
  callJson(api, normTable, `${TABLES}/${id}`, { signal });

const DRIFT = `${NORMS}/drift`;

/** State of the control charts of every scanner. */
export const getDrift = (api: Api, signal?: AbortSignal): Promise<DriftGroups> =>
  callJson(api, driftGroups, DRIFT, { signal });

/** Control charts of one scanner. @throws {AppError} `entity.not_found`. */
export const getDriftDetails = (
  api: Api,
  id: number,
  signal?: AbortSignal,
): Promise<DriftDetails> => callJson(api, driftDetails, `${DRIFT}/${id}`, { signal });

/** Starts the computation of the control charts; {@link getDrift} shows when it is finished. */
export const computeDrift = async (api: Api): Promise<void> =>
  void await call(api, `${DRIFT}/computation`, { method: "POST" });

/**
 * Restarts the control charts of a scanner, or proposes it if a second person is needed.
 * @throws {AppError} `chart.not_open`, `entity.not_found`.
 */
export const restartDrift = async (api: Api, id: number, reason: string): Promise<void> =>
  void await call(api, `${DRIFT}/${id}/restart`, { method: "POST", json: { reason } });

/**
 * Agrees to the restart that the caller has read, as the second person.
 * @throws {AppError} `chart.same_person`, `chart.not_open`, `entity.not_found`.
 */
export const agreeToRestart = async (
  api: Api,
  id: number,
  seen: RestartAgreement,
): Promise<void> =>
  void await call(api, `${DRIFT}/${id}/restart/agreement`, { method: "POST", json: seen });

/** Withdraws a proposed restart. @throws {AppError} `chart.not_open`, `entity.not_found`. */
export const withdrawRestart = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${DRIFT}/${id}/restart/withdrawal`, { method: "POST" });
