// Tables and reports that the server generates. The ids are kept in session storage,
// so that the tray tracks these jobs across a change of page.
import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { ExcelJobRequest } from "@/model/schema/report/excel.ts";
import type { PatientListResponse, PatientRow } from "@/model/schema/studies/patients.ts";
import { namedNumber } from "@/model/worklist/worklist_row.ts";
import { cancelExcel, getExcelProgress, startExcel } from "@/client/api/report/excel.ts";
import {
  cancelReports,
  getReportsProgress,
  REPORTS_PATH,
  startReports,
} from "@/client/api/report/report_job.ts";
import { browserApi } from "@/client/browser_api.ts";
import { awaitGeneratedFile, type GeneratedFile, saveFile } from "@/client/files/generated_file.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { KEPT_TRAY } from "@/client/tray/kept.ts";
import {
  addFailures,
  putTask,
  removeTask,
  type TrayFailure,
  trayFailures,
  watchAnalyses,
  watchedPids,
} from "@/client/tray/tray.ts";

/** A server job as stored in session storage. */
interface ServerJob {
  kind: "table" | "reports";
  id: string;
  count: number;
  format: "csv" | "xlsx" | "pdf";
}

/** Stored jobs of the signed-in user; jobs of another user are ignored. */
interface Kept {
  uid: number;
  jobs: ServerJob[];
  /** stored copy of `watchedPids` */
  watched: number[];
  failures: TrayFailure[];
}

const LIST_KEY = [...queryKeys.patients, "list"];
let trayState: Kept = { uid: 0, jobs: [], watched: [], failures: [] };

function keep(change: Partial<Kept>): void {
  trayState = { ...trayState, ...change };
  // only ids and codes are stored: patient names stay on the page
  const failures = trayState.failures.flatMap(({ pid, code }) =>
    pid === null ? [] : [{ pid, code }]
  );
  try {
    sessionStorage.setItem(KEPT_TRAY, JSON.stringify({ ...trayState, failures }));
  } catch { /* storage is full: the jobs are lost when the page is left */ }
}

function readKept(uid: number): Kept {
  const none: Kept = { uid, jobs: [], watched: [], failures: [] };
  try {
    const saved = JSON.parse(sessionStorage.getItem(KEPT_TRAY) ?? "null") as Partial<Kept> | null;
    return saved?.uid === uid ? { ...none, ...saved } : none;
  } catch {
    return none;
  }
}

const jobOf = ({ kind, id }: ServerJob) =>
  kind === "table"
    ? {
      path: `/api/v1/patients/excel/${id}`,
      progress: () => getExcelProgress(browserApi, id),
      cancel: () => cancelExcel(browserApi, id),
      progressOf: (event: Parameters<Parameters<typeof onServerEvent>[0]>[0]) =>
        event.event === "excel" && event.excel_id === id ? event : null,
    }
    : {
      path: `${REPORTS_PATH}/${id}`,
      progress: () => getReportsProgress(browserApi, id),
      cancel: () => cancelReports(browserApi, id),
      progressOf: (event: Parameters<Parameters<typeof onServerEvent>[0]>[0]) =>
        event.event === "report" && event.uuid === id ? event : null,
    };

/** Worklist row of a study, if a list on this page contains the row. */
const listedRow = (pid: number): PatientRow | undefined =>
  queryClient.getQueriesData<PatientListResponse>({ queryKey: LIST_KEY })
    .flatMap(([, list]) => list?.patients ?? []).find((row) => row.pid === pid);

/** Reports a finished file and collects the studies missing from the file. */
function tellEnd({ kind, format }: ServerJob, { failedPids }: GeneratedFile): void {
  if (failedPids.length === 0) {
    if (kind === "table") presentToast("export.done", { file: format.toUpperCase() });
    else presentToast("print.done");
    return;
  }
  if (kind === "table") {
    presentToast("export.some_failed", {
      pids: failedPids.map((pid) => namedNumber(pid, listedRow(pid))),
    });
  } else presentToast("analysis.some_failed");
  const code = kind === "table" ? "missing_table" : "missing_reports";
  collect(failedPids.map((pid) => ({ pid, code })));
}

function tellFailure({ kind, format }: Pick<ServerJob, "kind" | "format">, error: unknown): void {
  const code = error instanceof AppError ? error.code : null;
  const isOurs = code !== null && !["job.failed", "internal", "unknown"].includes(code);
  if (
    isOurs && (kind === "reports" || code === "storage.full" || (error as AppError).status === 401)
  ) {
    if (code === "study.not_analyzed") presentToast("report.not_analyzed");
    else presentError(error);
  } else if (kind === "reports") presentToast("print.failed");
  else presentToast(format === "csv" ? "export.csv_failed" : "export.xlsx_failed");
}

/** Tracks a job until the job ends, then downloads the file. */
async function follow(job: ServerJob): Promise<void> {
  const { id, kind, count } = job, running = new AbortController(), made = jobOf(job);
  const task = { id, kind, count, cancel: () => running.abort() };
  putTask({ ...task, percent: null, state: "running" });
  try {
    const file = await awaitGeneratedFile(made, {
      signal: running.signal,
      onPercent: (percent) => putTask({ ...task, percent, state: "running" }),
    });
    saveFile(file.path);
    // marks the rows of the studies as reported
    if (kind === "reports") void queryClient.invalidateQueries({ queryKey: LIST_KEY });
    putTask({ id, kind, count, percent: 100, state: "done", file: file.path });
    tellEnd(job, file);
  } catch (error) {
    removeTask(id);
    if (running.signal.aborted) {
      presentToast(kind === "table" ? "export.canceled" : "print.canceled");
    } else tellFailure(job, error);
  } finally {
    keep({ jobs: trayState.jobs.filter((one) => one.id !== id) });
  }
}

function begin(job: ServerJob): void {
  keep({ jobs: [...trayState.jobs, job] });
  void follow(job);
}

/** Starts a table export. @returns whether the export started; a failure is already shown. */
export async function startTable(request: ExcelJobRequest, count: number): Promise<boolean> {
  const { format } = request;
  try {
    const { excel_id: id } = await startExcel(browserApi, request);
    begin({ kind: "table", id, count, format });
    return true;
  } catch (error) {
    tellFailure({ kind: "table", format }, error);
    return false;
  }
}

/**
 * Starts a job for the reports of studies as one PDF file.
 * At the end, shows the number of studies without a report.
 */
export async function startReportFile(pids: readonly number[]): Promise<void> {
  try {
    const { uuid: id, excluded } = await startReports(browserApi, { pid_list: [...pids] });
    if (excluded.length > 0) presentToast("print.excluded", { n: excluded.length });
    begin({ kind: "reports", id, count: pids.length - excluded.length, format: "pdf" });
  } catch (error) {
    tellFailure({ kind: "reports", format: "pdf" }, error);
  }
}

/** Collects the failures of jobs, also across a change of page. */
export function collect(failures: readonly TrayFailure[]): void {
  addFailures(failures);
  keep({ failures: [...trayFailures.value] });
}

export function forgetFailures(): void {
  trayFailures.value = [];
  keep({ failures: [] });
}

/** Resumes the jobs of the previous page. @returns a function that stops listening. */
export function resumeTray(uid: number): () => void {
  const fresh = trayState;
  trayState = readKept(uid);
  // includes jobs that this page started before the stored jobs were read
  keep({ jobs: [...trayState.jobs, ...fresh.jobs] });
  watchAnalyses(trayState.watched);
  const endWatch = watchedPids.subscribe((watched) => keep({ watched: [...watched] }));
  addFailures(trayState.failures);
  for (const job of trayState.jobs) if (!fresh.jobs.includes(job)) void follow(job);
  const endEvents = onServerEvent((event) => {
    if (event.event === "study_delete") {
      trayFailures.value = trayFailures.value.filter(({ pid }) => pid !== event.pid);
      return;
    }
    if (event.event !== "study_analysis" || !watchedPids.value.includes(event.pid)) return;
    if (event.status === "failed" || event.status === "no_response") {
      collect([{ pid: event.pid, code: event.series === "t1" ? "t1_failed" : "t2_failed" }]);
    }
  });
  return () => {
    endWatch();
    endEvents();
  };
}
