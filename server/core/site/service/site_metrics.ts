import { sql } from "kysely";
import { countedSamples, gauge, LEFTOVERS_METRIC, type Sample } from "@/server/wire/metrics.ts";
import { countJobs } from "@/server/core/jobs/jobs.ts";
import { routineAlarms } from "@/server/core/norms/service/routine_drift.ts";
import { connectionMetrics } from "@/server/core/connections/service/connection_metrics.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { diskOf, VERSION } from "@/server/core/site/service/status.ts";

const STARTED_S = (Date.now() - performance.now()) / 1000;

/**
 * Figures of this process and of the site; those of the database are missing while it is away.
 * @param searched Part of the stored files that was searched for leftovers since the start, 0..1.
 */
export async function siteMetrics(services: ServiceContext, searched: number): Promise<Sample[]> {
  const { db, dataDir } = services;
  const { rss, heapUsed } = Deno.memoryUsage(), disk = await diskOf(dataDir);
  const samples = [
    gauge("sulcus_build_info", "1, with the version", 1, {
      version: VERSION,
      deno: Deno.version.deno,
    }),
    gauge("process_start_time_seconds", "when this process began, since 1970", STARTED_S),
    gauge("process_resident_memory_bytes", "memory of this process", rss),
    gauge("sulcus_heap_bytes", "JavaScript's part of it", heapUsed),
    gauge("sulcus_disk_free_bytes", "free on the disk of the data folder", disk.freeBytes),
    gauge("sulcus_disk_size_bytes", "of the disk of the data folder", disk.totalBytes),
    gauge(
      LEFTOVERS_METRIC,
      "part searched for leftovers since the start; 1: the search is over",
      searched,
    ),
    ...countedSamples(),
  ];
  const started = performance.now();
  const counts = await countJobs(db).catch(() => null);
  const up = gauge("sulcus_database_up", "whether the database answers", counts === null ? 0 : 1);
  if (counts === null) return [...samples, up];
  const answered = (performance.now() - started) / 1000;
  return [
    ...samples,
    up,
    gauge("sulcus_database_seconds", "how long the database took for the count of jobs", answered),
    ...Object.entries(counts).map(([status, count]) =>
      gauge("sulcus_jobs", "jobs by status", count, { status })
    ),
    gauge(
      "sulcus_oldest_queued_job_seconds",
      "age of the oldest job that waits",
      await oldestQueuedS(db),
    ),
    gauge(
      "sulcus_local_norms_left_interval",
      "scanners with norms from routine studies that have left their interval",
      await routineAlarms(services),
    ),
    ...await connectionMetrics(services),
  ];
}

async function oldestQueuedS(db: ServiceContext["db"]): Promise<number> {
  const row = await db.selectFrom("jobs").select(sql<string | null>`min(created_at)`.as("at"))
    .where("status", "=", "queued").executeTakeFirst();
  return row?.at ? Math.max(0, (Date.now() - Date.parse(row.at)) / 1000) : 0;
}
