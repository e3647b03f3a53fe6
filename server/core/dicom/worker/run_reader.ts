import type { Log } from "@/model/site/log.ts";
import { DicomReader, WORKERS } from "@/server/core/dicom/worker/reader.ts";
import { serveReader } from "@/server/core/dicom/worker/reader_process.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";

/** Exit codes of a reader with a hanging thread, and of one with excessive memory. */
const HANGING = 3, TOO_LARGE = 4;
/** Memory limit: the largest object, 512 MB, is in memory twice during rendering. */
const MAX_MEMORY_BYTES = 1_600_000_000, LOOK_MS = 250;
/** Time for sending the failure of the hanging task before the exit. */
const LAST_ANSWER_MS = 200;

interface RunOptions {
  /** path of the socket to listen on */
  path: string;
  /** folders from which files may be read */
  folders: readonly string[];
  log: Log;
  /** tests pass a worker that hangs, and lower limits */
  script?: URL;
  timeoutMs?: number;
  maxMemoryBytes?: number;
}

/**
 * Runs this process as a reader, which the launcher restarts after each exit.
 * Exits when standard input closes, after a file that makes a thread hang, or out of memory.
 */
export async function runReader(
  { path, folders, log, script, timeoutMs, maxMemoryBytes = MAX_MEMORY_BYTES }: RunOptions,
): Promise<void> {
  // a signal to the process group is meant for the server: running tasks are completed
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});
  Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {}).finally(() => Deno.exit(0));
  const leaving = new AbortController();
  keepServing(log);
  const reader = new DicomReader({
    folders,
    log,
    script,
    timeoutMs,
    onHang: () => {
      leaving.abort();
      // a looping thread can only be ended by ending the process
      setTimeout(() => Deno.exit(HANGING), LAST_ANSWER_MS);
    },
  });
  setInterval(() => {
    const { rss } = Deno.memoryUsage();
    if (rss <= maxMemoryBytes) return;
    log("error", "It has more memory than any file needs", { rss });
    Deno.exit(TOO_LARGE);
  }, LOOK_MS);
  await serveReader(path, (task) => reader.answer(task), WORKERS, leaving.signal);
}
