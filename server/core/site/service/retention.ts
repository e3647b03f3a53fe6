// Deletes data that are kept for a limited time.
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { removeOldExports } from "@/server/core/exports/service/exports.ts";
import { purgeBin } from "@/server/core/studies/service/bin.ts";

const INTERVAL_MS = 3_600_000;

/** Deletes all data that are older than the site's retention times. */
export async function deleteOutdated(services: ServiceContext, nowMs = Date.now()): Promise<void> {
  await purgeBin(services, nowMs);
  await removeOldExports(services, nowMs);
}

/** Calls {@link deleteOutdated} now and every hour until closed. */
export function watchRetention(services: ServiceContext): { close(): Promise<void> } {
  let running = Promise.resolve();
  const run = () => {
    running = running.then(() => deleteOutdated(services)).catch((error) =>
      services.log("error", "Cannot delete what is outdated", { error: String(error) })
    );
  };
  run();
  const timer = setInterval(run, INTERVAL_MS);
  Deno.unrefTimer(timer as unknown as number);
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
