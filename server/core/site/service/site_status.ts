import type { SiteStatus } from "@/model/schema/site/status.ts";
import { findNewestEngine, listPidsOf } from "@/server/core/analyses/storage/analyses.ts";
import { countJobs, countOwners, type ListedJob, listJobs } from "@/server/core/jobs/jobs.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";
import { analysisIdsOf } from "@/server/core/analyses/service/analysis.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { diskLimitsOf, diskOf, usagePercent, VERSION } from "@/server/core/site/service/status.ts";

const LISTED_JOBS = 30;
const STARTED_AT = new Date(Date.now() - performance.now()).toISOString();

/** Versions of the software, the machine, and its current load. */
export async function getSiteStatus(services: ServiceContext): Promise<SiteStatus> {
  const { db, dataDir, engine } = services;
  const [disk, jobs, counts, busy, engine_version] = await Promise.all([
    diskOf(dataDir),
    listJobs(db, LISTED_JOBS),
    countJobs(db),
    countOwners(db),
    findNewestEngine(db),
  ]);
  const pidOf = await listPidsOf(db, jobs.flatMap(({ payload }) => analysisIdsOf(payload)));
  const pidsOf = ({ payload }: ListedJob) => [
    ...new Set(analysisIdsOf(payload).flatMap((id) => pidOf.get(id) ?? [])),
  ];
  return {
    product: "Sulcus",
    version: VERSION,
    engine_version,
    runtime: `Deno ${Deno.version.deno}`,
    database: isPostgres(db) ? "postgres" : "sqlite",
    started_at: STARTED_AT,
    disk: {
      total_bytes: disk.totalBytes,
      free_bytes: disk.freeBytes,
      usage: usagePercent(disk),
      ...diskLimitsOf(services),
    },
    workers: { threads: engine.threads, busy },
    jobs: {
      counts,
      list: jobs.map((job) => ({
        id: job.id,
        kind: job.kind,
        status: job.status,
        percent: job.percent,
        created_at: job.createdAt,
        finished_at: job.finishedAt,
        error: job.errorCode,
        pids: pidsOf(job),
      })),
    },
  };
}
