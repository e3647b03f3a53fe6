/**
 * Queues results for remote systems when an analysis is complete, and after every change.
 * Which changes affect which results is defined in model/report/corrected_results.ts.
 */
import { isChangedBy, isOutdatedBy, QUIET_MINUTES } from "@/model/report/corrected_results.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import {
  countOutbox,
  currentRuns,
  currentRunsOf,
  insertOutbox,
  type OutboxEntry,
  type OutboxKey,
  outboxOf,
  renewOutbox,
  withdrawOutbox,
} from "@/server/core/connections/storage/outbox.ts";
import {
  changeInstants,
  changeInstantsOf,
  countQueued,
  listPending,
  type StoredChange,
  writeChange,
  writeChanges,
  writeQueued,
} from "@/server/core/connections/storage/result_changes.ts";
import { routedPeers } from "@/server/core/connections/service/inbox/routing.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import type { Database } from "@/server/core/database/database.ts";
import { instantOf, laterThan } from "@/server/core/reading/service/corrected.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { isDemoPatient } from "@/server/core/site/service/demo_patients.ts";
import { findAnalyses } from "@/server/core/analyses/storage/analyses.ts";
import {
  findPatient,
  listAnalysisIds,
  type StoredPatient,
} from "@/server/core/studies/storage/patients.ts";

/** Delay between a change of results and sending, in case further changes follow. */
const QUIET_MS = 60_000 * QUIET_MINUTES;
/**
 * Maximum number of studies queued per minute after a change of many studies, because a hospital
 * archive stores their results besides its daily work. 5,000 studies take 14 hours.
 */
export const STUDIES_PER_MINUTE = 6;
const MINUTE_MS = 60_000;
/** Number of waiting results of every remote system at which no further studies are queued. */
const MAX_WAITING = 50;
/** Maximum number of changed studies examined per pass, most of which may have no sent results. */
const LOOKED_AT = 200;

/** Remote systems that receive results of each study, with the kinds that each receives. */
async function receiversOf(
  tx: Database,
  pids: readonly number[],
): Promise<(pid: number) => { peerId: number; kind: ResultKind }[]> {
  const routedIds = await routedPeers(tx, pids), peers = await knownPeers(tx);
  return (pid) =>
    peers.flatMap(({ id: peerId, config }) =>
      config.by_rule && !routedIds(pid).includes(peerId)
        ? []
        : config.results.map((kind) => ({ peerId, kind }))
    );
}

/**
 * Queues the results of a study for every remote system that receives results.
 * No results of a demo patient: a hospital's archive would keep the demo patient as a person.
 * Call this function in the transaction that completes the analysis,
 * or with `changed` in the transaction that changes this kind of result.
 */
export async function queueResults(tx: Database, pid: number, changed?: ResultKind): Promise<void> {
  const patient = await findPatient(tx, pid);
  if (!patient || await isDemoPatient(tx, pid)) return;
  const runs = await currentRuns(tx, pid, patient.analysisId);
  const chosen = (await receiversOf(tx, [pid]))(pid).filter(({ kind }) =>
    changed === undefined || kind === changed
  );
  await insertOutbox(
    tx,
    chosen.map((receiver) => ({ ...receiver, pid, run: runs(receiver.kind) })),
    nowIso(),
  );
  // key images that were chosen before the study had results have not been sent yet
  const kind = changed ?? "key_images";
  await renewOutbox(tx, { pid, run: runs(kind), kind });
}

type Receiver = Pick<OutboxEntry, "peerId" | "kind">;
const keyOf = ({ peerId, kind }: Receiver) => `${peerId} ${kind}`;

/** Remote systems that received, or wait for, a changed kind of result, by system and kind. */
function receiversAgain(
  entries: readonly OutboxEntry[],
  receivers: readonly Receiver[],
): Map<string, Receiver> {
  const keys = new Set(entries.map(keyOf)), chosen = new Map<string, Receiver>();
  for (const receiver of receivers) {
    if (keys.has(keyOf(receiver))) chosen.set(keyOf(receiver), receiver);
  }
  // waiting and running entries are renewed even if the system should no longer receive the kind
  for (const entry of entries) {
    if (entry.state === "waiting" || entry.state === "sending") chosen.set(keyOf(entry), entry);
  }
  return chosen;
}

/**
 * Queues changed kinds of results for every remote system that received or waits for an earlier
 * version. Results that failed before are retried, because their content is new.
 * @param dueMs Time of the first attempt to send the results.
 * @returns pids of the studies with added outbox entries.
 */
async function queueChanged(
  tx: Database,
  pids: readonly number[],
  isChanged: (kind: string) => boolean,
  dueMs: number,
): Promise<number[]> {
  const entries = (await outboxOf(tx, ...pids)).filter(({ kind }) => isChanged(kind));
  const byPid = Map.groupBy(entries, ({ pid }) => pid);
  if (entries.length === 0) return [];
  const studies = await listAnalysisIds(tx, [...byPid.keys()]);
  const runs = await currentRunsOf(tx, studies), receivers = await receiversOf(tx, pids);
  const added: OutboxKey[] = [], withdrawn: number[] = [], queued: number[] = [];
  for (const pid of studies.keys()) {
    const own = byPid.get(pid)!, chosen = receiversAgain(own, receivers(pid)), run = runs(pid);
    const waiting = own.filter(({ state }) => state === "waiting");
    withdrawn.push(...waiting.map(({ id }) => id));
    for (const { peerId, kind } of chosen.values()) {
      added.push({ peerId, pid, kind, run: run(kind) });
    }
    const waitingKeys = new Set(waiting.map(keyOf));
    if ([...chosen.keys()].some((key) => !waitingKeys.has(key))) queued.push(pid);
  }
  await withdrawOutbox(tx, withdrawn, null);
  await insertOutbox(tx, added, new Date(dueMs).toISOString(), dueMs);
  return queued;
}

/**
 * Queues results affected by a user's correction, sent after some minutes without corrections.
 * Call this function in the transaction that stores the correction, after recomputing the results.
 * @returns whether outbox entries were added.
 */
export const queueCorrected = async (
  tx: Database,
  pid: number,
  series: SeriesKind,
): Promise<boolean> => {
  const dueMs = Date.now() + QUIET_MS;
  return (await queueChanged(tx, [pid], (kind) => isChangedBy(series, kind), dueMs)).length > 0;
};

/**
 * Queues results that contain the physician's text, to be sent at once.
 * Call this function in the transaction that signs a text or withdraws a signature.
 * @returns whether outbox entries were added.
 */
export const queueSigned = async (tx: Database, pid: number): Promise<boolean> =>
  (await queueChanged(tx, [pid], (kind) => isOutdatedBy("signature", kind), Date.now())).length > 0;

/** All times at which a study's results were measured, corrected, signed or changed, ISO 8601. */
async function instantsOf(
  tx: Database,
  studies: readonly (readonly [number, StoredPatient["analysisId"]])[],
): Promise<Map<number, string[]>> {
  const changes = await changeInstantsOf(tx, studies.map(([pid]) => pid));
  const ids = studies.flatMap(([, { t1, t2 }]) => [t1, t2]);
  const analyses = await findAnalyses(tx, ids.filter((id) => id !== null));
  const byId = new Map(analyses.map((analysis) => [analysis.id, instantOf(analysis)]));
  return new Map(studies.map(([pid, { t1, t2 }]) => {
    const measured = [t1, t2].flatMap((id) => id === null ? [] : byId.get(id) ?? []);
    return [pid, [...changes(pid).values(), ...measured]];
  }));
}

/**
 * Records a change of a study and queues the results that the change affects;
 * the results are sent after a period without further changes.
 * Call this function in the transaction of the change. Ignores studies without an analysis.
 * @returns whether outbox entries were added.
 */
export const queueChange = async (
  tx: Database,
  pid: number,
  cause: StoredChange,
): Promise<boolean> => (await queueChanges(tx, [pid], cause)).length > 0;

/** {@link queueChange} for several studies. @returns pids of studies with added entries. */
export async function queueChanges(
  tx: Database,
  pids: readonly number[],
  cause: StoredChange,
): Promise<number[]> {
  const studies = [...await listAnalysisIds(tx, pids)].filter(([, { t1, t2 }]) =>
    (t1 ?? t2) !== null
  );
  if (studies.length === 0) return [];
  const changes = [...await instantsOf(tx, studies)]
    .map(([pid, instants]) => ({ pid, cause, at: laterThan(instants) }));
  await writeChange(tx, ...changes);
  const analysed = changes.map(({ pid }) => pid), dueMs = Date.now() + QUIET_MS;
  return await queueChanged(tx, analysed, (kind) => isOutdatedBy(cause, kind), dueMs);
}

/**
 * Queues results of studies if their comparison with other visits exists again after withdrawal.
 * Call this function in the transaction that stores the comparison.
 */
export async function queueComparedAgain(tx: Database, pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    if ((await changeInstants(tx, pid)).has("visits")) await queueChange(tx, pid, "visits");
  }
}

/**
 * Records a change in the results of many studies, which {@link queuePending} queues gradually.
 * Call this function in the transaction of the change.
 */
export const noteChanges = (
  tx: Database,
  pids: readonly number[],
  cause: StoredChange,
): Promise<void> => writeChanges(tx, { pids, cause, at: nowIso() });

/** Queues the results of one study after a pending change. @returns whether entries were added. */
async function queueNext(
  tx: Database,
  { pid, cause, at }: Awaited<ReturnType<typeof listPending>>[number],
  nowMs: number,
): Promise<boolean> {
  const instants = (await instantsOf(tx, [...await listAnalysisIds(tx, [pid])])).get(pid) ?? [];
  // the change must have the latest time, or the results would count as sent already
  const instant = instants.some((changedAt) => changedAt > at) ? laterThan(instants) : at;
  await writeQueued(tx, { pid, cause, at: instant }, null);
  const queued = await queueChanged(tx, [pid], (kind) => isOutdatedBy(cause, kind), nowMs);
  const isQueued = queued.length > 0;
  if (isQueued) await writeQueued(tx, { pid, cause, at: instant }, nowMs);
  return isQueued;
}

/**
 * Queues results with pending changes: at most {@link STUDIES_PER_MINUTE} studies per minute for
 * all servers, and none while {@link MAX_WAITING} results are waiting for every remote system.
 * Pending changes are stored in the database, so that a restarted server continues with them.
 */
export async function queuePending({ db, publish }: ServiceContext): Promise<void> {
  // most calls end here, after one indexed query
  if ((await listPending(db, 1)).length === 0) return;
  const peers = await knownPeers(db), counts = await countOutbox(db);
  const waitingFor = (peerId: number) =>
    counts.filter((count) => count.peerId === peerId && count.state === "waiting")
      .reduce((sum, { count }) => sum + count, 0);
  if (peers.length > 0 && peers.every(({ id }) => waitingFor(id) >= MAX_WAITING)) return;
  const queued = await db.transaction().execute(async (tx) => {
    const nowMs = Date.now(), pids: number[] = [];
    const free = STUDIES_PER_MINUTE - await countQueued(tx, { nowMs, withinMs: MINUTE_MS });
    for (const change of free > 0 ? await listPending(tx, LOOKED_AT) : []) {
      if (await queueNext(tx, change, nowMs)) pids.push(change.pid);
      if (pids.length >= free) break;
    }
    return pids;
  });
  for (const pid of queued) publish({ event: "study_sent", pid });
}
