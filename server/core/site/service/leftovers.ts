// Leftovers of a crash: rows and files of uploads and analyses that were cut short.
import { setTimeout as sleep } from "node:timers/promises";
import { blobsIn, deleteUnusedBlobs } from "@/server/core/blobs/blob_index.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** The search rests three times as long as it works: those whom the site serves come first. */
const REST = 3;
/** Hashes begin with one of so many times four digits. */
const PREFIXES = 65_536;

/** A search for leftovers that goes on beside the service. */
interface LeftoverSearch {
  /** part that has been looked at, 0..1; 1: it is over, also when it had to be given up */
  progress(): number;
  /** Ends it, complete or not: the next start begins from the start. */
  close(): Promise<void>;
}

/**
 * Removes files and rows that no committed row names. Ten minutes of work at 46,000 studies (`deno
 * task bench scale`), so it goes on while the site serves.
 * @param beforeMs Files that got their place since this instant are none.
 */
export function removeLeftovers(
  { db, blobs, log }: Pick<ServiceContext, "db" | "blobs" | "log">,
  beforeMs = Date.now(),
): LeftoverSearch {
  const ending = new AbortController();
  let progress = 0, restedAt = performance.now();
  // rows first, so that their files are found by the same search; each is half of it
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
