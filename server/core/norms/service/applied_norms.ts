import { localNormsOf } from "@/model/norms/local_norms.ts";
import { type Method, methodOf } from "@/model/norms/percentile_rank.ts";
import type { LocalNormName } from "@/model/schema/studies/study.ts";
import type { Acquisition, NormedAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listNorms, type StoredNorm } from "@/server/core/norms/storage/local_norms.ts";
import { isWithholding, listStops, type StoredStop } from "@/server/core/norms/storage/stops.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import {
  isSameScanner,
  protocolOfStored,
  scannerOf,
} from "@/server/core/studies/service/scanners.ts";

/** Norms applied to a result. */
export interface AppliedNorms {
  method: Method;
  /** name of the local norms in `method`; `null`: only published norms */
  name: LocalNormName | null;
  /** time when the norms applied to the result last changed; `null`: not since the analysis */
  changedAt: string | null;
}

/** Whether a norm was accepted and not revoked. */
export const isInForce = ({ acceptedAt, revokedAt }: StoredNorm): boolean =>
  acceptedAt !== null && revokedAt === null;

/** Stops that concern a result, whether its percentiles are still withheld or given again. */
const stopsOf = (stops: readonly StoredStop[], { scanner, protocol, studyDate }: Acquisition) =>
  stops.filter((stop) =>
    scanner !== null && isSameScanner(stop.scanner, scanner) && stop.protocol === protocol &&
    (stop.since === null || studyDate === null || studyDate >= stop.since)
  );

/** Norms that a result is read with; no percentile where its scanner is stopped. */
export function appliedFrom(
  norms: readonly StoredNorm[],
  analysis: NormedAnalysis | null,
  stops: readonly StoredStop[],
): AppliedNorms {
  const applied = appliedNormsOf(norms, analysis);
  const own = analysis ? stopsOf(stops, analysis.acquisition) : [];
  if (own.length === 0) return applied;
  const changedAt = [applied.changedAt ?? "", ...own.map((stop) => stop.changedAt)].sort().at(-1)!;
  return {
    ...applied,
    changedAt,
    method: own.some(isWithholding) ? { ...applied.method, isStopped: true } : applied.method,
  };
}

/** Norms of a result; revoked norms, and those for another engine version, are not applied. */
function appliedNormsOf(
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
  const norms = analysis?.localNormId ? await listNorms(db) : [];
  return appliedFrom(norms, analysis, analysis ? await listStops(db) : []);
}

/** Columns that say when the norms of a result last changed. */
type NormColumns = Omit<NormedAnalysis, "results">;

/**
 * Reads once what decides when the norms of results last changed.
 * @returns time of the last change for a result, as `changedAt` of {@link appliedNorms}
 */
export async function readNormChanges(
  db: Database,
  analyses: readonly NormColumns[],
): Promise<(analysis: NormColumns | null) => string | null> {
  const norms = analyses.some(({ localNormId }) => localNormId) ? await listNorms(db) : [];
  const stops = analyses.length > 0 ? await listStops(db) : [];
  return (analysis) =>
    appliedFrom(norms, analysis && { ...analysis, results: null }, stops).changedAt;
}

/**
 * Norm in force for results of a scanner, protocol and engine version: the newest one of the
 * scanner, otherwise of the site.
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

/** Id of the local norm for a new result of a series; `null`: none. */
export async function normOfNew(
  services: ServiceContext,
  seriesId: number,
  engineVersion: string,
): Promise<number | null> {
  const norms = (await listNorms(services.db)).filter(isInForce);
  const hasStops = (await listStops(services.db)).length > 0;
  // a result of an unread scanner would not be found by its stop
  if (hasStops) await scannerOf(services, seriesId);
  const protocol = hasStops || norms.some((norm) => norm.protocol !== null)
    ? await protocolOfStored(services, seriesId)
    : "";
  if (norms.length === 0) return null;
  const norm = normFor(norms, await scannerOf(services, seriesId), protocol, engineVersion);
  if (!norm) {
    services.log("info", "No local norms of this engine version", { engine: engineVersion });
  }
  return norm?.id ?? null;
}
