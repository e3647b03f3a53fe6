import { type ExpressionBuilder, sql } from "kysely";
import { isChangedBy } from "@/model/report/corrected_results.ts";
import { changeInstantsOf, instantFor } from "@/server/core/connections/storage/result_changes.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import type { OutboxState, Tables } from "@/server/core/database/tables.ts";

/** Entry of the outbox: a result to be sent to a remote system. */
export interface OutboxEntry {
  id: number;
  peerId: number;
  pid: number;
  run: string;
  kind: string;
  state: OutboxState;
  attempts: number;
  /** number of attempts to send the result that failed with an unexpected error */
  faults: number;
  lastError: string | null;
  instances: SentInstance[];
  createdAt: string;
  sentAt: string | null;
  committedAt: string | null;
}

/** A DICOM instance that was sent to a remote system. */
export interface SentInstance {
  sopClassUid: string;
  sopInstanceUid: string;
  seriesUid: string;
  /** patient ID in the sent file; absent in rows of earlier versions, and for copied files */
  patientId?: string;
  /** whether the file is a note that rejects all objects of this kind that were sent before */
  isNote?: true;
}

/** Analyses that a result is from, and the last change of the result by a user. */
interface Run {
  /** ids of the analyses, ascending, separated by commas */
  analyses: string;
  /** time at which a user last corrected or signed the result; `null` if unchanged */
  changedAt: string | null;
}

/**
 * Text that identifies the state of a result, called run: the ids of the analyses and,
 * if a user changed or signed the result since, the time of the last change.
 */
export const runOf = (
  analysisIds: readonly (number | null)[],
  changedAt: string | null = null,
): string =>
  analysisIds.filter((id) => id !== null).toSorted((a, b) => a - b).join(",") +
  (changedAt === null ? "" : `@${changedAt}`);

/** Parses the stored text of a run: ids of analyses, and time of the last change. */
function readRun(run: string): Run {
  const [analyses = "", changedAt = null] = run.split("@");
  return { analyses, changedAt };
}

/** Whether two runs (states of a result) are of the same analyses, regardless of corrections. */
export const isSameAnalysis = (a: string, b: string): boolean =>
  readRun(a).analyses === readRun(b).analyses;

/** Time at which the result was last changed or signed since its analyses; `null`: never. */
export const changedAtOf = (run: string): string | null => readRun(run).changedAt;

/** Ids of the current analyses of a study. */
type AnalysisIds = Record<"t1" | "t2", number | null>;
const idsOf = ({ t1, t2 }: AnalysisIds) => [t1, t2].filter((id) => id !== null);

/** Current run (state) of each kind of result of several studies. */
export async function currentRunsOf(
  db: Database,
  studies: ReadonlyMap<number, AnalysisIds>,
): Promise<(pid: number) => (kind: string) => string> {
  const all = [...studies.values()].flatMap(idsOf);
  const rows = all.length === 0
    ? []
    : await db.selectFrom("analyses").select(["id", "kind", "corrected_at"])
      .where(isAmong(db, "id", numberList(db, all))).where("corrected_at", "is not", null)
      .execute();
  const analysed = [...studies].filter(([, of]) => idsOf(of).length > 0).map(([pid]) => pid);
  const instants = analysed.length === 0 ? () => new Map() : await changeInstantsOf(db, analysed);
  return (pid) => (kind) => {
    const ids = idsOf(studies.get(pid)!);
    const changes = rows.filter((row) => ids.includes(row.id) && isChangedBy(row.kind, kind))
      .map((row) => row.corrected_at!);
    const changedAt = instantFor(instants(pid), kind);
    if (changedAt !== null) changes.push(changedAt);
    return runOf(ids, changes.sort().at(-1));
  };
}

/** {@link currentRunsOf} for one study. */
export const currentRuns = async (
  db: Database,
  pid: number,
  analysisId: AnalysisIds,
): Promise<(kind: string) => string> =>
  (await currentRunsOf(db, new Map([[pid, analysisId]])))(pid);

interface Row {
  id: number;
  peer_id: number;
  pid: number;
  run: string;
  kind: string;
  state: OutboxState;
  attempts: number;
  faults: number;
  last_error: string | null;
  instances: string;
  created_at: string;
  sent_at: string | null;
  committed_at: string | null;
}
const entryOf = (row: Row): OutboxEntry => ({
  id: row.id,
  peerId: row.peer_id,
  pid: row.pid,
  run: row.run,
  kind: row.kind,
  state: row.state,
  attempts: row.attempts,
  faults: row.faults,
  lastError: row.last_error,
  instances: JSON.parse(row.instances) as SentInstance[],
  createdAt: row.created_at,
  sentAt: row.sent_at,
  committedAt: row.committed_at,
});

/** Maximum number of rows that one SQL statement writes. */
const ROWS_PER_STATEMENT = 1000;

/** Unique key of an outbox entry: study, kind and run of the result, and the receiving system. */
export type OutboxKey = Pick<OutboxEntry, "peerId" | "pid" | "run" | "kind">;

/**
 * Adds results to the outbox; existing entries are not changed.
 * @param at Time of queuing. @param notBeforeMs Time of the first attempt to send.
 */
export async function insertOutbox(
  db: Database,
  entries: readonly OutboxKey[],
  at: string,
  notBeforeMs: number | null = null,
): Promise<void> {
  for (let from = 0; from < entries.length; from += ROWS_PER_STATEMENT) {
    const rows = entries.slice(from, from + ROWS_PER_STATEMENT);
    await db.insertInto("outbox").values(rows.map(({ peerId, pid, run, kind }) => ({
      peer_id: peerId,
      pid,
      run,
      kind,
      state: "waiting" as const,
      owner: null,
      lease_ms: notBeforeMs,
      last_error: null,
      transaction_uid: null,
      committed_at: null,
      created_at: at,
      sent_at: null,
    }))).onConflict((conflict) => conflict.columns(["peer_id", "pid", "run", "kind"]).doNothing())
      .execute();
  }
}

/** All outbox entries of studies. */
export async function outboxOf(db: Database, ...pids: readonly number[]): Promise<OutboxEntry[]> {
  const rows = await db.selectFrom("outbox").selectAll()
    .where(isAmong(db, "pid", numberList(db, pids))).orderBy("id").execute();
  return rows.map(entryOf);
}

export async function findOutbox(db: Database, ids: readonly number[]): Promise<OutboxEntry[]> {
  return (await db.selectFrom("outbox").selectAll().where("id", "in", [...ids]).execute()).map(
    entryOf,
  );
}

/** Id of an outbox entry; `null` for a missing entry. */
export async function outboxId(
  db: Database,
  { peerId, pid, run, kind }: OutboxKey,
): Promise<number | null> {
  const row = await db.selectFrom("outbox").select("id").where("peer_id", "=", peerId).where(
    "pid",
    "=",
    pid,
  )
    .where("run", "=", run).where("kind", "=", kind).executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Withdraws outbox entries with outdated results, which will not be sent.
 * Entries that were sent before are kept; all others are deleted.
 * @param owner Process that has claimed the entries; `null`: waiting entries.
 */
export async function withdrawOutbox(
  db: Database,
  ids: readonly number[],
  owner: string | null,
): Promise<void> {
  if (ids.length === 0) return;
  const isOwn = owner === null ? "is" : "=", among = isAmong(db, "id", numberList(db, ids));
  await db.deleteFrom("outbox").where(among).where("owner", isOwn, owner)
    .where("sent_at", "is", null).execute();
  await db.updateTable("outbox").set({
    state: "sent",
    owner: null,
    lease_ms: null,
    last_error: null,
  })
    .where(among).where("owner", isOwn, owner).execute();
}

/**
 * Condition for outbox entries that may be sent now: waiting and due, or with an expired lease.
 * An earlier entry for the same study, system and kind that is being sent has to finish first.
 * @param longestMs Maximum lease or pause; a longer one counts as over: the clock was set back.
 */
const isDue = (nowMs: number, longestMs: number) => (e: ExpressionBuilder<Tables, "outbox">) =>
  e.and([
    e("state", "in", ["waiting", "sending"]),
    e.or([
      e("lease_ms", "is", null),
      e("lease_ms", "<", nowMs),
      e("lease_ms", ">", latestCredible(nowMs, longestMs)),
    ]),
    e.not(e.exists(
      e.selectFrom("outbox as earlier").select("earlier.id")
        .whereRef("earlier.pid", "=", "outbox.pid").whereRef(
          "earlier.peer_id",
          "=",
          "outbox.peer_id",
        )
        .whereRef("earlier.kind", "=", "outbox.kind").whereRef("earlier.id", "<", "outbox.id")
        .where("earlier.state", "=", "sending").where("earlier.lease_ms", ">=", nowMs)
        .where("earlier.lease_ms", "<=", latestCredible(nowMs, longestMs)),
    )),
  ]);

/**
 * Claims the oldest outbox entry of a remote system that may be sent now.
 * @param leaseMs Duration of the lease; also the maximum pause of an entry.
 * @returns `null` when no entry may be sent.
 */
export async function claimOutbox(
  db: Database,
  peerId: number,
  owner: string,
  nowMs: number,
  leaseMs: number,
): Promise<OutboxEntry | null> {
  return await db.transaction().execute(async (tx) => {
    const due = await tx.selectFrom("outbox").select("id").where("peer_id", "=", peerId)
      .where(isDue(nowMs, leaseMs))
      .orderBy("id").limit(1).executeTakeFirst();
    if (!due) return null;
    const row = await tx.updateTable("outbox")
      .set((e) => ({
        state: "sending",
        owner,
        lease_ms: nowMs + leaseMs,
        attempts: e("attempts", "+", 1),
      }))
      .where("id", "=", due.id)
      .where(isDue(nowMs, leaseMs))
      .returningAll().executeTakeFirst();
    return row ? entryOf(row) : null;
  });
}

/** Ends the owner's attempt to send an outbox entry; the next attempt is at `notBeforeMs`. */
export async function finishOutbox(
  db: Database,
  id: number,
  owner: string,
  end: {
    state: Exclude<OutboxState, "sending">;
    error?: string | null;
    instances?: readonly SentInstance[];
    transactionUid?: string | null;
    sentAt?: string;
    isFinal?: boolean;
    notBeforeMs?: number;
    isFault?: boolean;
  },
): Promise<void> {
  await db.updateTable("outbox").set((e) => ({
    state: end.state,
    owner: null,
    lease_ms: end.notBeforeMs ?? null,
    last_error: end.error ?? null,
    ...(end.instances ? { instances: JSON.stringify(end.instances) } : {}),
    ...(end.transactionUid ? { transaction_uid: end.transactionUid } : {}),
    ...(end.sentAt ? { sent_at: end.sentAt, is_final: end.isFinal ? 1 : 0 } : {}),
    ...(end.isFault ? { faults: e("faults", "+", 1) } : {}),
  })).where("id", "=", id).where("owner", "=", owner).execute();
}

/** Releases outbox entries that an earlier process with this name was sending. */
export async function releaseOutbox(db: Database, owner: string): Promise<void> {
  await db.updateTable("outbox").set({ state: "waiting", owner: null, lease_ms: null })
    .where("owner", "=", owner).where("state", "=", "sending").execute();
}

/** Makes outbox entries due again, including waiting entries. @returns pids of the studies. */
export async function repeatOutbox(db: Database, ids: readonly number[]): Promise<number[]> {
  const rows = await db.updateTable("outbox").set({
    state: "waiting",
    lease_ms: null,
    faults: 0,
    last_error: null,
    committed_at: null,
  })
    .where("id", "in", [...ids]).where("state", "!=", "sending")
    .returning("pid").execute();
  return [...new Set(rows.map(({ pid }) => pid))];
}

/**
 * Sends a kind of a study's results again to all systems that have an entry for this kind.
 * The state of the entries does not matter, because the results changed.
 */
export async function renewOutbox(
  db: Database,
  { pid, run, kind }: Omit<OutboxKey, "peerId">,
): Promise<void> {
  await db.updateTable("outbox").set({
    state: "waiting",
    // releases the lease, so that an entry that is being sent is sent once more
    owner: null,
    lease_ms: null,
    faults: 0,
    last_error: null,
    committed_at: null,
  })
    .where("pid", "=", pid).where("run", "=", run).where("kind", "=", kind)
    .where("state", "!=", "waiting").execute();
}

/** Newest outbox entries of all studies or, with `pid`, of one study. */
export async function listOutbox(
  db: Database,
  count: number,
  pid?: number,
): Promise<OutboxEntry[]> {
  const newest = db.selectFrom("outbox").selectAll().orderBy("id", "desc").limit(count);
  return (await (pid === undefined ? newest : newest.where("pid", "=", pid)).execute()).map(
    entryOf,
  );
}

/** Delivery state of a study's latest results: failed has priority over waiting over sent. */
type SentState = "waiting" | "sent" | "failed";

/** Delivery states of several studies; studies without deliveries are absent. */
export async function sentStates(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, SentState>> {
  const of = new Map<number, SentState>();
  if (pids.length === 0) return of;
  const requestedPids = numberList(db, pids);
  // one statement, because each further statement waits for the database on a busy machine
  const rows = await db.selectFrom("outbox").select(["id", "pid", "peer_id", "kind", "state"])
    .where(isAmong(db, "pid", requestedPids))
    .unionAll((e) =>
      e.selectFrom("result_changes").select([
        sql<number>`0`.as("id"),
        "pid",
        sql<number>`0`.as("peer_id"),
        sql<string>`'change'`.as("kind"),
        sql<OutboxState>`'waiting'`.as("state"),
      ]).where("is_pending", "=", 1).where(isAmong(db, "pid", requestedPids))
    ).orderBy("id").execute();
  // rows are sorted, so that the latest entry of each system and kind remains
  const latest = new Map(rows.map((row) => [`${row.pid} ${row.peer_id} ${row.kind}`, row]));
  const pidsIn = (...states: OutboxState[]) =>
    [...latest.values()].filter(({ state }) => states.includes(state)).map(({ pid }) => pid);
  for (const pid of pidsIn("sent")) of.set(pid, "sent");
  for (const pid of pidsIn("waiting", "sending")) of.set(pid, "waiting");
  for (const pid of pidsIn("failed")) of.set(pid, "failed");
  return of;
}

/**
 * Stores a remote system's answer about the instances of a storage commitment transaction.
 * Instances that the answer does not mention count as not committed.
 * @returns number of outbox entries, and whether all instances of these are committed.
 */
export async function noteCommitted(
  db: Database,
  { transactionUid, committed, failed }: {
    transactionUid: string;
    committed: readonly string[];
    failed: readonly string[];
  },
  at: string,
): Promise<{ entries: number; isComplete: boolean }> {
  const rows = await db.selectFrom("outbox").select("instances")
    .where("transaction_uid", "=", transactionUid).execute();
  const named = new Set(committed);
  const isComplete = failed.length === 0 &&
    rows.every(({ instances }) =>
      (JSON.parse(instances) as SentInstance[]).every((one) => named.has(one.sopInstanceUid))
    );
  await db.updateTable("outbox").set(
    isComplete ? { committed_at: at } : { state: "failed", last_error: "not_committed/" },
  ).where("transaction_uid", "=", transactionUid).execute();
  return { entries: rows.length, isComplete };
}

/** Number of results sent to remote systems since a time. */
export async function countSentSince(db: Database, at: string): Promise<number> {
  const { n } = await db.selectFrom("outbox").select((e) => e.fn.countAll<number>().as("n"))
    .where("state", "=", "sent").where("sent_at", ">=", at).executeTakeFirstOrThrow();
  return Number(n);
}

/** Number of outbox entries by remote system and state. */
export async function countOutbox(
  db: Database,
): Promise<{ peerId: number; state: OutboxState; count: number; oldestAt: string }[]> {
  const rows = await db.selectFrom("outbox")
    .select((
      e,
    ) => ["peer_id", "state", e.fn.countAll<number>().as("n"), e.fn.min("created_at").as("oldest")])
    .groupBy(["peer_id", "state"]).execute();
  return rows.map((row) => ({
    peerId: row.peer_id,
    state: row.state,
    count: Number(row.n),
    oldestAt: String(row.oldest),
  }));
}
