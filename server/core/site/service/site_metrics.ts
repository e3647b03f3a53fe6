import { sql } from "kysely";
import { countedSamples, LEFTOVERS_METRIC, type Sample, sample } from "@/server/wire/metrics.ts";
import { countJobs } from "@/server/core/jobs/jobs.ts";
import { chartMetrics, movedScanners } from "@/server/core/norms/service/charts/drift.ts";
import { routineAlarms } from "@/server/core/norms/service/routine_drift.ts";
import { openStops } from "@/server/core/norms/service/stops.ts";
import { connectionMetrics } from "@/server/core/connections/service/connection_metrics.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { canStore, diskOf, VERSION } from "@/server/core/site/service/status.ts";

const STARTED_S = (Date.now() - performance.now()) / 1000;

/**
 * Metrics of this process and the site.
 * Metrics from the database are missing while the database is unavailable.
 * @param searched Progress of the search for unreferenced stored files since the start, 0..1.
 */
export async function siteMetrics(services: ServiceContext, searched: number): Promise<Sample[]> {
  const { db, dataDir } = services;
  const { rss, heapUsed } = Deno.memoryUsage(), disk = await diskOf(dataDir);
  const samples = [
    sample("sulcus_build_info", 1, {
      version: VERSION,
      deno: Deno.version.deno,
    }),
    sample("process_start_time_seconds", STARTED_S),
    sample("process_resident_memory_bytes", rss),
    sample("sulcus_heap_bytes", heapUsed),
    sample("sulcus_disk_free_bytes", disk.freeBytes),
    sample("sulcus_disk_size_bytes", disk.totalBytes),
    sample("sulcus_disk_writable", await canStore(dataDir) ? 1 : 0),
    sample(LEFTOVERS_METRIC, searched),
    ...countedSamples(),
  ];
  const started = performance.now();
  const counts = await countJobs(db).catch(() => null);
  const up = sample("sulcus_database_up", counts === null ? 0 : 1);
  if (counts === null) return [...samples, up];
  const answered = (performance.now() - started) / 1000;
  return [
    ...samples,
    up,
    sample("sulcus_database_seconds", answered),
    ...Object.entries(counts).map(([status, count]) => sample("sulcus_jobs", count, { status })),
    sample("sulcus_oldest_queued_job_seconds", await oldestQueuedS(db)),
    sample("sulcus_local_norms_left_interval", await routineAlarms(services)),
    sample("sulcus_scanners_changed", await movedScanners(services)),
    sample("sulcus_scanners_stopped", await openStops(services)),
    ...await chartMetrics(services),
    ...await connectionMetrics(services),
  ];
}

async function oldestQueuedS(db: ServiceContext["db"]): Promise<number> {
  const row = await db.selectFrom("jobs").select(sql<string | null>`min(created_at)`.as("at"))
    .where("status", "=", "queued").executeTakeFirst();
  return row?.at ? Math.max(0, (Date.now() - Date.parse(row.at)) / 1000) : 0;
}
