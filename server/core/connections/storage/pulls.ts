import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { PullState } from "@/server/core/database/tables.ts";

/** Retrieval of a study, or search for earlier studies, in an archive. */
export interface StoredPull {
  id: number;
  peerId: number;
  kind: "study" | "priors";
  studyUid: string;
  description: string;
  studyDate: string;
  expected: number;
  uid: number | null;
  state: PullState;
  attempts: number;
  completed: number;
  failed: number;
  lastError: string | null;
}

/** A retrieval from an archive that is not yet in the database. */
type NewPull = Pick<
  StoredPull,
  "peerId" | "kind" | "studyUid" | "description" | "studyDate" | "expected" | "uid"
>;

interface Row {
  id: number;
  peer_id: number;
  kind: "study" | "priors";
  study_uid: string;
  description: string;
  study_date: string;
  expected: number;
  uid: number | null;
  state: PullState;
  attempts: number;
  completed: number;
  failed: number;
  last_error: string | null;
}
const pullOf = (row: Row): StoredPull => ({
  id: row.id,
  peerId: row.peer_id,
  kind: row.kind,
  studyUid: row.study_uid,
  description: row.description,
  studyDate: row.study_date,
  expected: row.expected,
  uid: row.uid,
  state: row.state,
  attempts: row.attempts,
  completed: row.completed,
  failed: row.failed,
  lastError: row.last_error,
});

/** Queues a retrieval. @returns its id, or the id of a waiting retrieval of the same study. */
export async function insertPull(db: Database, pull: NewPull, now: string): Promise<number> {
  const open = await db.selectFrom("pulls").select("id").where("peer_id", "=", pull.peerId)
    .where("kind", "=", pull.kind).where("study_uid", "=", pull.studyUid)
    .where("state", "in", ["waiting", "running"]).executeTakeFirst();
  if (open) return open.id;
  const { id } = await db.insertInto("pulls").values({
    peer_id: pull.peerId,
    kind: pull.kind,
    study_uid: pull.studyUid,
    description: pull.description,
    study_date: pull.studyDate,
    expected: pull.expected,
    uid: pull.uid,
    state: "waiting",
    owner: null,
    last_error: null,
    created_at: now,
    ended_at: null,
  }).returning("id").executeTakeFirstOrThrow();
  return id;
}

/**
 * Claims the oldest retrieval from an archive that may be tried now.
 * @param longestMs Maximum pause; a retrieval that waits longer is due: the clock was set back.
 * @returns `null` when no retrieval may be tried.
 */
export async function claimPull(
  db: Database,
  { peerId, owner, nowMs, longestMs }: {
    peerId: number;
    owner: string;
    nowMs: number;
    longestMs: number;
  },
): Promise<StoredPull | null> {
  return await db.transaction().execute(async (tx) => {
    const due = await tx.selectFrom("pulls").select("id").where("peer_id", "=", peerId)
      .where("state", "=", "waiting")
      .where((e) =>
        e.or([
          e("not_before_ms", "<=", nowMs),
          e("not_before_ms", ">", latestCredible(nowMs, longestMs)),
        ])
      )
      .orderBy("id").limit(1)
      .executeTakeFirst();
    if (!due) return null;
    const row = await tx.updateTable("pulls")
      .set((e) => ({ state: "running" as const, owner, attempts: e("attempts", "+", 1) }))
      .where("id", "=", due.id).where("state", "=", "waiting").returningAll().executeTakeFirst();
    return row ? pullOf(row) : null;
  });
}

/** Ends an attempt to retrieve a study, or postpones the retrieval until `notBeforeMs`. */
export async function finishPull(
  db: Database,
  id: number,
  end: {
    state: Exclude<PullState, "running">;
    error?: string | null;
    completed?: number;
    failed?: number;
    notBeforeMs?: number;
    endedAt?: string;
  },
): Promise<void> {
  await db.updateTable("pulls").set({
    state: end.state,
    owner: null,
    last_error: end.error ?? null,
    completed: end.completed ?? 0,
    failed: end.failed ?? 0,
    not_before_ms: end.notBeforeMs ?? 0,
    ended_at: end.endedAt ?? null,
  }).where("id", "=", id).execute();
}

/** Releases retrievals that an earlier process with this name had claimed. */
export async function releasePulls(db: Database, owner: string): Promise<void> {
  await db.updateTable("pulls").set({ state: "waiting", owner: null })
    .where("owner", "=", owner).where("state", "=", "running").execute();
}

/** Retrievals that a user has requested, newest first. */
export async function listPullsOf(db: Database, uid: number, count: number): Promise<StoredPull[]> {
  const rows = await db.selectFrom("pulls").selectAll().where("uid", "=", uid).where(
    "kind",
    "=",
    "study",
  )
    .orderBy("id", "desc").limit(count).execute();
  return rows.map(pullOf);
}

/** Whether a study was retrieved from an archive, by a user or a rule. */
export async function wasPulled(db: Database, studyUid: string): Promise<boolean> {
  const row = await db.selectFrom("pulls").select("id").where("study_uid", "=", studyUid)
    .where("kind", "=", "study").limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Number of received instances of studies, with the pid of each stored study. */
export async function arrivedOf(
  db: Database,
  studyUids: readonly string[],
): Promise<Map<string, { instances: number; pid: number | null }>> {
  if (studyUids.length === 0) return new Map();
  const rows = await db.selectFrom("arrivals")
    .select((e) => ["study_uid", e.fn.sum<number>("instances").as("n"), e.fn.max("pid").as("pid")])
    .where("study_uid", "in", [...studyUids]).groupBy("study_uid").execute();
  return new Map(rows.map((row) => [row.study_uid, {
    instances: Number(row.n),
    pid: row.pid === null ? null : Number(row.pid),
  }]));
}

/** Number of retrievals by archive and state. */
export async function countPulls(
  db: Database,
): Promise<{ peerId: number; state: PullState; count: number }[]> {
  const rows = await db.selectFrom("pulls").select((
    e,
  ) => ["peer_id", "state", e.fn.countAll<number>().as("n")])
    .groupBy(["peer_id", "state"]).execute();
  return rows.map((row) => ({ peerId: row.peer_id, state: row.state, count: Number(row.n) }));
}
