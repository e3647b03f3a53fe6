import type { Log } from "@/model/site/log.ts";
import { DicomReader, WORKERS } from "@/server/core/dicom/worker/reader.ts";
import { serveReader } from "@/server/core/dicom/worker/reader_process.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";

/** Exit codes of a reader process: after a thread that hangs, and after excessive memory use. */
const HANGING = 3, TOO_LARGE = 4;
/** Memory limit: the largest object, 512 MB, is twice in memory while it is rendered. */
const MAX_MEMORY_BYTES = 1_600_000_000, LOOK_MS = 250;
/** Time in which the failure of a hanging task is sent before the exit. */
const LAST_ANSWER_MS = 200;

interface RunOptions {
  /** path of the socket to listen on */
  path: string;
  /** folders with files that may be read */
  folders: readonly string[];
  log: Log;
  /** for tests: a worker that hangs, and lower limits */
  script?: URL;
  timeoutMs?: number;
  maxMemoryBytes?: number;
}

/**
 * Runs this process as a reader; the launcher restarts it after each exit.
 * Exits if standard input closes, after a file that makes a thread hang, or if memory is short.
 */
export async function runReader(
  { path, folders, log, script, timeoutMs, maxMemoryBytes = MAX_MEMORY_BYTES }: RunOptions,
): Promise<void> {
  // ignored: a signal to the process group is meant for the server, and running tasks complete
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
      // ends the process, because a thread in an endless loop cannot be ended otherwise
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
