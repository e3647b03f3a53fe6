import type { ExpressionBuilder } from "kysely";
import type { Database } from "@/core/storage/database/database.ts";
import type { OutboxState, Tables } from "@/core/storage/database/tables.ts";

/** A result on its way. */
export interface OutboxEntry {
  id: number;
  peerId: number;
  pid: number;
  run: string;
  kind: string;
  state: OutboxState;
  attempts: number;
  /** tries that ended for a reason nobody foresaw */
  faults: number;
  lastError: string | null;
  instances: SentInstance[];
  createdAt: string;
  sentAt: string | null;
  committedAt: string | null;
}
/** What was sent. */
export interface SentInstance {
  sopClassUid: string;
  sopInstanceUid: string;
  seriesUid: string;
}

/** Names the analyses that a result is of. */
export const runOf = (analysisIds: readonly (number | null)[]): string =>
  analysisIds.filter((id) => id !== null).toSorted((a, b) => a - b).join(",");

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

/** Queues results, each once: what is there already stays as it is. */
export async function insertOutbox(
  db: Database,
  entries: readonly { peerId: number; pid: number; run: string; kind: string }[],
  now: string,
): Promise<void> {
  if (entries.length === 0) return;
  await db.insertInto("outbox").values(entries.map(({ peerId, pid, run, kind }) => ({
    peer_id: peerId,
    pid,
    run,
    kind,
    state: "waiting" as const,
    owner: null,
    lease_ms: null,
    last_error: null,
    transaction_uid: null,
    committed_at: null,
    created_at: now,
    sent_at: null,
  }))).onConflict((conflict) => conflict.columns(["peer_id", "pid", "run", "kind"]).doNothing()).execute();
}

/** Entries that may be tried now: what waits and is not left alone, and what a dead sender had. */
const isDue = (nowMs: number) => (e: ExpressionBuilder<Tables, "outbox">) =>
  e.and([
    e("state", "in", ["waiting", "sending"]),
    e.or([e("lease_ms", "is", null), e("lease_ms", "<", nowMs)]),
  ]);

/** Takes the oldest entry of a system that may be tried now. @returns `null` when there is none. */
export async function claimOutbox(
  db: Database,
  peerId: number,
  owner: string,
  nowMs: number,
  leaseMs: number,
): Promise<OutboxEntry | null> {
  return await db.transaction().execute(async (tx) => {
    const next = await tx.selectFrom("outbox").select("id").where("peer_id", "=", peerId)
      .where(isDue(nowMs))
      .orderBy("id").limit(1).executeTakeFirst();
    if (!next) return null;
    const row = await tx.updateTable("outbox")
      .set((e) => ({ state: "sending", owner, lease_ms: nowMs + leaseMs, attempts: e("attempts", "+", 1) }))
      .where("id", "=", next.id)
      .where(isDue(nowMs))
      .returningAll().executeTakeFirst();
    return row ? entryOf(row) : null;
  });
}

/** Ends a try; until `notBeforeMs` there is no other. What another owner has taken over is left alone. */
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
    ...(end.sentAt ? { sent_at: end.sentAt } : {}),
    ...(end.isFault ? { faults: e("faults", "+", 1) } : {}),
  })).where("id", "=", id).where("owner", "=", owner).execute();
}

/** Puts back what a process of this name was sending when it ended. */
export async function releaseOutbox(db: Database, owner: string): Promise<void> {
  await db.updateTable("outbox").set({ state: "waiting", owner: null, lease_ms: null })
    .where("owner", "=", owner).where("state", "=", "sending").execute();
}

/** Sends entries again from now on. @returns the studies of those that are. */
export async function repeatOutbox(db: Database, ids: readonly number[]): Promise<number[]> {
  const rows = await db.updateTable("outbox").set({
    state: "waiting",
    faults: 0,
    last_error: null,
    committed_at: null,
  })
    .where("id", "in", [...ids]).where("state", "in", ["sent", "failed", "nothing"])
    .returning("pid").execute();
  return [...new Set(rows.map(({ pid }) => pid))];
}

/** Has results of kinds of a study's analyses sent again to everyone who gets them, whatever became of them: they changed. */
export async function renewOutbox(
  db: Database,
  { pid, run, kinds }: { pid: number; run: string; kinds: readonly string[] },
): Promise<void> {
  await db.updateTable("outbox").set({
    state: "waiting",
    // what is being sent at this moment is sent once more
    owner: null,
    lease_ms: null,
    faults: 0,
    last_error: null,
    committed_at: null,
  })
    .where("pid", "=", pid).where("run", "=", run).where("kind", "in", [...kinds])
    .where("state", "!=", "waiting").execute();
}

/** The newest entries; of one study with `pid`. */
export async function listOutbox(db: Database, count: number, pid?: number): Promise<OutboxEntry[]> {
  const all = db.selectFrom("outbox").selectAll().orderBy("id", "desc").limit(count);
  return (await (pid === undefined ? all : all.where("pid", "=", pid)).execute()).map(entryOf);
}

/** What became of the latest results of a study; one that could not be sent counts most, then one that waits. */
type SentState = "waiting" | "sent" | "failed";

/** That of studies; those of which nothing goes anywhere are left out. */
export async function sentStates(db: Database, pids: readonly number[]): Promise<Map<number, SentState>> {
  const of = new Map<number, SentState>();
  if (pids.length === 0) return of;
  const rows = await db.selectFrom("outbox").select(["pid", "peer_id", "kind", "state"])
    .where("pid", "in", [...pids]).orderBy("id").execute();
  // of an earlier analysis it does not matter any more
  const latest = new Map(rows.map((row) => [`${row.pid} ${row.peer_id} ${row.kind}`, row]));
  const pidsIn = (...states: OutboxState[]) =>
    [...latest.values()].filter(({ state }) => states.includes(state)).map(({ pid }) => pid);
  for (const pid of pidsIn("sent")) of.set(pid, "sent");
  for (const pid of pidsIn("waiting", "sending")) of.set(pid, "waiting");
  for (const pid of pidsIn("failed")) of.set(pid, "failed");
  return of;
}

/** What of a kind was sent last for earlier analyses of a study, to any of these systems. */
export async function sentEarlier(
  db: Database,
  pid: number,
  run: string,
  kind: string,
  peerIds: readonly number[],
): Promise<SentInstance[]> {
  if (peerIds.length === 0) return [];
  const row = await db.selectFrom("outbox").select("instances").where("pid", "=", pid)
    .where("kind", "=", kind).where("peer_id", "in", [...peerIds])
    .where("run", "!=", run).where("instances", "!=", "[]").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row ? JSON.parse(row.instances) as SentInstance[] : [];
}

/** Notes what a system says of the instances of a transaction. @returns how many entries that was. */
export async function noteCommitted(
  db: Database,
  transactionUid: string,
  end: { committedAt: string } | { error: string },
): Promise<number> {
  const result = await db.updateTable("outbox").set(
    "error" in end ? { state: "failed", last_error: end.error } : { committed_at: end.committedAt },
  ).where("transaction_uid", "=", transactionUid).executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Results that have arrived since then. */
export async function countSentSince(db: Database, at: string): Promise<number> {
  const { n } = await db.selectFrom("outbox").select((e) => e.fn.countAll<number>().as("n"))
    .where("state", "=", "sent").where("sent_at", ">=", at).executeTakeFirstOrThrow();
  return Number(n);
}

/** Entries by system and state. */
export async function countOutbox(
  db: Database,
): Promise<{ peerId: number; state: OutboxState; count: number; oldestAt: string }[]> {
  const rows = await db.selectFrom("outbox")
    .select((e) => ["peer_id", "state", e.fn.countAll<number>().as("n"), e.fn.min("created_at").as("oldest")])
    .groupBy(["peer_id", "state"]).execute();
  return rows.map((row) => ({
    peerId: row.peer_id,
    state: row.state,
    count: Number(row.n),
    oldestAt: String(row.oldest),
  }));
}
