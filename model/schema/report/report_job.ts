import * as z from "zod/mini";

/** Maximum number of studies in one file of reports. */
const MAX_REPORTS = 500;
/** Maximum number of studies with reports that are rendered within the request. */
const MAX_REPORTS_PER_FILE = 20;

const pids = (most: number) =>
  z.array(z.number().check(z.int(), z.gte(1))).check(z.minLength(1), z.maxLength(most));

/**
 * Body of `POST /patients/reports/pdf`.
 * Pages, language and anonymisation follow the user's settings.
 */
export const reportJobRequest = z.object({ pid_list: pids(MAX_REPORTS) });
export type ReportJobRequest = z.infer<typeof reportJobRequest>;

export const reportJobCreated = z.object({
  uuid: z.string(),
  /** studies without a report, with the reason */
  excluded: z.array(z.object({ pid: z.number(), code: z.string() })),
});
export type ReportJobCreated = z.infer<typeof reportJobCreated>;

/** Query of `GET /patients/reports/pdf`; `pid_list` is comma-separated. */
export const reportsQuery = z.object({
  pid_list: z.pipe(
    z.pipe(
      z.string().check(z.regex(/^\d+(,\d+)*$/)),
      z.transform((list: string) => list.split(",").map(Number)),
    ),
    pids(MAX_REPORTS_PER_FILE),
  ),
});
