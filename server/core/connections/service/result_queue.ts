/**
 * Queues results for other systems: when an analysis is complete, and after every change.
 * Which changes affect which results: model/report/corrected_results.ts.
 */
import { isChangedBy, isOutdatedBy, QUIET_MINUTES } from "@/model/report/corrected_results.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import {
  countOutbox,
  currentRuns,
  insertOutbox,
  outboxOf,
  renewOutbox,
  withdrawOutbox,
} from "@/server/core/connections/storage/outbox.ts";
import {
  changeInstants,
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
import { findAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { findPatient, type StoredPatient } from "@/server/core/studies/storage/patients.ts";

/** Delay between a change and sending, in case further changes follow. */
const QUIET_MS = 60_000 * QUIET_MINUTES;
/**
 * Rate limit for a change of many studies, per minute: a hospital archive stores them in addition
 * to its daily work. 5,000 studies take 14 hours.
 */
export const STUDIES_PER_MINUTE = 6;
const MINUTE_MS = 60_000;
/** No further studies are queued while every system has this many waiting results. */
const MAX_WAITING = 50;
/** Maximum number of pending studies skipped per pass because nothing of them was sent. */
const LOOKED_AT = 200;

/** Systems that receive results of a study, with each kind that they receive. */
async function receiversOf(
  tx: Database,
  pid: number,
): Promise<{ peerId: number; kind: ResultKind }[]> {
  const routedIds = await routedPeers(tx, pid);
  return (await knownPeers(tx)).flatMap(({ id: peerId, config }) =>
    config.by_rule && !routedIds.includes(peerId)
      ? []
      : config.results.map((kind) => ({ peerId, kind }))
  );
}

/**
 * Queues the results of a study for every system that receives them; none of a demo patient, which
 * a hospital's archive would keep as a person.
 * Call it in the transaction that completes the analysis,
 * or with `changed` in the transaction that changes this kind of result.
 */
export async function queueResults(tx: Database, pid: number, changed?: ResultKind): Promise<void> {
  const patient = await findPatient(tx, pid);
  if (!patient || await isDemoPatient(tx, pid)) return;
  const runs = await currentRuns(tx, pid, patient.analysisId);
  const chosen = (await receiversOf(tx, pid)).filter(({ kind }) =>
    changed === undefined || kind === changed
  );
  await insertOutbox(
    tx,
    chosen.map((receiver) => ({ ...receiver, pid, run: runs(receiver.kind) })),
    nowIso(),
  );
  // key images chosen before there were results have not been sent yet
  const kind = changed ?? "key_images";
  await renewOutbox(tx, { pid, run: runs(kind), kind });
}

/**
 * Queues changed kinds of results for every system that received or is waiting for an earlier
 * state. Results that failed before are retried, because they are new.
 * @param dueMs Time of the first attempt.
 * @returns whether entries were added.
 */
async function queueChanged(
  tx: Database,
  pid: number,
  isChanged: (kind: string) => boolean,
  dueMs: number,
): Promise<boolean> {
  const entries = (await outboxOf(tx, pid)).filter(({ kind }) => isChanged(kind));
  const patient = entries.length > 0 ? await findPatient(tx, pid) : null;
  if (!patient) return false;
  const keyOf = ({ peerId, kind }: { peerId: number; kind: string }) => `${peerId} ${kind}`;
  const runs = await currentRuns(tx, pid, patient.analysisId), keys = new Set(entries.map(keyOf));
  const waiting = entries.filter(({ state }) => state === "waiting");
  const chosen = new Map<string, { peerId: number; kind: string }>();
  for (const receiver of await receiversOf(tx, pid)) {
    if (keys.has(keyOf(receiver))) chosen.set(keyOf(receiver), receiver);
  }
  // entries in progress are renewed even if the system should no longer receive such results
  for (const entry of entries) {
    if (entry.state === "waiting" || entry.state === "sending") chosen.set(keyOf(entry), entry);
  }
  const added = [...chosen.values()].map(({ peerId, kind }) => ({
    peerId,
    pid,
    kind,
    run: runs(kind),
  }));
  await withdrawOutbox(tx, waiting.map(({ id }) => id), null);
  await insertOutbox(tx, added, new Date(dueMs).toISOString(), dueMs);
  const waitingKeys = new Set(waiting.map(keyOf));
  return [...chosen.keys()].some((key) => !waitingKeys.has(key));
}

/**
 * Queues results affected by a correction; they are sent after a period without further
 * corrections. Call it in the transaction that changes strokes, after the results.
 * @returns whether entries were added.
 */
export const queueCorrected = (tx: Database, pid: number, series: SeriesKind): Promise<boolean> =>
  queueChanged(tx, pid, (kind) => isChangedBy(series, kind), Date.now() + QUIET_MS);

/**
 * Queues results with the physician's text, to be sent at once. Call it in the transaction that
 * signs a text or withdraws a signature.
 * @returns whether entries were added.
 */
export const queueSigned = (tx: Database, pid: number): Promise<boolean> =>
  queueChanged(tx, pid, (kind) => isOutdatedBy("signature", kind), Date.now());

/** All instants of a study's results (measured, corrected, signed, changed), ISO 8601. */
async function instantsOf(tx: Database, { row, analysisId }: StoredPatient): Promise<string[]> {
  const instants = [...(await changeInstants(tx, row.pid)).values()];
  for (const id of [analysisId.t1, analysisId.t2]) {
    const analysis = id === null ? null : await findAnalysis(tx, id);
    if (analysis) instants.push(instantOf(analysis));
  }
  return instants;
}

/**
 * Records a change of results and queues those that contain it;
 * they are sent after a period without further changes.
 * Call it in the transaction of the change. Studies without an analysis are ignored.
 * @returns whether entries were added.
 */
export async function queueChange(
  tx: Database,
  pid: number,
  cause: StoredChange,
): Promise<boolean> {
  const patient = await findPatient(tx, pid);
  if (!patient || (patient.analysisId.t1 ?? patient.analysisId.t2) === null) return false;
  await writeChange(tx, { pid, cause, at: laterThan(await instantsOf(tx, patient)) });
  return queueChanged(tx, pid, (kind) => isOutdatedBy(cause, kind), Date.now() + QUIET_MS);
}

/**
 * Queues results of studies whose comparison with other visits was withdrawn before and exists
 * again. Call it in the transaction that stores the comparison.
 */
export async function queueComparedAgain(tx: Database, pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    if ((await changeInstants(tx, pid)).has("visits")) await queueChange(tx, pid, "visits");
  }
}

/**
 * Records a change in the results of many studies, which {@link queuePending} queues gradually.
 * Call it in the transaction of the change.
 */
export const noteChanges = (
  tx: Database,
  pids: readonly number[],
  cause: StoredChange,
): Promise<void> => writeChanges(tx, { pids, cause, at: nowIso() });

/** Queues the results of one study with a pending change. @returns whether entries were added. */
async function queueNext(
  tx: Database,
  { pid, cause, at }: Awaited<ReturnType<typeof listPending>>[number],
  nowMs: number,
): Promise<boolean> {
  const patient = await findPatient(tx, pid);
  const instants = patient ? await instantsOf(tx, patient) : [];
  // the instant must be the latest: otherwise the run would not change and nothing would be sent
  const instant = instants.some((changedAt) => changedAt > at) ? laterThan(instants) : at;
  await writeQueued(tx, { pid, cause, at: instant }, null);
  const isQueued = await queueChanged(tx, pid, (kind) => isOutdatedBy(cause, kind), nowMs);
  if (isQueued) await writeQueued(tx, { pid, cause, at: instant }, nowMs);
  return isQueued;
}

/**
 * Queues results with pending changes: at most {@link STUDIES_PER_MINUTE} studies per minute for
 * all servers of the site together, and none while every system has {@link MAX_WAITING} results
 * waiting. Pending changes are stored, so a restart continues with them.
 */
export async function queuePending({ db, publish }: ServiceContext): Promise<void> {
  // most calls end here, after one index lookup
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
