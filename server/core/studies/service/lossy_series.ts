import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import type { AnalysisOutcome } from "@/server/core/engine/result.ts";
import type { StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/** Whether the images of a series were compressed lossily; one file represents all images. */
async function isLossySeries(
  services: ServiceContext,
  { pid, seriesId }: StoredAnalysis,
): Promise<boolean> {
  try {
    return await seriesAnswer(services, seriesId, "lossy", { isLater: true }) ?? false;
  } catch (error) {
    // unknown without a reader, and the grade must not depend on that
    if (isBusy(error)) throw error;
    // the volume was made while the file was intact, so the result is kept
    services.log("warn", "Cannot tell how a series was compressed", { pid, error: String(error) });
  }
  return false;
}

/**
 * Adds a warning about lossily compressed series to the results, and limits the grade to B.
 * Grey values that the compression created or smoothed are measured like all others.
 * @param outcome Results of which warnings and grades are modified.
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
