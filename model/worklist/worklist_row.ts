import type { ToastCode } from "@/model/notice_codes.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { dayIn } from "@/model/time/site_time.ts";
import { isAnalyzing, isFailed } from "@/model/schema/studies/study.ts";

/** Date of the later analysis, YYYY-MM-DD in the site's time zone; `-` without analyses. */
export function analysisDateText(row: PatientRow, timeZone: string): string {
  const latest = [row.t1_analysis_date, row.t2_analysis_date].filter((date) => date !== null).sort()
    .at(-1);
  return latest ? dayIn(timeZone, Date.parse(latest)) : "-";
}

/** Whether a row is a hospital's order without images, of which the number is no study's number. */
export const isOrder = ({ pid }: Pick<PatientRow, "pid">): boolean => pid < 0;

/** Whether a study can be opened: at least one series is complete. */
export const isReadable = (
  row: Pick<PatientRow, "t1_analysis_status" | "t2_analysis_status">,
): boolean => row.t1_analysis_status === "completed" || row.t2_analysis_status === "completed";

/**
 * Why the viewer cannot open a study (D1 §8): which analyses failed, that there are no data, that
 * an analysis is running, or that none was started.
 */
export function viewerBlocks(
  { t1_analysis_status: t1, t2_analysis_status: t2 }: Pick<
    PatientRow,
    "t1_analysis_status" | "t2_analysis_status"
  >,
): (ToastCode | "study.not_analyzed" | "study.being_analyzed")[] {
  const failed = isFailed(t1) && isFailed(t2)
    ? "analysis.both_failed"
    : isFailed(t1)
    ? "analysis.t1_failed"
    : isFailed(t2)
    ? "analysis.t2_failed"
    : null;
  const statuses = [t1, t2].filter((status) => status !== null);
  const hasEnded = statuses.includes("completed") || (failed !== null && statuses.every(isFailed));
  const isRunning = isAnalyzing(t1) || isAnalyzing(t2);
  const why = hasEnded
    ? "viewer.no_data"
    : isRunning
    ? "study.being_analyzed"
    : "study.not_analyzed";
  return [...failed ? [failed] as const : [], why];
}

/** Formats the number of a study with the patient's name, if known: "4 (Kim)". */
export const namedNumber = (pid: number | string, row?: Pick<PatientRow, "patient_name">): string =>
  row?.patient_name ? `${pid} (${row.patient_name})` : String(pid);
