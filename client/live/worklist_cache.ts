import { signal } from "@preact/signals-react";
import type { Query, QueryClient } from "@tanstack/react-query";
import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { PatientListResponse, PatientRow } from "@/model/schema/studies/patients.ts";

type StudyAnalysis = Extract<ServerEvent, { event: "study_analysis" }>;

type StudyEditing = Extract<ServerEvent, { event: "study_editing" }>;

const LIST_KEY = [...queryKeys.patients, "list"];
/** More changed rows than this are refetched as a page. */
const MAX_SINGLE_ROWS = 3;

/**
 * Studies added since the list was fetched; shown on request, so that no row moves under the
 * pointer.
 */
export const newStudies = signal<ReadonlySet<number>>(new Set());

/** Adds studies that arrived. */
export function addNewStudies(pids: readonly number[]): void {
  newStudies.value = new Set([...newStudies.value, ...pids]);
}

/** Removes studies that a list fetched since then contains. */
export function removeNewStudies(pids: ReadonlySet<number>): void {
  if (pids.size === 0) return;
  newStudies.value = new Set([...newStudies.value].filter((pid) => !pids.has(pid)));
}

/** Number of changes on the server since the page loaded. */
let changes = 0;
/**
 * Limit of refetches; on a server that changes constantly, the next event brings the remaining
 * changes.
 */
const MAX_REPEATS = 3;

/** Counts a change on the server. */
export const countChange = (): void => void changes++;

/**
 * Fetches again until no study changed meanwhile, because events update the cache but not responses
 * that are still on their way.
 */
export async function fetchUntilStable<T>(ask: () => Promise<T>): Promise<T> {
  for (let repeatsLeft = MAX_REPEATS;; repeatsLeft--) {
    const changesThen = changes, answer = await ask();
    if (changes === changesThen || repeatsLeft === 0) return answer;
  }
}

/** Changes one row in every cached worklist page that has it. */
function patchRow(client: QueryClient, pid: number, change: (row: PatientRow) => PatientRow): void {
  client.setQueriesData<PatientListResponse>(
    { queryKey: LIST_KEY },
    (list) =>
      list && list.patients.some((row) => row.pid === pid)
        ? { ...list, patients: list.patients.map((row) => row.pid === pid ? change(row) : row) }
        : list,
  );
}

/** Takes a study out of every cached worklist page. @returns whether one had it. */
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
 * Brings studies up to date that have changed on the server: their rows on screen where they stand,
 * whatever else is shown of them as a whole. Pages that are not on screen are asked for when they
 * are.
 *
 * @param pids     `null`: too many to name.
 * @param fetchRow Asks for one study.
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

/** Fetches a study again and updates its row. */
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
    // the next connection fetches it again
  }
}

/**
 * Updates the delivery state of a study's results in its visible row: no other field has changed.
 */
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

/** Shows in every cached worklist page the editor of a record, or the end of the editing. */
export function applyStudyEditing(client: QueryClient, { pid, uid, user }: StudyEditing): void {
  const editing = { editing_user: user, editing_uid: user === null ? null : uid };
  patchRow(client, pid, (row) => ({ ...row, ...editing }));
}

/** A row after an analysis event of its study. */
export function applyAnalysisEvent(row: PatientRow, event: StudyAnalysis): PatientRow {
  const percent = event.status === "processing" ? event.percent ?? 0 : null;
  return event.series === "t1"
    ? { ...row, t1_analysis_status: event.status, t1_analysis_percent: percent }
    : { ...row, t2_analysis_status: event.status, t2_analysis_percent: percent };
}

/** Status that an analysis had last, by `pid/series`. */
const statuses = new Map<string, string>();

/**
 * Whether an analysis has gone from one status to another: of those that go on, most events tell
 * the percent alone.
 */
export function isOtherStatus({ pid, series, status }: StudyAnalysis): boolean {
  const key = `${pid}/${series}`, isOther = statuses.get(key) !== status;
  if (status === "completed" || status === "failed") statuses.delete(key);
  else statuses.set(key, status);
  return isOther;
}

/** Stage that the engine runs now, by `pid/series`; comes by events only, never stored. */
export const runningStages = signal<Readonly<Record<string, string>>>({});

/**
 * Brings every cached worklist page up to date with an analysis event.
 * @returns whether the analysis ended: the row has more new fields then than the event carries
 *   (date, reason of a failure).
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
