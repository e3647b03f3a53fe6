import { localNormsOf } from "@/model/norms/local_norms.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { measureCount, tableAges, tableNormsOf } from "@/model/norms/imported/table.ts";
import { type Method, methodOf } from "@/model/norms/percentile_rank.ts";
import type { LocalNormName } from "@/model/schema/studies/study.ts";
import type { NormedAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listNorms, type StoredNorm } from "@/server/core/norms/storage/local_norms.ts";
import {
  isInForce as isAccepted,
  listAcceptances,
  signedLastFirst,
  type StoredAcceptance,
} from "@/server/core/norms/storage/acceptances.ts";
import { isWithholding, listStops, type StoredStop } from "@/server/core/norms/storage/stops.ts";
import { isUnread, stopsOf } from "@/server/core/norms/service/stopped_results.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import {
  isSameScanner,
  protocolOfStored,
  scannerOf,
} from "@/server/core/studies/service/scanners.ts";

/** Norms applied to a result. */
export interface AppliedNorms {
  method: Method;
  /** name of the local norms in `method`; `null`: only published norms are applied */
  name: LocalNormName | null;
  /** time at which the norms for the result last changed; `null`: never since the analysis */
  changedAt: string | null;
}

/** Whether local norms were accepted and are not revoked. */
export const isInForce = ({ acceptedAt, revokedAt }: StoredNorm): boolean =>
  acceptedAt !== null && revokedAt === null;

/** Whether local norms were made for results of an engine version. */
export const isForEngine = ({ engineVersion }: StoredNorm, version: string | null): boolean =>
  engineVersion === "" || engineVersion === version;

/** A method in which the given local norms replace the former ones. */
export const methodWith = (
  { tableNorms: _, ...method }: Method,
  { norms, table }: StoredNorm,
): Method =>
  table
    ? { ...method, localNorms: null, tableNorms: tableNormsOf(table) }
    : { ...method, localNorms: localNormsOf(norms, method.hasOpinion) };

/** Name by which reports cite accepted norms. */
function nameOf({ scanner, controls, acceptedAt, source, sites, table }: StoredNorm) {
  const name: LocalNormName = { scanner, controls, accepted_at: acceptedAt! };
  if (source === "routine") return { ...name, source, sites };
  if (!table) return name;
  const { from, to } = tableAges(table), { title, source: cited } = table;
  return {
    ...name,
    source: "table" as const,
    table: {
      title,
      source: cited,
      measures: measureCount(table),
      age_from: from,
      age_to: to,
      by_icv: table.curves.some(({ icvsMl }) => icvsMl.length > 0),
    },
  };
}

/** Stops and acceptance tests, by which the site decides about scanners. */
export interface ScannerRules {
  stops: readonly StoredStop[];
  tests: readonly StoredAcceptance[];
}
export const NO_RULES: ScannerRules = { stops: [], tests: [] };

export const readRules = async (db: Database): Promise<ScannerRules> => ({
  stops: await listStops(db),
  tests: await listAcceptances(db),
});

/** Scanner, protocol and engine version of results, for which a scanner is accepted. */
export interface TestedPlace {
  scanner: string | null;
  protocol: string | null;
  engineVersion: string | null;
}

/**
 * Tests of a scanner and protocol, the one signed last first. The first signature decides: a second
 * signature may be given to an older test later.
 */
const testsOfScanner = (
  tests: readonly StoredAcceptance[],
  { scanner, protocol }: Pick<TestedPlace, "scanner" | "protocol">,
): StoredAcceptance[] =>
  tests.filter((test) =>
    scanner !== null && test.protocol === protocol && isSameScanner(test.scanner, scanner)
  ).toSorted(signedLastFirst);

/** Tests of a scanner, protocol and engine version that are in force, the one signed last first. */
const testsInForce = (
  tests: readonly StoredAcceptance[],
  place: TestedPlace,
): StoredAcceptance[] =>
  testsOfScanner(tests, place).filter((test) =>
    isAccepted(test) && test.engineVersion === place.engineVersion
  );

/**
 * Decision about a scanner with a protocol and engine version: of the tests with both signatures,
 * the one with the newest first signature counts. `null`: no decision is in force.
 */
export const decisionInForce = (
  tests: readonly StoredAcceptance[],
  place: TestedPlace,
): StoredAcceptance["decision"] => testsInForce(tests, place)[0]?.decision ?? null;

/** Norms of a result; `null`: the published norms alone. */
type ResultNorm = Pick<StoredNorm, "id" | "acceptedAt"> | null;

/** Whether a test compared results by these norms. */
export const isTestedWith = (
  { norms, startedAt }: Pick<StoredAcceptance, "norms" | "startedAt">,
  norm: ResultNorm,
): boolean =>
  norms === null
    ? norm === null || norm.acceptedAt! <= startedAt
    : norms.published === NORMS_NAME && norms.local.includes(norm?.id ?? null);

/**
 * Whether a scanner, protocol and engine version are accepted for percentiles by the given norms: a
 * test accepts only norms with which its results were compared. All other percentiles are marked,
 * also at a site without any test. A newer decision against percentiles ends older acceptances.
 */
export function isAcceptedForPercentiles(
  tests: readonly StoredAcceptance[],
  place: TestedPlace,
  norm: ResultNorm,
): boolean {
  const inForce = testsInForce(tests, place);
  const end = inForce.findIndex(({ decision }) => decision !== "percentiles");
  return inForce.slice(0, end < 0 ? inForce.length : end).some((test) => isTestedWith(test, norm));
}

/** Whether a newer test compared results by all norms of an older one that can still be applied. */
function coversNorms(newer: StoredAcceptance, older: StoredAcceptance): boolean {
  if (newer.norms === null || older.norms === null) return newer.norms === null;
  const { published, local } = newer.norms;
  return older.norms.published !== NORMS_NAME ||
    published === NORMS_NAME && older.norms.local.every((id) => local.includes(id));
}

/**
 * The test with a newer first signature that replaces a test of the same scanner, protocol and
 * engine version; `null`: none. A test that waits for its second signature is replaced by any newer
 * signed test, so that no older decision takes effect later. A test in force is replaced by a newer
 * one in force, unless both accept percentiles, by different norms.
 */
export function replacementOf(
  tests: readonly StoredAcceptance[],
  test: StoredAcceptance,
): StoredAcceptance | null {
  if (test.signedAt === null || test.revokedAt !== null) return null;
  const isPending = test.countersignedAt === null;
  return testsOfScanner(tests, test).find((other) =>
    other.signedAt !== null && other.revokedAt === null &&
    other.engineVersion === test.engineVersion && signedLastFirst(other, test) < 0 &&
    (isPending || isAccepted(other) &&
        (test.decision !== "percentiles" || other.decision !== "percentiles" ||
          coversNorms(other, test)))
  ) ?? null;
}

/**
 * Test by which two people have refused percentiles of a result's scanner and protocol; `null`: not
 * refused. Without a test of the result's engine version the newest of any version decides: an
 * update does not lift a refusal.
 */
export function refusalOf(
  tests: readonly StoredAcceptance[],
  place: TestedPlace,
): StoredAcceptance | null {
  const test = testsInForce(tests, place)[0] ??
    testsOfScanner(tests, place).find(isAccepted) ?? null;
  return test?.decision === "percentiles" ? null : test;
}

/** Times since which a refusal may have withheld percentiles of a scanner, or shown them again. */
function refusalChanges(tests: readonly StoredAcceptance[], place: TestedPlace): string[] {
  const signed = testsOfScanner(tests, place).filter((test) => test.countersignedAt !== null);
  const first = signed.filter(({ decision }) => decision !== "percentiles")
    .map(({ countersignedAt }) => countersignedAt!).sort()[0];
  return first === undefined
    ? []
    : signed.flatMap((test) => [test.countersignedAt!, test.revokedAt ?? first])
      .filter((at) => at >= first);
}

/**
 * Norms with which a result is compared: no percentiles for a scanner that is stopped or for which
 * they are refused, and marked percentiles for a scanner that is not accepted.
 */
export function appliedFrom(
  norms: readonly StoredNorm[],
  analysis: NormedAnalysis | null,
  { stops, tests }: ScannerRules,
): AppliedNorms {
  const applied = appliedNormsOf(norms, analysis);
  if (!analysis) return applied;
  const { acquisition, engineVersion } = analysis, own = stopsOf(stops, acquisition);
  const place = { ...acquisition, engineVersion };
  const isForPercentiles = isAcceptedForPercentiles(tests, place, normOf(norms, analysis));
  const refusal = refusalOf(tests, place), isStopped = own.some(isWithholding);
  const instants = [
    applied.changedAt ?? "",
    ...own.map((stop) => stop.changedAt),
    ...refusalChanges(tests, place),
  ];
  const method: Method = {
    ...applied.method,
    ...isStopped && { isStopped: true },
    ...isUnread(stops, acquisition) && { isStopped: true, isUnread: true },
    // a scanner may be both stopped and refused: the stop is then the printed reason
    ...refusal && !isStopped && { isStopped: true, isRefused: true },
    ...refusal?.decision === "none" && { isWithoutVolumes: true },
    ...!isForPercentiles && { isUnaccepted: true },
  };
  return { ...applied, changedAt: instants.sort().at(-1) || null, method };
}

/** Local norms that are in force for a result. */
export function normOf(
  norms: readonly StoredNorm[],
  { localNormId, engineVersion }: Pick<NormedAnalysis, "localNormId" | "engineVersion">,
): StoredNorm | null {
  const norm = norms.find(({ id }) => id === localNormId);
  return norm && isInForce(norm) && isForEngine(norm, engineVersion) ? norm : null;
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
  if (!isInForce(norm) || !isForEngine(norm, analysis.engineVersion)) {
    const { revokedAt } = norm;
    return {
      method,
      name: null,
      changedAt: revokedAt !== null && revokedAt > since ? revokedAt : since,
    };
  }
  return {
    method: methodWith(method, norm),
    name: nameOf(norm),
    changedAt: since,
  };
}

/** Reads norms and rules from the database for {@link appliedFrom}. */
export const appliedNorms = async (
  db: Database,
  analysis: NormedAnalysis | null,
): Promise<AppliedNorms> => (await readAppliedNorms(db, analysis ? [analysis] : []))(analysis);

/** Reads norms and scanner rules once, for {@link appliedNorms} of several results. */
export async function readAppliedNorms(
  db: Database,
  analyses: readonly NormedAnalysis[],
): Promise<(analysis: NormedAnalysis | null) => AppliedNorms> {
  const norms = analyses.some(({ localNormId }) => localNormId) ? await listNorms(db) : [];
  const rules = analyses.length > 0 ? await readRules(db) : NO_RULES;
  return (analysis) => appliedFrom(norms, analysis, analysis ? rules : NO_RULES);
}

/** Columns of an analysis that determine when the norms of its result last changed. */
type NormColumns = Omit<NormedAnalysis, "results">;

/**
 * Reads norms and scanner rules once, to determine when the norms of several results last changed.
 * @returns time of the last change for a result, as `changedAt` of {@link appliedNorms}
 */
export async function readNormChanges(
  db: Database,
  analyses: readonly NormColumns[],
): Promise<(analysis: NormColumns | null) => string | null> {
  const norms = analyses.some(({ localNormId }) => localNormId) ? await listNorms(db) : [];
  const rules = analyses.length > 0 ? await readRules(db) : NO_RULES;
  return (analysis) =>
    appliedFrom(norms, analysis && { ...analysis, results: null }, rules).changedAt;
}

/**
 * Accepted norms for results of a scanner, protocol and engine version:
 * the newest of the scanner, otherwise the newest of the whole site.
 */
export function normFor(
  norms: readonly StoredNorm[],
  scanner: string,
  protocol: string,
  engineVersion: string | null,
): StoredNorm | null {
  const fitting = norms.filter((norm) =>
    isInForce(norm) && isForEngine(norm, engineVersion) &&
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
  const { stops, tests } = await readRules(services.db);
  const hasRules = stops.length > 0 || tests.length > 0;
  // a stop of the scanner applies only to a result with a known scanner, so the header is read
  if (hasRules) await scannerOf(services, seriesId);
  const protocol = hasRules || norms.some((norm) => norm.protocol !== null)
    ? await protocolOfStored(services, seriesId)
    : "";
  if (norms.length === 0) return null;
  const norm = normFor(norms, await scannerOf(services, seriesId), protocol, engineVersion);
  if (!norm) {
    services.log("info", "No local norms of this engine version", { engine: engineVersion });
  }
  return norm?.id ?? null;
}
