import * as z from "zod/mini";

export const jobStatus = z.enum(["queued", "running", "done", "failed", "canceled"]);
export type JobStatus = z.infer<typeof jobStatus>;

/** Progress of a job that makes one file from several studies. */
export const jobProgress = z.object({
  /** progress of the job, 0..100 % */
  percent: z.number(),
  status: jobStatus,
  /** studies that are missing from the file */
  failed_pid_list: z.array(z.number()),
});
export type JobProgress = z.infer<typeof jobProgress>;
