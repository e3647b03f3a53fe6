import type { Log } from "@/model/site/log.ts";
import { DicomReader, WORKERS } from "@/server/core/dicom/worker/reader.ts";
import { serveReader } from "@/server/core/dicom/worker/reader_process.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";

/** Exit codes of a reader over whose thread a file hangs, and of one with too much memory. */
const HANGING = 3, TOO_LARGE = 4;
/** The largest object, 512 MB, is here twice while it is drawn. */
const MAX_MEMORY_BYTES = 1_600_000_000, LOOK_MS = 250;
/** Time for the answer to the task that hangs. */
const LAST_ANSWER_MS = 200;

interface RunOptions {
  /** socket to listen on */
  path: string;
  /** folders whose files may be read */
  folders: readonly string[];
  log: Log;
  /** tests pass one that hangs, and lower limits */
  script?: URL;
  timeoutMs?: number;
  maxMemoryBytes?: number;
}

/**
 * Runs this process as a reader. It ends with its standard input, after a file over which a thread
 * hangs, and when it has more memory than any file needs: whatever the file has done is over then,
 * and the launcher starts another reader.
 */
export async function runReader(
  { path, folders, log, script, timeoutMs, maxMemoryBytes = MAX_MEMORY_BYTES }: RunOptions,
): Promise<void> {
  // a signal to the whole group is the server's: files that are being read are finished for it
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
      // a thread that is in a loop ends with its process alone
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
