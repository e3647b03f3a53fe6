// Files that take longer to generate than a request may last are written by a job.
// A finished file is kept for a day.
import { mkdir, open, rename, rm } from "node:fs/promises";
import { AppError } from "@/model/errors.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { JobProgress, JobStatus } from "@/model/schema/site/jobs.ts";
import { enqueue, type JobKind, type JobRun } from "@/server/core/jobs/runner.ts";
import {
  deleteExport,
  deleteOldExports,
  type ExportRequest,
  findExport,
  insertExport,
  listExports,
  setExport,
  type StoredExport,
} from "@/server/core/exports/storage/exports.ts";
import {
  contentOf,
  contentSize,
  looksSealed,
  type Seal,
  writeContent,
} from "@/server/core/blobs/sealed_file.ts";
import { storageError } from "@/server/core/database/storage_error.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";

const HOUR_MS = 3600_000, TOLD_EVERY_MS = 250;
export const EXPORT_HOURS = 24;
const keptMs = ({ keepHours }: ServiceContext): number =>
  (keepHours?.exports ?? EXPORT_HOURS) * HOUR_MS;

interface ExportPayload {
  exportId: string;
}

/** State of an export file while it is being generated. */
export interface ExportRun extends JobRun {
  /** temporary path of the export file, which is renamed when it is complete */
  path: string;
  /** study numbers that are missing from the file so far */
  failed: number[];
  /** Reports progress, `fraction` 0..1, at a limited rate. */
  tell(fraction: number): Promise<void>;
}

const folderOf = ({ dataDir }: ServiceContext) => `${dataDir}/exports`;
const pathOf = (services: ServiceContext, exportId: string) => `${folderOf(services)}/${exportId}`;

/** Key with which an export file is encrypted; `null`: not encrypted. */
const sealOf = ({ storageKey }: ServiceContext, exportId: string): Seal | null =>
  storageKey ? { key: storageKey, name: `export ${exportId}` } : null;

async function removeFiles(services: ServiceContext, exportId: string): Promise<void> {
  const path = pathOf(services, exportId);
  for (const name of [path, `${path}.part`, `${path}.sealed`]) await rm(name, { force: true });
}

/** Deletes expired export files. */
export async function removeOldExports(
  services: ServiceContext,
  nowMs = Date.now(),
): Promise<void> {
  const oldestKept = new Date(nowMs - keptMs(services)).toISOString();
  for (const id of await deleteOldExports(services.db, oldestKept)) await removeFiles(services, id);
}

/** Queues an export file. @returns the id of the export. @throws {AppError} `storage.full`. */
export async function startExport(
  services: ServiceContext,
  job: string,
  request: ExportRequest,
  caller: Caller,
): Promise<string> {
  const { db, wakeJobs, log } = services, exportId = crypto.randomUUID();
  await checkDiskSpace(services, 0);
  await removeOldExports(services);
  await db.transaction().execute(async (tx) => {
    const jobId = await enqueue(tx, job, { exportId } satisfies ExportPayload);
    await insertExport(tx, { exportId, userId: caller.uid, jobId, request, createdAt: nowIso() });
  });
  log("info", "Export asked for", { uid: caller.uid, format: request.format });
  wakeJobs();
  return exportId;
}

/** Kinds of export files; each kind has its own API calls. */
export type FileKind = "table" | "reports" | "registry";

const kindOf = ({ kind, format }: ExportRequest): FileKind =>
  kind ?? (format === "pdf" ? "reports" : "table");

/**
 * Finds an export file of the caller.
 * @throws {AppError} `entity.not_found`, also for a file of another user or of another kind.
 */
export async function mustFindExport(
  services: ServiceContext,
  exportId: string,
  kind: FileKind,
  caller: Caller,
): Promise<StoredExport> {
  const stored = await findExport(services.db, exportId);
  const isTheirs = stored?.userId === caller.uid && kindOf(stored.request) === kind;
  // an expired file counts as not found, since a job will delete it soon
  if (!stored || !isTheirs || Date.parse(stored.createdAt) + keptMs(services) < Date.now()) {
    throw new AppError("entity.not_found", "Cannot find the export");
  }
  return stored;
}

const progressOf = ({ percent, status, failedPids }: StoredExport): JobProgress => ({
  percent,
  status,
  failed_pid_list: failedPids,
});

/** The caller's newest export file of a kind that has not expired; `null` without one. */
export async function newestExport(
  services: ServiceContext,
  kind: FileKind,
  caller: Caller,
): Promise<{ exportId: string; progress: JobProgress } | null> {
  const oldestKept = new Date(Date.now() - keptMs(services)).toISOString();
  const stored = (await listExports(services.db, caller.uid)).find((each) =>
    kindOf(each.request) === kind && each.createdAt > oldestKept
  );
  return stored ? { exportId: stored.exportId, progress: progressOf(stored) } : null;
}

/** Progress of the caller's export file. @throws {AppError} `entity.not_found`. */
export const getExportProgress = async (
  services: ServiceContext,
  exportId: string,
  kind: FileKind,
  caller: Caller,
): Promise<JobProgress> => progressOf(await mustFindExport(services, exportId, kind, caller));

/** A finished export file. */
interface FinishedExport {
  exportId: string;
  /** UTC date on which the export was requested, YYYY-MM-DD */
  date: string;
  format: ExportRequest["format"];
  /** studies that were requested by number */
  pids: readonly number[];
}

/**
 * A finished export file, or the progress of an unfinished one.
 * @throws {AppError} `job.canceled`, `job.failed`, `entity.not_found`.
 */
export async function getExport(
  services: ServiceContext,
  exportId: string,
  kind: FileKind,
  caller: Caller,
): Promise<FinishedExport | { progress: JobProgress }> {
  const stored = await mustFindExport(services, exportId, kind, caller),
    { request } = stored;
  switch (stored.status) {
    case "canceled":
      throw new AppError("job.canceled", "Cannot send the export: canceled");
    case "failed":
      throw new AppError("job.failed", "Cannot send the export: it failed");
    case "done":
      return {
        exportId,
        date: stored.createdAt.slice(0, 10),
        format: request.format,
        pids: "pid_list" in request ? request.pid_list ?? [] : [],
      };
    default:
      return { progress: progressOf(stored) };
  }
}

/**
 * Streams the content of a finished export file.
 * @throws {AppError} `entity.not_found` for a deleted file, `file.damaged`.
 */
export async function openExport(
  services: ServiceContext,
  exportId: string,
): Promise<{ body: ReadableStream<Uint8Array<ArrayBuffer>>; sizeBytes: number }> {
  const path = pathOf(services, exportId), seal = sealOf(services, exportId);
  const file = await Deno.open(path).catch((cause) => {
    throw new AppError("entity.not_found", "Cannot send the export: its file was deleted", {}, {
      cause,
    });
  });
  const { size } = await file.stat();
  // files written before encryption was enabled are not encrypted
  const isSealed = seal !== null && await looksSealed(file);
  await file.seek(0, Deno.SeekMode.Start);
  if (!isSealed) return { body: file.readable, sizeBytes: size };
  file.close();
  return { body: ReadableStream.from(contentOf(path, seal)), sizeBytes: contentSize(size) };
}

/** Cancels or deletes an export of the caller. @throws {AppError} `entity.not_found`. */
export async function cancelExport(
  services: ServiceContext,
  exportId: string,
  kind: FileKind,
  caller: Caller,
): Promise<void> {
  const stored = await mustFindExport(services, exportId, kind, caller);
  if (stored.status === "queued" || stored.status === "running") {
    await services.cancelJob(stored.jobId);
  } else await deleteExport(services.db, exportId);
  await removeFiles(services, exportId);
}

async function generateNow(
  services: ServiceContext,
  made: StoredExport,
  run: JobRun,
  { say, write, done }: ExportKind,
): Promise<void> {
  const { db, publish, log } = services, { exportId, userId } = made, started = performance.now();
  const audience = { uid: userId }, failed: number[] = [], begun = nowIso();
  let reportedAtMs = 0, percent = 0;
  const tell = async (fraction: number) => {
    if (performance.now() - reportedAtMs < TOLD_EVERY_MS) return;
    reportedAtMs = performance.now();
    percent = Math.floor(99 * fraction);
    await setExport(db, exportId, { status: "running", percent, failedPids: failed });
    run.progress(percent);
    publish(say(exportId, percent, "running"), audience);
  };
  if (!await setExport(db, exportId, { status: "running", percent: 0 })) return;
  publish(say(exportId, 0, "running"), audience);
  await mkdir(folderOf(services), { recursive: true, mode: 0o700 });
  const path = pathOf(services, exportId), part = `${path}.part`;
  try {
    await write(made, { ...run, path: part, failed, tell });
  } catch (error) {
    // stores the numbers of failed studies, which the caller requests after the error
    if (failed.length > 0) await setExport(db, exportId, { status: "running", failedPids: failed });
    throw error;
  }
  run.signal.throwIfAborted();
  const seal = sealOf(services, exportId);
  if (seal === null) await rename(part, path);
  else {
    await writeContent(path, contentOf(part, null), seal, { part: `${path}.sealed` });
    await rm(part);
  }
  const folder = await open(folderOf(services), "r");
  await folder.sync().finally(() => folder.close());
  if (await setExport(db, exportId, { status: "done", percent: 100, failedPids: failed })) {
    await done?.(made, failed, begun);
    publish(say(exportId, 100, "done"), audience);
  }
  log("info", "Exported", {
    uid: userId,
    format: made.request.format,
    failed: failed.length,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  });
}

/** Functions that make one kind of export file. */
interface ExportKind {
  /** Creates the progress event for the user who requested the file. */
  say(exportId: string, percent: number, status: JobStatus): ServerEvent;
  /** Writes the complete export file and syncs it to disk. */
  write(made: StoredExport, run: ExportRun): Promise<void>;
  /**
   * Called after the file was written without the `failed` studies; `begun`: start of the writing.
   */
  done?(made: StoredExport, failed: readonly number[], begun: string): Promise<void>;
}

/** Job that writes a kind of export file. A new process starts an interrupted job again. */
export function exportJob(services: ServiceContext, kind: ExportKind): JobKind {
  const { db, publish } = services;
  const find = (payload: unknown) => findExport(db, (payload as ExportPayload).exportId);
  return {
    atOnce: 1,
    async run(payload, run) {
      const storedExport = await find(payload);
      if (!storedExport) return;
      await generateNow(services, storedExport, run, kind).catch((error) => {
        throw storageError(error);
      });
    },
    retrying: () => Promise.resolve(),
    async failed(payload, error) {
      const storedExport = await find(payload);
      if (!storedExport) return;
      const status = error.code === "job.canceled" ? "canceled" as const : "failed" as const;
      if (await setExport(db, storedExport.exportId, { status })) {
        publish(kind.say(storedExport.exportId, storedExport.percent, status), {
          uid: storedExport.userId,
        });
      }
      await removeFiles(services, storedExport.exportId);
    },
  };
}
