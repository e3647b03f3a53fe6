import { localNormsOf } from "@/model/norms/local_norms.ts";
import { type Method, methodOf } from "@/model/norms/percentile_rank.ts";
import type { LocalNormName } from "@/model/schema/studies/study.ts";
import type { NormedAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listNorms, type StoredNorm } from "@/server/core/norms/storage/local_norms.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import {
  isSameScanner,
  protocolOfStored,
  scannerOf,
} from "@/server/core/studies/service/scanners.ts";

/** Norms of a result. */
export interface AppliedNorms {
  method: Method;
  /** of the local norms in `method`; `null`: the published norms alone */
  name: LocalNormName | null;
  /** when its reading last changed; `null`: never since it was made */
  changedAt: string | null;
}

/** Accepted and not undone. */
export const isInForce = ({ acceptedAt, revokedAt }: StoredNorm): boolean =>
  acceptedAt !== null && revokedAt === null;

/** A norm that was made by another version of the engine, or was undone, is not used. */
export function appliedFrom(
  norms: readonly StoredNorm[],
  analysis: NormedAnalysis | null,
): AppliedNorms {
  const norm = analysis?.localNormId
    ? norms.find(({ id }) => id === analysis.localNormId)
    : undefined;
  const method = methodOf(analysis?.results);
  if (!norm || !analysis) return { method, name: null, changedAt: null };
  const since = analysis.localNormAt ?? norm.proposedAt;
  if (!isInForce(norm) || norm.engineVersion !== analysis.engineVersion) {
    const { revokedAt } = norm;
    return {
      method,
      name: null,
      changedAt: revokedAt !== null && revokedAt > since ? revokedAt : since,
    };
  }
  return {
    method: { ...method, localNorms: localNormsOf(norm.norms, method.hasOpinion) },
    name: {
      scanner: norm.scanner,
      controls: norm.controls,
      accepted_at: norm.acceptedAt!,
      ...(norm.source === "routine" ? { source: "routine" as const, sites: norm.sites } : {}),
    },
    changedAt: since,
  };
}

/** {@link appliedFrom} of the stored columns. */
export async function appliedNorms(
  db: Database,
  analysis: NormedAnalysis | null,
): Promise<AppliedNorms> {
  return appliedFrom(analysis?.localNormId ? await listNorms(db) : [], analysis);
}

/**
 * The norm in force for results of a scanner, protocol and engine version: the newest of the
 * scanner, else of the site.
 */
export function normFor(
  norms: readonly StoredNorm[],
  scanner: string,
  protocol: string,
  engineVersion: string | null,
): StoredNorm | null {
  const fitting = norms.filter((norm) =>
    isInForce(norm) && norm.engineVersion === engineVersion &&
    (norm.protocol === null || norm.protocol === protocol)
  )
    .sort((a, b) => b.acceptedAt!.localeCompare(a.acceptedAt!) || b.id - a.id);
  return fitting.find((norm) => norm.scanner !== null && isSameScanner(norm.scanner, scanner)) ??
    fitting.find((norm) => norm.scanner === null) ?? null;
}

/** The number of the local norm that a new result of a series is read with; `null`: none. */
export async function normOfNew(
  services: ServiceContext,
  seriesId: number,
  engineVersion: string,
): Promise<number | null> {
  const norms = (await listNorms(services.db)).filter(isInForce);
  if (norms.length === 0) return null;
  const protocol = norms.some((norm) => norm.protocol !== null)
    ? await protocolOfStored(services, seriesId)
    : "";
  const norm = normFor(norms, await scannerOf(services, seriesId), protocol, engineVersion);
  if (!norm) {
    services.log("info", "No local norms of this engine version", { engine: engineVersion });
  }
  return norm?.id ?? null;
}
