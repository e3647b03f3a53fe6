import { errorOf, type Method, methodOf, PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import { AppError } from "@/model/errors.ts";
import {
  LOCAL_MEASURES,
  type MeasureName,
  MIN_CONTROLS,
  type NormValues,
  proposalOf,
  summaryOf,
} from "@/model/norms/local_norms.ts";
import type { LocalNormItem, NormsResponse, NormSummary } from "@/model/schema/report/norms.ts";
import { findNewestEngine } from "@/server/core/analyses/storage/analyses.ts";
import {
  acceptNorm as accept,
  findNorm,
  insertNorm,
  listControls,
  listNorms,
  listPidsWith,
  revokeNorm as revoke,
  type StoredNorm,
} from "@/server/core/norms/storage/local_norms.ts";
import { listUsers } from "@/server/core/accounts/storage/users.ts";
import { noteChanges } from "@/server/core/connections/service/result_queue.ts";
import { checkSecondSigner } from "@/server/core/site/service/audit/second_signer.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { controlList, publishedZ, readControls } from "@/server/core/norms/service/controls.ts";
import { refreshDrift } from "@/server/core/norms/service/routine_drift.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { isSameScanner, scannersOf } from "@/server/core/studies/service/scanners.ts";

/** With more changed studies than this, pages are notified to reload their whole list. */
const MAX_NOTIFIED = 200;

function itemOf(
  norm: StoredNorm,
  users: ReadonlyMap<number, string>,
  caller: Caller,
): LocalNormItem {
  const nameOf = (id: number | null) => id === null ? null : users.get(id) ?? null;
  return {
    id: norm.id,
    scanner: norm.scanner,
    protocol: norm.protocol,
    source: norm.source,
    sites: norm.sites,
    engine_version: norm.engineVersion,
    controls: norm.controls,
    title: norm.title,
    state: norm.revokedAt !== null ? "revoked" : norm.acceptedAt !== null ? "accepted" : "proposed",
    proposed_at: norm.proposedAt,
    proposed_by: nameOf(norm.proposedBy),
    is_own: norm.proposedBy === caller.uid,
    accepted_at: norm.acceptedAt,
    accepted_by: nameOf(norm.acceptedBy),
    revoked_at: norm.revokedAt,
    revoked_by: nameOf(norm.revokedBy),
  };
}

/**
 * Control studies with their scanners, and all local norms. @throws {AppError} `access.forbidden`.
 */
export async function getNorms(services: ServiceContext, caller: Caller): Promise<NormsResponse> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const controls = await controlList(services);
  const users = new Map((await listUsers(db)).map(({ id, email }) => [id, email]));
  const scanners = new Map(
    controls.flatMap(({ scanner }) => scanner === null ? [] : [[scanner.toLowerCase(), scanner]]),
  );
  return {
    controls,
    scanners: [...scanners.values()].sort(),
    norms: (await listNorms(db)).map((norm) => itemOf(norm, users, caller)),
    engine_version: await findNewestEngine(db),
  };
}

/** Statistics of a scanner's controls, and the values of norms proposed from them. */
interface Measured {
  summary: NormSummary;
  values: NormValues;
}

async function measure(services: ServiceContext, scanner: string | null): Promise<Measured> {
  const byEngine = new Map<string, Map<MeasureName, number>[]>();
  const methods = new Map<string, Method>();
  for await (const batch of readControls(services, await listControls(services.db))) {
    const scanners = await scannersOf(
      services,
      batch.flatMap(({ patient }) => patient.seriesId.t1 ?? []),
    );
    for (const { patient, results, engineVersion, problem } of batch) {
      const ownScanner = scanners.get(patient.seriesId.t1 ?? 0) ?? "";
      if (problem || !results || engineVersion === null) continue;
      if (scanner !== null && !isSameScanner(ownScanner, scanner)) continue;
      const measured = byEngine.get(engineVersion) ?? [];
      const method = methodOf(results), known = methods.get(engineVersion);
      if (!known?.hasOpinion) methods.set(engineVersion, method);
      byEngine.set(engineVersion, [...measured, publishedZ(patient, results)]);
    }
  }
  // engine version that measured most controls; of several the newest
  const [engine, controls] =
    [...byEngine].sort(([a, x], [b, y]) =>
      y.length - x.length || b.localeCompare(a, "en", { numeric: true })
    )[0] ?? [null, []];
  const measuredCount = [...byEngine.values()].reduce((sum, some) => sum + some.length, 0);
  const values: Record<string, NormValues[string]> = {};
  const regions = LOCAL_MEASURES.flatMap(({ measure, key, name }) => {
    const summary = summaryOf(controls.flatMap((z) => z.get(name) ?? []));
    if (!summary) return [];
    const value = proposalOf(summary);
    const bias = errorOf(measure, key, methods.get(engine ?? "") ?? PLAIN_METHOD)?.bias ?? 0;
    if (value) values[name] = { ...value, bias };
    const { meanLow, meanHigh, sdLow, sdHigh, ...rest } = summary;
    return [{
      measure,
      key,
      mean_low: meanLow,
      mean_high: meanHigh,
      sd_low: sdLow,
      sd_high: sdHigh,
      ...rest,
    }];
  });
  return {
    summary: {
      scanner,
      engine_version: engine,
      controls: controls.length,
      other_engine: measuredCount - controls.length,
      regions,
    },
    values,
  };
}

/**
 * z scores of the controls by the published norms, by region.
 * @param scanner Scanner name as in {@link getNorms}; `null`: all scanners of the site.
 * @throws {AppError} `access.forbidden`.
 */
export async function getSummary(
  services: ServiceContext,
  scanner: string | null,
  caller: Caller,
): Promise<NormSummary> {
  await checkMaintenance(services.db, caller);
  return (await measure(services, scanner)).summary;
}

/**
 * Proposes local norms from controls; they take effect when another user accepts them.
 * @throws {AppError} `norm.too_few_controls`, `access.forbidden`.
 */
export async function proposeNorm(
  services: ServiceContext,
  scanner: string | null,
  caller: Caller,
): Promise<{ id: number }> {
  await checkMaintenance(services.db, caller);
  const { summary: { controls, engine_version }, values } = await measure(services, scanner);
  if (controls < MIN_CONTROLS || engine_version === null) {
    throw new AppError("norm.too_few_controls", "Cannot propose local norms: too few controls", {
      n: controls,
      needed: MIN_CONTROLS,
    });
  }
  const id = await insertNorm(services.db, {
    scanner,
    engineVersion: engine_version,
    controls,
    norms: values,
    proposedAt: nowIso(),
    proposedBy: caller.uid,
  });
  return { id };
}

/** Finds a local norm. @throws {AppError} `entity.not_found`. */
export async function mustFindNorm(
  { db }: Pick<ServiceContext, "db">,
  id: number,
): Promise<StoredNorm> {
  const norm = await findNorm(db, id);
  if (!norm) {
    throw new AppError("entity.not_found", `Cannot find local norms ${id}: no such number`);
  }
  return norm;
}

/**
 * Accepts proposed local norms, which then apply to new results of their scanner.
 * @throws {AppError} as {@link checkSecondSigner}, `norm.not_open`,
 * `entity.not_found`, `access.forbidden`.
 */
export async function acceptNorm(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(services.db, caller);
  const { proposedBy, proposedAt, acceptedAt, revokedAt } = await mustFindNorm(services, id);
  if (acceptedAt === null && revokedAt === null) {
    const first = { userId: proposedBy, since: proposedAt };
    await checkSecondSigner(services.db, "norm", first, caller);
  }
  if (!await accept(services.db, id, { userId: caller.uid, at: nowIso() })) {
    throw new AppError(
      "norm.not_open",
      "Cannot accept local norms: they are accepted or undone already",
    );
  }
  await refreshDrift(services);
}

/** Notifies pages that show the given studies to reload them. */
export async function publishNormChange(
  { db, publish }: ServiceContext,
  pids: readonly number[],
  caller: Caller,
): Promise<void> {
  if (pids.length === 0) return;
  for (const pid of pids) await refreshFindings(db, [pid]);
  if (pids.length > MAX_NOTIFIED) publish({ event: "resync" });
  else for (const pid of pids) publish({ event: "study_update", pid, uid: caller.uid });
  publish({ event: "setting_update", scope: "group", uid: caller.uid });
}

/**
 * Revokes proposed or accepted local norms: all results immediately return to the earlier norms.
 * @returns studies to which the revoked norms were applied.
 * @throws {AppError} `norm.not_open` for revoked norms, `entity.not_found`, `access.forbidden`.
 */
export async function revokeNorm(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<number[]> {
  await checkMaintenance(services.db, caller);
  await mustFindNorm(services, id);
  const pids = await services.db.transaction().execute(async (tx) => {
    if (!await revoke(tx, id, { userId: caller.uid, at: nowIso() })) {
      throw new AppError("norm.not_open", "Cannot undo local norms: they are undone already");
    }
    const normedPids = await listPidsWith(tx, id);
    await noteChanges(tx, normedPids, "norms");
    return normedPids;
  });
  await refreshDrift(services);
  await publishNormChange(services, pids, caller);
  return pids;
}
