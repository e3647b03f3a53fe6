// States of a study, as the worklist filters and sorts by them.
import { type AnalysisStatus, isAnalyzing, isFailed } from "@/model/schema/studies/study.ts";
import type { QualityGrade } from "@/model/schema/studies/patients.ts";

/** The worse of two results' grades. */
export const worseGrade = (a: QualityGrade | null, b: QualityGrade | null): QualityGrade | null =>
  a === null || b === null ? a ?? b : a > b ? a : b;

/** Which of its states hold, by the statuses of its series that have been uploaded. */
export function statesOf(statuses: readonly AnalysisStatus[]) {
  const processing = statuses.includes("processing");
  return {
    processing,
    waiting: !processing && statuses.some(isAnalyzing),
    failed: !statuses.some(isAnalyzing) && statuses.some(isFailed),
  };
}

/** More than any study's number. */
const BEYOND_PIDS = 2 ** 40;

/** Place in the order of urgency: the smaller, the earlier; the newest first among equals. */
export function attentionOf(
  pid: number,
  statuses: readonly AnalysisStatus[],
  grade: QualityGrade | null,
): number {
  const { failed, processing, waiting } = statesOf(statuses);
  const group = failed
    ? 0
    : processing || waiting
    ? 3
    : grade === "C"
    ? 1
    : statuses.includes("ready")
    ? 2
    : 4;
  return group * BEYOND_PIDS - pid;
}
