import { AppError } from "@/model/errors.ts";
import type { ExcelJobRequest } from "@/model/schema/excel.ts";
import type { JobStatus } from "@/model/schema/jobs.ts";
import { cancelExcel, getExcelProgress, startExcel } from "@/client/api/excel.ts";
import { browserApi } from "@/client/browser_api.ts";
import { onServerEvent } from "@/client/live_updates.ts";

/** Events tell how far it is; where none arrives for this long, it is asked for. */
const POLL_MS = 1500;

/** A finished export: where its file is, and the studies that it lacks. */
export interface FinishedExport {
  path: string;
  failedPids: readonly number[];
}

/**
 * Has the server make a table of studies.
 *
 * @param onPercent 0..100, now and then.
 * @throws {AppError} `job.failed`, `job.canceled`, `storage.full`; an abort cancels the export and is thrown as it is.
 */
export async function exportStudies(
  request: ExcelJobRequest,
  { signal, onPercent }: { signal: AbortSignal; onPercent: (percent: number) => void },
): Promise<FinishedExport> {
  const { excel_id: id } = await startExcel(browserApi, request);
  const ended = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hear = (percent: number, status: JobStatus) => {
    onPercent(percent);
    if (status === "done") ended.resolve();
    else if (status === "failed" || status === "canceled") {
      ended.reject(new AppError(`job.${status}`, "Cannot export"));
    }
  };
  let isOver = false;
  const poll = () => {
    clearTimeout(timer);
    if (isOver) return;
    timer = setTimeout(async () => {
      try {
        const { percent, status } = await getExcelProgress(browserApi, id);
        hear(percent, status);
      } catch (error) {
        // a lost connection comes back; an export that nobody knows does not
        if (error instanceof AppError && error.code === "entity.not_found") ended.reject(error);
      }
      poll();
    }, POLL_MS);
  };
  const stopListening = onServerEvent((event) => {
    if (event.event !== "excel" || event.excel_id !== id) return;
    hear(event.percent, event.status);
    poll();
  });
  const abort = () => ended.reject(signal.reason);
  signal.addEventListener("abort", abort);
  poll();
  try {
    if (signal.aborted) abort();
    await ended.promise;
    const { failed_pid_list } = await getExcelProgress(browserApi, id);
    return { path: `/api/v1/patients/excel/${id}`, failedPids: failed_pid_list };
  } catch (error) {
    if (signal.aborted) cancelExcel(browserApi, id).catch(() => {});
    throw error;
  } finally {
    isOver = true;
    clearTimeout(timer);
    stopListening();
    signal.removeEventListener("abort", abort);
  }
}
