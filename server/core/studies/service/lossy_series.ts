import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import type { AnalysisOutcome } from "@/server/core/engine/result.ts";
import type { StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/** Whether a series was compressed lossily, as stated by its first file. */
async function isLossySeries(
  services: ServiceContext,
  { pid, seriesId }: StoredAnalysis,
): Promise<boolean> {
  try {
    return await seriesAnswer(services, seriesId, "lossy", { isLater: true }) ?? false;
  } catch (error) {
    // rethrown: without a free worker the answer is unknown, and the grade must not depend on it
    if (isBusy(error)) throw error;
    // the volume was made before the file was damaged, so its results are kept without a warning
    services.log("warn", "Cannot tell how a series was compressed", { pid, error: String(error) });
  }
  return false;
}

/**
 * Adds a warning to results of lossily compressed series, and limits their grade to B:
 * grey values that the compression created or smoothed are measured like real values.
 * @param outcome Results, of which warnings and grades are modified.
 */
export async function recordLossySeries(
  services: ServiceContext,
  analyses: readonly StoredAnalysis[],
  { t1, flair }: AnalysisOutcome,
): Promise<void> {
  for (const analysis of analyses) {
    const isT1 = analysis.kind === "t1", graded = isT1 ? t1?.quality : flair;
    if (!graded || !await isLossySeries(services, analysis)) continue;
    graded.warnings.push(isT1 ? "t1_lossy" : "flair_lossy");
    if (graded.grade === "A") graded.grade = "B";
  }
}
