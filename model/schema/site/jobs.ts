import * as z from "zod/mini";

export const jobStatus = z.enum(["queued", "running", "done", "failed", "canceled"]);
export type JobStatus = z.infer<typeof jobStatus>;

/** How far a job is that makes a file of several studies. */
export const jobProgress = z.object({
  /** 0..100 */
  percent: z.number(),
  status: jobStatus,
  /** studies that the file lacks */
  failed_pid_list: z.array(z.number()),
});
export type JobProgress = z.infer<typeof jobProgress>;
