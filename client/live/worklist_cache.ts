import { signal } from "@preact/signals-react";
import type { Query, QueryClient } from "@tanstack/react-query";
import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { PatientListResponse, PatientRow } from "@/model/schema/studies/patients.ts";

type StudyAnalysis = Extract<ServerEvent, { event: "study_analysis" }>;

type StudyEditing = Extract<ServerEvent, { event: "study_editing" }>;

const LIST_KEY = [...queryKeys.patients, "list"];
/** Maximum number of changed rows fetched separately; for more rows the page is refetched. */
const MAX_SINGLE_ROWS = 3;

/**
 * Studies added since the list was fetched.
 * They appear in the list when the user asks for them, so that no row moves under the pointer.
 */
export const newStudies = signal<ReadonlySet<number>>(new Set());

/** Adds studies that have just arrived. */
export function addNewStudies(pids: readonly number[]): void {
  newStudies.value = new Set([...newStudies.value, ...pids]);
}

/** Removes studies that are in a newly fetched list from {@link newStudies}. */
export function removeNewStudies(pids: ReadonlySet<number>): void {
  if (pids.size === 0) return;
  newStudies.value = new Set([...newStudies.value].filter((pid) => !pids.has(pid)));
}

/** Number of changes on the server since the page was loaded. */
let changes = 0;
/**
 * Maximum number of consecutive refetches.
 * If the server changes all the time, the next event starts another series of refetches.
 */
const MAX_REPEATS = 3;

/** Counts one change on the server. */
export const countChange = (): void => void changes++;

/**
 * Refetches until no study changed during the request:
 * events update the cache, but not responses that are still in transit.
 */
export async function fetchUntilStable<T>(ask: () => Promise<T>): Promise<T> {
  for (let repeatsLeft = MAX_REPEATS;; repeatsLeft--) {
    const changesThen = changes, answer = await ask();
    if (changes === changesThen || repeatsLeft === 0) return answer;
  }
}

/** Changes one row in every cached worklist page that contains the row. */
function patchRow(client: QueryClient, pid: number, change: (row: PatientRow) => PatientRow): void {
  client.setQueriesData<PatientListResponse>(
    { queryKey: LIST_KEY },
    (list) =>
      list && list.patients.some((row) => row.pid === pid)
        ? { ...list, patients: list.patients.map((row) => row.pid === pid ? change(row) : row) }
        : list,
  );
}

/** Removes a study from every cached worklist page. @returns whether a page contained the study. */
export function removeRow(client: QueryClient, pid: number): boolean {
  let isFound = false;
  client.setQueriesData<PatientListResponse>({ queryKey: LIST_KEY }, (list) => {
    if (!list?.patients.some((row) => row.pid === pid)) return list;
    isFound = true;
    return {
      ...list,
      total: list.total - 1,
      patients: list.patients.filter((row) => row.pid !== pid),
    };
  });
  return isFound;
}

const isList = ({ queryKey }: Query): boolean => queryKey[1] === LIST_KEY[1];

/**
 * Refreshes studies that changed on the server: visible rows are updated in place, other data is
 * refetched whole. Invisible pages are refetched when they become visible.
 *
 * @param pids     Changed studies; `null`: too many to list.
 * @param fetchRow Fetches the row of one study.
 */
export async function refreshStudies(
  client: QueryClient,
  pids: readonly number[] | null,
  fetchRow: (pid: number) => Promise<PatientRow>,
): Promise<void> {
  void client.invalidateQueries({
    queryKey: queryKeys.patients,
    predicate: (query) => !isList(query),
  });
  await client.invalidateQueries({ queryKey: LIST_KEY, refetchType: "none" });
  const shownRows = client.getQueryCache().findAll({ queryKey: LIST_KEY, type: "active" })
    .flatMap(({ state }) => (state.data as PatientListResponse | undefined)?.patients ?? []);
  const concerned = pids?.filter((pid) => shownRows.some((row) => row.pid === pid)) ?? null;
  if (concerned === null || concerned.length > MAX_SINGLE_ROWS) {
    return await client.refetchQueries({ queryKey: LIST_KEY, type: "active" });
  }
  await Promise.all(concerned.map((pid) => refreshRow(client, pid, fetchRow)));
}

/** Refetches a study and updates the study's row. */
async function refreshRow(
  client: QueryClient,
  pid: number,
  fetchRow: (pid: number) => Promise<PatientRow>,
): Promise<void> {
  try {
    const fresh = await fetchRow(pid);
    patchRow(client, pid, () => fresh);
  } catch (error) {
    const code = error instanceof AppError ? error.code : null;
    if (code === "study.deleted" || code === "entity.not_found") removeRow(client, pid);
    // ignored: the next reconnect refetches the row
  }
}

/** Updates the delivery state of the results in the visible row of a study. */
export async function applyStudySent(
  client: QueryClient,
  pid: number,
  fetchRow: (pid: number) => Promise<PatientRow>,
): Promise<void> {
  void client.invalidateQueries({ queryKey: queryKeys.sentResults(pid) });
  const isShown = client.getQueryCache().findAll({ queryKey: LIST_KEY, type: "active" }).some((
    { state },
  ) => (state.data as PatientListResponse | undefined)?.patients.some((row) => row.pid === pid));
  if (isShown) await refreshRow(client, pid, fetchRow);
}

/** Shows or clears the editor of a record in every cached worklist page. */
export function applyStudyEditing(client: QueryClient, { pid, uid, user }: StudyEditing): void {
  const editing = { editing_user: user, editing_uid: user === null ? null : uid };
  patchRow(client, pid, (row) => ({ ...row, ...editing }));
}

/** Row of a study after an analysis event. */
export function applyAnalysisEvent(row: PatientRow, event: StudyAnalysis): PatientRow {
  const percent = event.status === "processing" ? event.percent ?? 0 : null;
  return event.series === "t1"
    ? { ...row, t1_analysis_status: event.status, t1_analysis_percent: percent }
    : { ...row, t2_analysis_status: event.status, t2_analysis_percent: percent };
}

/** Last known analysis status, by `pid/series`. */
const statuses = new Map<string, string>();

/**
 * Whether the status of an analysis changed.
 * Most events of a running analysis carry only a new percentage.
 */
export function isOtherStatus({ pid, series, status }: StudyAnalysis): boolean {
  const key = `${pid}/${series}`, isOther = statuses.get(key) !== status;
  if (status === "completed" || status === "failed") statuses.delete(key);
  else statuses.set(key, status);
  return isOther;
}

/** Current engine stage, by `pid/series`; received by events only, never stored. */
export const runningStages = signal<Readonly<Record<string, string>>>({});

/**
 * Updates every cached worklist page after an analysis event.
 * @returns whether the analysis ended: the row then has new fields that the event lacks
 * (date, reason of a failure).
 */
export function applyStudyAnalysis(client: QueryClient, event: StudyAnalysis): boolean {
  const key = `${event.pid}/${event.series}`;
  const { [key]: _before, ...others } = runningStages.value;
  runningStages.value = event.status === "processing" && event.stage
    ? { ...others, [key]: event.stage }
    : others;
  patchRow(client, event.pid, (row) => applyAnalysisEvent(row, event));
  return event.status !== "processing" && event.status !== "waiting";
}
