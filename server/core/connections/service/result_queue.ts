/**
 * Which results are queued for other systems, and when: once an analysis is complete, and once more
 * after whatever changes them. The table of changes is model/report/corrected_results.ts.
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
import { findAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { findPatient, type StoredPatient } from "@/server/core/studies/storage/patients.ts";

/** How long a changed result waits for the next change. */
const QUIET_MS = 60_000 * QUIET_MINUTES;
/**
 * A change of many studies is queued for so many of them in a minute: an archive of a hospital
 * stores that beside its day's work, and 5,000 studies take 14 hours.
 */
export const STUDIES_PER_MINUTE = 6;
const MINUTE_MS = 60_000;
/** No further study is queued while every system has this many results waiting. */
const MAX_WAITING = 50;
/** Pending studies that one look passes over, because nothing of them is at another system. */
const LOOKED_AT = 200;

/** Systems that get results of a study, with each kind that they get. */
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
 * Queues the results of a study for every system that gets them; call it in the transaction that
 * completes its analysis, or, with `changed`, in that which changes this kind of result.
 */
export async function queueResults(tx: Database, pid: number, changed?: ResultKind): Promise<void> {
  const patient = await findPatient(tx, pid);
  if (!patient) return;
  const runs = await currentRuns(tx, pid, patient.analysisId);
  const chosen = (await receiversOf(tx, pid)).filter(({ kind }) =>
    changed === undefined || kind === changed
  );
  await insertOutbox(
    tx,
    chosen.map((receiver) => ({ ...receiver, pid, run: runs(receiver.kind) })),
    nowIso(),
  );
  // nothing was sent of key images that were chosen before there were results
  const kind = changed ?? "key_images";
  await renewOutbox(tx, { pid, run: runs(kind), kind });
}

/**
 * Queues kinds of results that changed, for every system that has an earlier one or waits for it.
 * Results that could not be sent are tried once more: they are new ones.
 * @param dueMs Time of the first try.
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
  // an entry that is being sent arrives unchanged, even if such results are not to be sent any more
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
 * Queues results that a correction of a series changes; they are sent after some time without
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

/** Every instant of a study's results: measured, corrected, signed, changed; ISO 8601. */
async function instantsOf(tx: Database, { row, analysisId }: StoredPatient): Promise<string[]> {
  const instants = [...(await changeInstants(tx, row.pid)).values()];
  for (const id of [analysisId.t1, analysisId.t2]) {
    const analysis = id === null ? null : await findAnalysis(tx, id);
    if (analysis) instants.push(instantOf(analysis));
  }
  return instants;
}

/**
 * Notes that results changed, and queues those that contain the change; they are sent after some
 * time without further changes. Call it in the transaction of the change. A study without an
 * analysis has no results that could change.
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
 * Notes a change of the results of many studies; {@link queuePending} queues them a few at a time.
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
  // an instant before another one would not show in the run: the results would not go out again
  const instant = instants.some((changedAt) => changedAt > at) ? laterThan(instants) : at;
  await writeQueued(tx, { pid, cause, at: instant }, null);
  const isQueued = await queueChanged(tx, pid, (kind) => isOutdatedBy(cause, kind), nowMs);
  if (isQueued) await writeQueued(tx, { pid, cause, at: instant }, nowMs);
  return isQueued;
}

/**
 * Queues results with pending changes, at most {@link STUDIES_PER_MINUTE} studies a minute for all
 * servers of the site together, and none while each system has {@link MAX_WAITING} results waiting.
 * Pending changes are stored, so a restart continues with them.
 */
export async function queuePending({ db, publish }: ServiceContext): Promise<void> {
  // most looks end here, with one read of an index
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
