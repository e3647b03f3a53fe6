import type { Method } from "@/model/norms/percentile_rank.ts";
import { listResults } from "@/server/core/analyses/storage/analyses.ts";
import type { StoredVisit } from "@/server/core/analyses/storage/longitudinal.ts";
import type { Database } from "@/server/core/database/database.ts";
import { appliedNorms } from "@/server/core/norms/service/applied_norms.ts";

/**
 * Method, norms and scanner decisions that apply to each study of a comparison, by pid.
 * Each study has the values that the report of that study uses.
 */
export async function methodsOfVisits(
  db: Database,
  visits: readonly Pick<StoredVisit, "pid" | "analysisId">[],
): Promise<Map<number, Method>> {
  const done = await listResults(db, visits.map(({ analysisId }) => analysisId));
  const methods = new Map<number, Method>();
  for (const { pid, analysisId } of visits) {
    const { method } = await appliedNorms(db, done.get(analysisId) ?? null);
    methods.set(pid, method);
  }
  return methods;
}
