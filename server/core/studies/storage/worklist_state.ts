// States of a study by which the worklist is filtered and sorted.
import { type AnalysisStatus, isAnalyzing, isFailed } from "@/model/schema/studies/study.ts";
import type { QualityGrade } from "@/model/schema/studies/patients.ts";

/** The worse of two quality grades; `null` only if both are missing. */
export const worseGrade = (a: QualityGrade | null, b: QualityGrade | null): QualityGrade | null =>
  a === null || b === null ? a ?? b : a > b ? a : b;

/** States of a study, from the analysis statuses of its uploaded series. */
export function statesOf(statuses: readonly AnalysisStatus[]) {
  const processing = statuses.includes("processing");
  return {
    processing,
    waiting: !processing && statuses.some(isAnalyzing),
    failed: !statuses.some(isAnalyzing) && statuses.some(isFailed),
  };
}

/** Number that is larger than every study number. */
const BEYOND_PIDS = 2 ** 40;

/** Sort value by urgency for an order without images: after all studies, the newest order first. */
export const attentionOfOrder = (id: number): number => 5 * BEYOND_PIDS - id;

/** Sort value by urgency: smaller is more urgent; newest first among equally urgent studies. */
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
