// Deletes files and rows that a crash left behind, of interrupted uploads and analyses.
import { setTimeout as sleep } from "node:timers/promises";
import { blobsIn, deleteUnusedBlobs } from "@/server/core/blobs/blob_index.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Pauses of the search, as a multiple of the working time, so that requests come first. */
const REST = 3;
/** Number of possible values of the first four hexadecimal digits of a hash. */
const PREFIXES = 65_536;

/** A search for leftovers that runs in the background. */
interface LeftoverSearch {
  /** progress of the search, 0 to 1; 1: finished, or ended by an error */
  progress(): number;
  /** Stops the search; it starts from the beginning at the next start of the server. */
  close(): Promise<void>;
}

/**
 * Deletes files and rows to which no committed row refers. Runs while requests are served,
 * because the search takes ten minutes at 46,000 studies (`deno task bench scale`).
 * @param beforeMs Only files stored before this time, ms since 1970, can be leftovers.
 */
export function removeLeftovers(
  { db, blobs, log }: Pick<ServiceContext, "db" | "blobs" | "log">,
  beforeMs = Date.now(),
): LeftoverSearch {
  const ending = new AbortController();
  let progress = 0, restedAt = performance.now();
  // rows first, so that files of deleted rows are found; rows and files are half of the work each
  const restAfter = (half: 0 | 1) => async (prefix: string) => {
    progress = (half + parseInt(prefix.slice(0, 4), 16) / PREFIXES) / 2;
    await sleep(REST * (performance.now() - restedAt), null, { signal: ending.signal });
    restedAt = performance.now();
  };
  const search = async () => {
    const rows = await deleteUnusedBlobs(db, restAfter(0));
    const files = await blobs.sweep(blobsIn(db), beforeMs, restAfter(1));
    if (rows + files > 0) log("info", "Removed leftovers", { files, rows });
  };
  const searching = search().catch((error) => {
    if (!ending.signal.aborted) {
      log("warn", "Cannot search for leftovers", { error: String(error) });
    }
  }).finally(() => progress = 1);
  return {
    progress: () => progress,
    async close() {
      ending.abort();
      await searching;
    },
  };
}
