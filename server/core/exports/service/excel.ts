import { Buffer } from "node:buffer";
import type {
  ExcelEstimate,
  ExcelJobCreated,
  ExcelJobRequest,
} from "@/model/schema/report/excel.ts";
import { textIn } from "@/model/text.ts";
import { exportHeadText } from "@/model/text/worklist/export_columns.ts";
import type { JobKind } from "@/server/core/jobs/runner.ts";
import { csvText, type SheetCell, writeCsv } from "@/server/core/exports/service/workbook.ts";
import { writeXlsx } from "@/server/core/exports/service/xlsx.ts";
import { listResults } from "@/server/core/analyses/storage/analyses.ts";
import { lesionCountsOf } from "@/model/measured/lesion_counts.ts";
import { findFlairChange } from "@/server/core/analyses/storage/flair_changes.ts";
import { lesionChangesOf } from "@/server/core/reading/service/lesion_changes.ts";
import type { Database } from "@/server/core/database/database.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";
import { worklistIndex } from "@/server/core/studies/storage/worklist_index.ts";
import { listNorms } from "@/server/core/norms/storage/local_norms.ts";
import { appliedFrom, readRules } from "@/server/core/norms/service/applied_norms.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import {
  type ChangeCounts,
  excelRowOf,
  type ExportColumn,
  exportColumnsOf,
  type ExportedStudy,
} from "@/server/core/exports/service/excel_columns.ts";
import { columnsSheet } from "@/server/core/exports/service/columns_sheet.ts";
import {
  exportJob,
  type ExportRun,
  mustFindExport,
  startExport,
} from "@/server/core/exports/service/exports.ts";
import { signedTextsOf } from "@/server/core/reports/service/signed_text.ts";
import { siteTimeZone } from "@/server/core/site/service/license.ts";
import { filterOf } from "@/server/core/studies/service/patients.ts";

/** Name of the job that writes a table of studies. */
export const EXCEL_JOB = "excel";
const PATIENTS_PER_BATCH = 20;
/** Working time in ms after which the export yields to the event loop. */
const MAX_SLICE_MS = 8;

/** Queues the export of a table. @throws {AppError} `storage.full`. */
export const startExcel = async (
  services: ServiceContext,
  request: ExcelJobRequest,
  caller: Caller,
): Promise<ExcelJobCreated> => ({
  excel_id: await startExport(services, EXCEL_JOB, request, caller),
});

/** Numbers of the requested studies, in the order of the worklist. */
async function pidsOf(
  { db }: ServiceContext,
  { pid_list, filter }: ExcelJobRequest,
  userId: number,
): Promise<number[]> {
  if (pid_list) return [...new Set(pid_list)];
  const { sort_key, sort_direction, ...others } = filter ?? {};
  const set = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  const sort = { key: sort_key ?? "pid", direction: sort_direction ?? "desc" } as const;
  return (await worklistIndex(db).find(filterOf(set, userId), sort, { offset: 0, limit: Infinity }))
    .pids;
}

/** Numbers of the studies in a finished table of the caller. @throws {AppError} as `getExport`. */
export async function pidsOfTable(
  services: ServiceContext,
  exportId: string,
  caller: Caller,
): Promise<number[]> {
  const { request, failedPids } = await mustFindExport(services, exportId, "table", caller);
  if (request.format === "pdf" || request.kind) return [];
  return (await pidsOf(services, request, caller.uid)).filter((pid) => !failedPids.includes(pid));
}

/**
 * Counts of changed lesions since the previous study, from an up-to-date comparison.
 * A study without a comparison costs only one short query.
 */
async function changeCountsOf(
  db: Database,
  pid: number,
  patientId: string,
): Promise<ChangeCounts | null> {
  if (!(await findFlairChange(db, pid))?.results) return null;
  const list = await lesionChangesOf(db, pid, patientId), { prior, state } = list;
  if (!prior || state !== "compared") return null;
  const { sure, possible, confirmed } = lesionCountsOf(list);
  return { since: prior.study_date, kinds: sure, possible, confirmed };
}

/** Reads studies with their completed results; the map's key is the study number. */
export async function readStudies(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, ExportedStudy>> {
  const patients = await readPatients(db, pids);
  const ids = patients.flatMap(({ analysisId: { t1, t2 } }) => [t1, t2]).filter((id) =>
    id !== null
  );
  const completed = await listResults(db, ids);
  const hasLocal = [...completed.values()].some(({ localNormId }) => localNormId !== null);
  const norms = hasLocal ? await listNorms(db) : [], rules = await readRules(db);
  const changes = new Map<number, ChangeCounts>();
  for (const { row } of patients) {
    const changeCounts = row.patient_id === ""
      ? null
      : await changeCountsOf(db, row.pid, row.patient_id);
    if (changeCounts) changes.set(row.pid, changeCounts);
  }
  const signed = await signedTextsOf(db, patients.map(({ row }) => row.pid));
  return new Map(patients.map(({ row, analysisId: { t1, t2 } }) => [row.pid, {
    row,
    results: t1 === null ? null : completed.get(t1)?.results ?? null,
    norms: appliedFrom(norms, t1 === null ? null : completed.get(t1) ?? null, rules),
    flair: t2 === null ? null : completed.get(t2)?.flair ?? null,
    ...(changes.has(row.pid) && { changes: changes.get(row.pid)! }),
    ...(signed.has(row.pid) && { signed: signed.get(row.pid)! }),
  }]));
}

/** Makes one table row for each study. Studies that cannot be read are added to `failed`. */
async function* rowsOf(
  services: ServiceContext,
  pids: readonly number[],
  columns: readonly ExportColumn[],
  { signal, failed, tell }: ExportRun,
): AsyncGenerator<SheetCell[]> {
  let since = performance.now();
  for (let at = 0; at < pids.length; at += PATIENTS_PER_BATCH) {
    const batch = pids.slice(at, at + PATIENTS_PER_BATCH),
      found = await readStudies(services.db, batch);
    for (const pid of batch) {
      signal.throwIfAborted();
      const study = found.get(pid);
      let cells: SheetCell[] | null = null;
      try {
        cells = study ? excelRowOf(columns, study) : null;
      } catch (error) {
        services.log("error", "Cannot export study", { pid, error: String(error) });
      }
      if (cells) yield cells;
      else failed.push(pid);
      if (performance.now() - since < MAX_SLICE_MS) continue;
      // yields to the event loop, and lets the file be written to disk
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
    await tell(Math.min(1, (at + PATIENTS_PER_BATCH) / pids.length));
  }
}

/** Number of studies from which the size of a table is estimated. */
const SAMPLE = 8;
/** Size of an XLSX file relative to CSV: it has XML tags, but is compressed. */
const XLSX_PART = 0.62;

/** Estimates the size of a table and the time to write it, from a sample of studies. */
export async function estimateExcel(
  services: ServiceContext,
  request: ExcelJobRequest,
  caller: Caller,
): Promise<ExcelEstimate> {
  const pids = await pidsOf(services, request, caller.uid);
  const columns = exportColumnsOf(request.columns, request.language);
  const samplePids = Array.from(
    { length: Math.min(SAMPLE, pids.length) },
    (_, n) => pids[Math.floor(n * pids.length / SAMPLE)] ?? pids[n]!,
  );
  const started = performance.now();
  const rows = [...(await readStudies(services.db, samplePids)).values()].map((study) =>
    excelRowOf(columns, study)
  );
  const csvBytes = Buffer.byteLength(csvText(rows)), each = Math.max(1, rows.length);
  const perStudyMs = (performance.now() - started) / each;
  const head = Buffer.byteLength(csvText([columns.map(({ title }) => title)]));
  const bytes = head + csvBytes / each * pids.length;
  return {
    studies: pids.length,
    columns: columns.length,
    size_bytes: Math.round(request.format === "csv" ? bytes : bytes * XLSX_PART),
    seconds: Math.ceil(perStudyMs * pids.length / 1000),
  };
}

/** The job that writes a table of studies. */
export const excelJob = (services: ServiceContext): JobKind =>
  exportJob(services, {
    say: (excel_id, percent, status) => ({ event: "excel", excel_id, percent, status }),
    async write({ request, userId }, run) {
      if (request.format === "pdf" || request.kind) return;
      const { format, language = "en" } = request,
        columns = exportColumnsOf(request.columns, language);
      const rows = rowsOf(services, await pidsOf(services, request, userId), columns, run);
      if (format === "csv") {
        return await writeCsv(
          run.path,
          columns.map(({ title }) => title),
          rows,
        );
      }
      const title = textIn(exportHeadText.sheet, language);
      const creation = { atMs: Date.now(), timeZone: siteTimeZone() };
      await writeXlsx(run.path, [
        { title, columns, rows },
        columnsSheet(columns, language, creation),
      ]);
    },
  });
