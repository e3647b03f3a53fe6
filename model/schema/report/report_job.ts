import * as z from "zod/mini";

/** Most studies of one file of reports. */
const MAX_REPORTS = 500;
/** Most studies of which the reports are made while the caller waits. */
const MAX_REPORTS_PER_FILE = 20;

const pids = (most: number) =>
  z.array(z.number().check(z.int(), z.gte(1))).check(z.minLength(1), z.maxLength(most));

/**
 * Body of `POST /patients/reports/pdf`; pages, language and names are those of the caller's
 * settings.
 */
export const reportJobRequest = z.object({ pid_list: pids(MAX_REPORTS) });
export type ReportJobRequest = z.infer<typeof reportJobRequest>;

export const reportJobCreated = z.object({
  uuid: z.string(),
  /** studies of which no report is made, and why */
  excluded: z.array(z.object({ pid: z.number(), code: z.string() })),
});
export type ReportJobCreated = z.infer<typeof reportJobCreated>;

/** Query of `GET /patients/reports/pdf`: comma-joined. */
export const reportsQuery = z.object({
  pid_list: z.pipe(
    z.pipe(
      z.string().check(z.regex(/^\d+(,\d+)*$/)),
      z.transform((list: string) => list.split(",").map(Number)),
    ),
    pids(MAX_REPORTS_PER_FILE),
  ),
});
