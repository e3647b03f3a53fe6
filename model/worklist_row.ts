import type { PatientRow } from "@/model/schema/patients.ts";
import { isFailed } from "@/model/schema/study.ts";

/** The later of the two analyses, YYYY-MM-DD in the reader's time zone; `-` when there is none. */
export function analysisDateText(row: PatientRow): string {
  const latest = [row.t1_analysis_date, row.t2_analysis_date].filter((date) => date !== null).sort().at(-1);
  if (!latest) return "-";
  const date = new Date(latest), two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** What may be opened: a study with at least one completed series. */
export const isReadable = (row: PatientRow): boolean =>
  row.t1_analysis_status === "completed" || row.t2_analysis_status === "completed";

/**
 * Why the viewer of a study has nothing to open (D1 §8): its analyses have ended without leaving any data, or it has to
 * be analysed first.
 */
export function viewerBlock(
  row: Pick<PatientRow, "t1_analysis_status" | "t2_analysis_status">,
): "viewer.no_data" | "study.not_analyzed" {
  const statuses = [row.t1_analysis_status, row.t2_analysis_status].filter((status) => status !== null);
  const hasEnded = statuses.includes("completed") || (statuses.length > 0 && statuses.every(isFailed));
  return hasEnded ? "viewer.no_data" : "study.not_analyzed";
}
