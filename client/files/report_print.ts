import type { ReportJobCreated } from "@/model/schema/report_job.ts";
import { cancelReports, getReportsProgress, REPORTS_PATH, startReports } from "@/client/api/report_job.ts";
import { browserApi } from "@/client/browser_api.ts";
import { awaitGeneratedFile, type GeneratedFile } from "@/client/files/generated_file.ts";

/**
 * Has the server make the reports of studies as one PDF.
 *
 * @param onPercent 0..100, now and then.
 * @param onExcluded Studies of which no report is made, if there are any.
 * @throws {AppError} `study.not_analyzed` when none of them is analysed, `job.failed`, `job.canceled`,
 * `storage.full`; an abort cancels the job and is thrown as it is.
 */
export async function printStudies(
  pids: readonly number[],
  options: {
    signal: AbortSignal;
    onPercent: (percent: number) => void;
    onExcluded: (excluded: ReportJobCreated["excluded"]) => void;
  },
): Promise<GeneratedFile> {
  const { uuid, excluded } = await startReports(browserApi, { pid_list: [...pids] });
  if (excluded.length > 0) options.onExcluded(excluded);
  return await awaitGeneratedFile({
    path: `${REPORTS_PATH}/${uuid}`,
    progress: () => getReportsProgress(browserApi, uuid),
    cancel: () => cancelReports(browserApi, uuid),
    progressOf: (event) => event.event === "report" && event.uuid === uuid ? event : null,
  }, options);
}
