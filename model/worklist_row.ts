import type { PatientRow } from "@/model/schema/patients.ts";

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
