import { AppError } from "@/model/errors.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { JobProgress } from "@/model/schema/site/jobs.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";

/** Time in ms without a progress event after which progress is polled. */
const POLL_MS = 1500;

/** A file that the server generates in the background. */
interface FileJob {
  /** download URL of the finished file */
  path: string;
  progress(): Promise<JobProgress>;
  cancel(): Promise<void>;
  /** progress in a socket event; `null` for an event about another file */
  progressOf(event: ServerEvent): News | null;
}

/** Progress of a job; `failed_pid_list` (studies missing from the file) only on request. */
type News = Pick<JobProgress, "percent" | "status"> & Partial<JobProgress>;

/** A finished file: download URL, and the numbers of studies missing from the file. */
export interface GeneratedFile {
  path: string;
  failedPids: readonly number[];
}

/**
 * Waits until the server has generated a file.
 *
 * @param onPercent Progress, 0..100.
 * @throws {AppError} `job.failed`, `job.canceled`; an abort cancels the job and is thrown as it is.
 */
export async function awaitGeneratedFile(
  job: FileJob,
  { signal, onPercent }: { signal: AbortSignal; onPercent: (percent: number) => void },
): Promise<GeneratedFile> {
  // the list of missing studies is fetched, because events do not contain the list
  const ended = Promise.withResolvers<readonly number[] | undefined>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hear = ({ percent, status, failed_pid_list }: News) => {
    onPercent(percent);
    if (status === "done") ended.resolve(failed_pid_list);
    else if (status === "failed" || status === "canceled") {
      ended.reject(new AppError(`job.${status}`, "Cannot make the file"));
    }
  };
  let isOver = false;
  const ask = async () => {
    try {
      hear(await job.progress());
    } catch (error) {
      // continues after a lost connection; an unknown job ends with an error
      if (error instanceof AppError && error.code === "entity.not_found") ended.reject(error);
    }
    poll();
  };
  const poll = () => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(ask, POLL_MS);
  };
  const stopListening = onServerEvent((event) => {
    const news = job.progressOf(event);
    if (!news) return;
    hear(news);
    poll();
  });
  const abort = () => ended.reject(signal.reason);
  signal.addEventListener("abort", abort);
  // a small file may have finished before the first event listener was added
  void ask();
  try {
    if (signal.aborted) abort();
    const failedPids = await ended.promise;
    return { path: job.path, failedPids: failedPids ?? (await job.progress()).failed_pid_list };
  } catch (error) {
    if (signal.aborted) job.cancel().catch(() => {});
    throw error;
  } finally {
    isOver = true;
    clearTimeout(timer);
    stopListening();
    signal.removeEventListener("abort", abort);
  }
}

/** Starts a browser download of a server file without loading the file into memory. */
export function saveFile(path: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}
