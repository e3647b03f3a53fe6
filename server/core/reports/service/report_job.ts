import { open } from "node:fs/promises";
import { AppError, isPassing } from "@/model/errors.ts";
import type { ReportJobCreated, ReportJobRequest } from "@/model/schema/report/report_job.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import type { JobKind } from "@/server/core/jobs/runner.ts";
import type { Pictures } from "@/report/pdf/pdf.ts";
import { PdfBinder } from "@/report/pdf/pdf_binder.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { storageError } from "@/server/core/database/storage_error.ts";
import { exportJob, startExport } from "@/server/core/exports/service/exports.ts";
import { reportWithPictures } from "@/server/core/reports/service/report.ts";
import { markReported } from "@/server/core/studies/service/study_marks.ts";
import { unlessAborted } from "@/server/core/jobs/unless_aborted.ts";

/** Name of the job that writes the reports of several studies. */
export const REPORT_JOB = "report";

/**
 * Queues the reports of several studies as one PDF; studies without a report are omitted.
 * @throws {AppError} `storage.full`; `study.not_analyzed` when no study has a report.
 */
export async function startReports(
  services: ServiceContext,
  request: ReportJobRequest,
  caller: Caller,
): Promise<ReportJobCreated> {
  const requestedPids = [...new Set(request.pid_list)];
  const rows = new Map(
    (await readPatients(services.db, requestedPids)).map(({ row }) => [row.pid, row]),
  );
  const isAnalysed = (pid: number) => {
    const row = rows.get(pid);
    return row?.t1_analysis_status === "completed" || row?.t2_analysis_status === "completed";
  };
  const pid_list = requestedPids.filter(isAnalysed);
  if (pid_list.length === 0) {
    throw new AppError("study.not_analyzed", "Cannot print: no study is analysed");
  }
  return {
    uuid: await startExport(services, REPORT_JOB, { format: "pdf", pid_list }, caller),
    excluded: requestedPids.filter((pid) => !isAnalysed(pid)).map((pid) => ({
      pid,
      code: rows.has(pid) ? "study.not_analyzed" : "entity.not_found",
    })),
  };
}

interface RenderedReport {
  report: ReportResponse;
  pictures: Pictures;
}

/** Text of a report's bookmark in the merged PDF: patient and date. */
const bookmarkOf = ({ anonymized, patient }: ReportResponse, n: number): string =>
  anonymized
    ? `${n} · ${patient.study_date ?? "–"}`
    : `${patient.patient_id} · ${patient.patient_name} · ${patient.study_date ?? "–"}`;

/**
 * Merges the reports of several studies in order, with two reports at a time in memory.
 * While the PDF worker lays out one report, this thread prepares the next report.
 *
 * @param onFailed Called for a study without a report, with the reason; may throw to stop.
 * @returns number of reports in the file.
 */
async function bindReports(
  services: ServiceContext,
  uid: number,
  pids: readonly number[],
  options: {
    renderer: PdfRenderer;
    signal: AbortSignal;
    write: (bytes: Uint8Array) => Promise<void>;
    onFailed: (pid: number, error: unknown) => void;
    onMade: (count: number) => Promise<void>;
  },
): Promise<number> {
  const { renderer, signal, write, onFailed, onMade } = options;
  const prepare = (pid: number | undefined): Promise<RenderedReport | { error: unknown }> | null =>
    pid === undefined
      ? null
      : reportWithPictures(services, pid, {}, { uid }, nowIso(), renderer).catch((error) => ({
        error,
      }));
  let binder: PdfBinder | null = null, count = 0, next = prepare(pids[0]), isFileBroken = false;
  const append = (bytes: Uint8Array) =>
    write(bytes).catch((error) => {
      isFileBroken = true;
      throw error;
    });
  for (const [index, pid] of pids.entries()) {
    signal.throwIfAborted();
    // a canceled job ends at once, without waiting for pictures that are being rendered
    const prepared = await unlessAborted(next!, signal);
    next = prepare(pids[index + 1]);
    try {
      if ("error" in prepared) throw prepared.error;
      const bytes = await renderer.render(prepared.report, prepared.pictures);
      const { language, product } = prepared.report;
      binder ??= new PdfBinder(append, {
        title: textIn(reportText.title, language),
        language,
        producer: product,
      });
      await binder.add(bytes, bookmarkOf(prepared.report, index + 1));
      count++;
    } catch (error) {
      signal.throwIfAborted();
      // a temporary error, such as a full disk, fails the whole file; the job is run again later
      if (isFileBroken || isPassing(storageError(error))) throw error;
      onFailed(pid, error);
    }
    await onMade(index + 1);
  }
  await binder?.finish();
  return count;
}

/** Job that writes the reports of several studies to one PDF. */
export const reportJob = (services: ServiceContext): JobKind =>
  exportJob(services, {
    say: (uuid, percent, status) => ({ event: "report", uuid, percent, status }),
    async write({ request, userId }, { path, signal, failed, tell }) {
      if (request.format !== "pdf") return;
      const pids = request.pid_list, renderer = new PdfRenderer();
      // a canceled job ends at once, without waiting for the page that is being laid out
      const stop = () => renderer.close();
      signal.addEventListener("abort", stop, { once: true });
      const file = await open(path, "w", 0o600);
      try {
        const count = await bindReports(services, userId, pids, {
          renderer,
          signal,
          write: async (bytes) => void await file.writeFile(bytes),
          onFailed: (pid, error) => {
            services.log("warn", "Cannot print study", { pid, error: String(error) });
            failed.push(pid);
          },
          onMade: (done) => tell(done / pids.length),
        });
        if (count === 0) {
          throw new AppError("job.failed", "Cannot print: none of the studies has a report");
        }
        await file.sync();
      } finally {
        signal.removeEventListener("abort", stop);
        renderer.close();
        await file.close();
      }
    },
    async done({ request }, failed, begun) {
      if (request.format !== "pdf") {
        return;
      }
      await markReported(services, request.pid_list.filter((pid) => !failed.includes(pid)), begun);
    },
  });

/**
 * Reports of a few studies as one PDF, made within the request.
 * @throws {AppError} as {@link reportWithPictures} for the first study without a report,
 * because a file in which reports are missing would appear complete.
 */
export async function getReportsPdf(
  services: ServiceContext,
  pids: readonly number[],
  caller: Caller,
  signal: AbortSignal,
): Promise<Blob> {
  const parts: BlobPart[] = [];
  await bindReports(services, caller.uid, [...new Set(pids)], {
    renderer: services.pdf,
    signal,
    write: (bytes) => Promise.resolve(void parts.push(bytes as Uint8Array<ArrayBuffer>)),
    onFailed: (_, error) => {
      throw error;
    },
    onMade: () => Promise.resolve(),
  });
  return new Blob(parts, { type: "application/pdf" });
}
