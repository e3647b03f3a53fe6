import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import type { AnalysisOutcome } from "@/server/core/engine/result.ts";
import type { StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/**
 * Whether the images of a series have been compressed with loss; its files are stored alike, so
 * that one suffices.
 */
async function isLossySeries(
  services: ServiceContext,
  { pid, seriesId }: StoredAnalysis,
): Promise<boolean> {
  try {
    return await seriesAnswer(services, seriesId, "lossy", { isLater: true }) ?? false;
  } catch (error) {
    // a missing reader says nothing of the file, and the grade must not depend on it
    if (isBusy(error)) throw error;
    // the volume was made when the file was whole: no reason to lose its result
    services.log("warn", "Cannot tell how a series was compressed", { pid, error: String(error) });
  }
  return false;
}

/**
 * Says with the results which series were compressed with loss: grey values that such a compression
 * invents or levels are measured as any other, so that the best grade is B.
 * @param outcome Its warnings and grades are changed.
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
