import * as z from "zod/mini";
import { certType } from "@/model/schema/studies/study.ts";

export const statusResponse = z.object({
  /** percent of the disk in use, 0..100 */
  disk_usage: z.number(),
  /** orange above this percentage */
  disk_warn: z.number(),
  /** red above this percentage; uploads are refused */
  disk_error: z.number(),
  /** certification of the site; absent from a core of another kind */
  cert_type: z.optional(certType),
});
export type StatusResponse = z.infer<typeof statusResponse>;

const jobStatus = z.enum(["queued", "running", "done", "failed", "canceled"]);

/** `GET /api/v1/status/details`: software, machine and load of the site; administrators only. */
export const siteStatus = z.object({
  product: z.string(),
  version: z.string(),
  /** of the engine that made the newest result; `null` before the first */
  engine_version: z.nullable(z.string()),
  runtime: z.string(),
  database: z.enum(["sqlite", "postgres"]),
  started_at: z.string(),
  disk: z.object({
    total_bytes: z.number(),
    free_bytes: z.number(),
    /** percent, and the limits of `GET /api/v1/status` */
    usage: z.number(),
    warn: z.number(),
    error: z.number(),
  }),
  workers: z.object({
    /** threads that one analysis in this process uses */
    threads: z.number(),
    /** processes that are running a job */
    busy: z.number(),
  }),
  jobs: z.object({
    /** number of jobs in each state */
    counts: z.record(jobStatus, z.number()),
    /** queued and running jobs, then the most recently ended ones */
    list: z.array(z.object({
      id: z.number(),
      kind: z.string(),
      status: jobStatus,
      percent: z.number(),
      created_at: z.string(),
      finished_at: z.nullable(z.string()),
      /** code of the error that ended it */
      error: z.nullable(z.string()),
      /** studies that an analysis works on */
      pids: z.array(z.number()),
    })),
  }),
});
export type SiteStatus = z.infer<typeof siteStatus>;
