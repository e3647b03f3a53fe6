// States of a study for filtering and sorting the worklist.
import { type AnalysisStatus, isAnalyzing, isFailed } from "@/model/schema/studies/study.ts";
import type { QualityGrade } from "@/model/schema/studies/patients.ts";

/** The worse of the grades of two results. */
export const worseGrade = (a: QualityGrade | null, b: QualityGrade | null): QualityGrade | null =>
  a === null || b === null ? a ?? b : a > b ? a : b;

/** States of a study by the analysis statuses of its uploaded series. */
export function statesOf(statuses: readonly AnalysisStatus[]) {
  const processing = statuses.includes("processing");
  return {
    processing,
    waiting: !processing && statuses.some(isAnalyzing),
    failed: !statuses.some(isAnalyzing) && statuses.some(isFailed),
  };
}

/** Larger than any study number. */
const BEYOND_PIDS = 2 ** 40;

/** Sort value of an order without images by urgency: after all studies, newest first. */
export const attentionOfOrder = (id: number): number => 5 * BEYOND_PIDS - id;

/** Sort value by urgency: smaller is more urgent; newest first among equals. */
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
