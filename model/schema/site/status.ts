import * as z from "zod/mini";
import { certType } from "@/model/schema/studies/study.ts";

export const statusResponse = z.object({
  /** disk usage in percent, 0..100 */
  disk_usage: z.number(),
  /** disk usage above which the display turns orange */
  disk_warn: z.number(),
  /** disk usage above which the display turns red and uploads are refused */
  disk_error: z.number(),
  /** certification of the site; absent from servers of other makers */
  cert_type: z.optional(certType),
});
export type StatusResponse = z.infer<typeof statusResponse>;

const jobStatus = z.enum(["queued", "running", "done", "failed", "canceled"]);

/** `GET /api/v1/status/details`: software, machine and load of the site; administrators only. */
export const siteStatus = z.object({
  product: z.string(),
  version: z.string(),
  /** engine version of the newest result; `null` without results */
  engine_version: z.nullable(z.string()),
  runtime: z.string(),
  database: z.enum(["sqlite", "postgres"]),
  started_at: z.string(),
  disk: z.object({
    total_bytes: z.number(),
    free_bytes: z.number(),
    /** disk usage and the limits for warning and error, percent */
    usage: z.number(),
    warn: z.number(),
    error: z.number(),
  }),
  workers: z.object({
    /** number of threads per analysis in this process */
    threads: z.number(),
    /** number of processes that are running a job */
    busy: z.number(),
  }),
  jobs: z.object({
    /** number of jobs in each state, by the name of the state */
    counts: z.record(jobStatus, z.number()),
    /** queued and running jobs, then the most recently finished ones */
    list: z.array(z.object({
      id: z.number(),
      kind: z.string(),
      status: jobStatus,
      percent: z.number(),
      created_at: z.string(),
      finished_at: z.nullable(z.string()),
      /** error code of the job, if it has failed */
      error: z.nullable(z.string()),
      /** studies being analysed by the job */
      pids: z.array(z.number()),
    })),
  }),
});
export type SiteStatus = z.infer<typeof siteStatus>;
