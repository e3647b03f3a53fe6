import { mkdir, open, rename, rm } from "node:fs/promises";
import { AppError } from "@/model/errors.ts";
import type { ExcelJobCreated, ExcelJobRequest } from "@/model/schema/excel.ts";
import type { JobProgress } from "@/model/schema/jobs.ts";
import { enqueue, type JobKind, type JobRun } from "@/core/jobs/runner.ts";
import { type SheetCell, writeCsv, writeXlsx } from "@/core/report/sheet.ts";
import { findAnalysis } from "@/core/storage/analyses.ts";
import {
  deleteExport,
  deleteOldExports,
  findExport,
  insertExport,
  setExport,
  type StoredExport,
} from "@/core/storage/excel.ts";
import { readPatients, type StoredPatient } from "@/core/storage/patients.ts";
import { worklistIndex } from "@/core/storage/worklist_index.ts";
import { type Caller, nowIso, type ServiceContext } from "@/core/services/context.ts";
import { EXCEL_HEAD, excelRowOf } from "@/core/services/excel_columns.ts";
import { filterOf } from "@/core/services/patients.ts";
import { checkRoom } from "@/core/services/status.ts";

/** Name of the job kind. */
export const EXCEL_JOB = "excel";
const KEPT_MS = 24 * 3600_000, TOLD_EVERY_MS = 250, PATIENTS_AT_ONCE = 50;

interface ExcelPayload {
  excelId: string;
}

const folderOf = ({ dataDir }: ServiceContext) => `${dataDir}/exports`;
const pathOf = (services: ServiceContext, excelId: string) => `${folderOf(services)}/${excelId}`;

async function removeFiles(services: ServiceContext, excelId: string): Promise<void> {
  const path = pathOf(services, excelId);
  for (const name of [path, `${path}.part`]) await rm(name, { force: true });
}

/** Removes the exports of yesterday with their files. */
export async function removeOldExports(services: ServiceContext): Promise<void> {
  const before = new Date(Date.now() - KEPT_MS).toISOString();
  for (const excelId of await deleteOldExports(services.db, before)) await removeFiles(services, excelId);
}

/** Queues an export. @throws {AppError} `storage.full`. */
export async function startExcel(
  services: ServiceContext,
  request: ExcelJobRequest,
  caller: Caller,
): Promise<ExcelJobCreated> {
  const { db, wakeJobs, log } = services, excelId = crypto.randomUUID();
  await checkRoom(services, 0);
  await removeOldExports(services);
  await db.transaction().execute(async (tx) => {
    const jobId = await enqueue(tx, EXCEL_JOB, { excelId } satisfies ExcelPayload);
    await insertExport(tx, { excelId, userId: caller.uid, jobId, request, createdAt: nowIso() });
  });
  log("info", "Export asked for", { uid: caller.uid, format: request.format });
  wakeJobs();
  return { excel_id: excelId };
}

/** @throws {AppError} `entity.not_found`, also for an export of somebody else. */
async function mustFind({ db }: ServiceContext, excelId: string, caller: Caller): Promise<StoredExport> {
  const found = await findExport(db, excelId);
  if (found?.userId !== caller.uid) throw new AppError("entity.not_found", "Cannot find the export");
  return found;
}

const progressOf = ({ percent, status, failedPids }: StoredExport): JobProgress => ({
  percent,
  status,
  failed_pid_list: failedPids,
});

/** How far an export of the caller is, also when it is over. @throws {AppError} `entity.not_found`. */
export const getExcelProgress = async (
  services: ServiceContext,
  excelId: string,
  caller: Caller,
): Promise<JobProgress> => progressOf(await mustFind(services, excelId, caller));

/** The file of a finished export, or how far it is. @throws {AppError} `job.canceled`, `job.failed`, `entity.not_found`. */
export async function getExcel(
  services: ServiceContext,
  excelId: string,
  caller: Caller,
): Promise<{ path: string; fileName: string; format: "csv" | "xlsx" } | { progress: JobProgress }> {
  const found = await mustFind(services, excelId, caller), { format } = found.request;
  switch (found.status) {
    case "canceled":
      throw new AppError("job.canceled", "Cannot send the export: cancelled");
    case "failed":
      throw new AppError("job.failed", "Cannot send the export: it failed");
    case "done":
      return {
        path: pathOf(services, excelId),
        fileName: `worklist_${found.createdAt.slice(0, 10)}.${format}`,
        format,
      };
    default:
      return { progress: progressOf(found) };
  }
}

/** Cancels an export, or forgets a finished one. @throws {AppError} `entity.not_found`. */
export async function cancelExcel(services: ServiceContext, excelId: string, caller: Caller): Promise<void> {
  const found = await mustFind(services, excelId, caller);
  if (found.status === "queued" || found.status === "running") await services.cancelJob(found.jobId);
  else await deleteExport(services.db, excelId);
  await removeFiles(services, excelId);
}

/** The studies that are asked for, in the order of the worklist. */
async function pidsOf({ db }: ServiceContext, { pid_list, filter }: ExcelJobRequest): Promise<number[]> {
  if (pid_list) return [...new Set(pid_list)];
  const { sort_key, sort_direction, ...others } = filter ?? {};
  const set = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  const sort = { key: sort_key ?? "pid", direction: sort_direction ?? "desc" } as const;
  return (await worklistIndex(db).find(filterOf(set), sort, { offset: 0, limit: Infinity })).pids;
}

async function cellsOf({ db }: ServiceContext, { row, analysisId }: StoredPatient): Promise<SheetCell[]> {
  const completed = async (id: number | null) => {
    const analysis = id === null ? null : await findAnalysis(db, id);
    return analysis?.status === "completed" ? analysis : null;
  };
  const t1 = await completed(analysisId.t1), t2 = await completed(analysisId.t2);
  return excelRowOf({ row, results: t1?.results ?? null, flair: t2?.flair ?? null });
}

/** One row after the other; `failed` gets the studies that have none. */
async function* rowsOf(
  services: ServiceContext,
  pids: readonly number[],
  failed: number[],
  { signal }: JobRun,
  tell: (made: number) => Promise<void>,
): AsyncGenerator<SheetCell[]> {
  for (let at = 0; at < pids.length; at += PATIENTS_AT_ONCE) {
    const some = pids.slice(at, at + PATIENTS_AT_ONCE);
    const found = new Map((await readPatients(services.db, some)).map((p) => [p.row.pid, p]));
    for (const pid of some) {
      signal.throwIfAborted();
      const patient = found.get(pid);
      try {
        if (!patient) failed.push(pid);
        else yield await cellsOf(services, patient);
      } catch (error) {
        services.log("error", "Cannot export study", { pid, error: String(error) });
        failed.push(pid);
      }
      // others are answered in between, and what was written goes to disk
      await new Promise((resolve) => setTimeout(resolve));
    }
    await tell(Math.min(pids.length, at + PATIENTS_AT_ONCE));
  }
}

async function exportNow(services: ServiceContext, made: StoredExport, run: JobRun): Promise<void> {
  const { db, publish, log } = services, { excelId, userId, request } = made, started = performance.now();
  const pids = await pidsOf(services, request), failed: number[] = [];
  let told = 0, percent = 0;
  const say = (status: JobProgress["status"]) =>
    publish({ event: "excel", excel_id: excelId, percent, status }, { uid: userId });
  const tell = async (count: number) => {
    if (performance.now() - told < TOLD_EVERY_MS) return;
    told = performance.now();
    percent = Math.floor(99 * count / pids.length);
    await setExport(db, excelId, { status: "running", percent, failedPids: failed });
    run.progress(percent);
    say("running");
  };
  if (!await setExport(db, excelId, { status: "running", percent: 0 })) return;
  say("running");
  await mkdir(folderOf(services), { recursive: true, mode: 0o700 });
  const path = pathOf(services, excelId), part = `${path}.part`;
  const rows = rowsOf(services, pids, failed, run, tell);
  if (request.format === "csv") await writeCsv(part, EXCEL_HEAD, rows);
  else await writeXlsx(part, "Worklist", EXCEL_HEAD, rows);
  run.signal.throwIfAborted();
  await rename(part, path);
  const folder = await open(folderOf(services), "r");
  await folder.sync().finally(() => folder.close());
  percent = 100;
  if (await setExport(db, excelId, { status: "done", percent, failedPids: failed })) say("done");
  log("info", "Exported", {
    uid: userId,
    studies: pids.length - failed.length,
    failed: failed.length,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  });
}

/** The export job. It begins anew when the process ended in the middle. */
export function excelJob(services: ServiceContext): JobKind {
  const { db, publish } = services;
  const find = (payload: unknown) => findExport(db, (payload as ExcelPayload).excelId);
  return {
    atOnce: 1,
    async run(payload, run) {
      const made = await find(payload);
      if (made) await exportNow(services, made, run);
    },
    retrying: () => Promise.resolve(),
    async failed(payload, error) {
      const made = await find(payload);
      if (!made) return;
      const status = error.code === "job.canceled" ? "canceled" as const : "failed" as const;
      if (await setExport(db, made.excelId, { status })) {
        const { excelId, userId, percent } = made;
        publish({ event: "excel", excel_id: excelId, percent, status }, { uid: userId });
      }
      await removeFiles(services, made.excelId);
    },
  };
}
