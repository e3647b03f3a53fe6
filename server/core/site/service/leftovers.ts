// Deletes leftovers of a crash: rows and files of interrupted uploads and analyses.
import { setTimeout as sleep } from "node:timers/promises";
import { blobsIn, deleteUnusedBlobs } from "@/server/core/blobs/blob_index.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Ratio of rest to working time of the search: requests come first. */
const REST = 3;
/** Number of possible values of a hash's first four digits. */
const PREFIXES = 65_536;

/** A running search for leftovers. */
interface LeftoverSearch {
  /** progress, 0..1; 1: finished or given up */
  progress(): number;
  /** Stops the search; the next start begins from the beginning. */
  close(): Promise<void>;
}

/**
 * Deletes files and rows to which no committed row refers. Runs while the site serves requests,
 * because the search takes ten minutes at 46,000 studies (`deno task bench scale`).
 * @param beforeMs Files stored since this instant are not leftovers.
 */
export function removeLeftovers(
  { db, blobs, log }: Pick<ServiceContext, "db" | "blobs" | "log">,
  beforeMs = Date.now(),
): LeftoverSearch {
  const ending = new AbortController();
  let progress = 0, restedAt = performance.now();
  // rows first, so that the same search finds the files of deleted rows; both count half
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
