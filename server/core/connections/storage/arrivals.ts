import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ArrivalState } from "@/server/core/database/tables.ts";

/** A series that came over the network. */
export interface StoredArrival {
  seriesUid: string;
  studyUid: string;
  sender: string;
  description: string;
  instances: number;
  firstAt: string;
  lastMs: number;
  state: ArrivalState;
  reason: string | null;
  pid: number | null;
}

/** Notes that instances of a series have come: it is arriving (again). */
export async function noteArrival(
  db: Database,
  inbox: string,
  { seriesUid, studyUid, sender, description, instances, lastMs }: Pick<
    StoredArrival,
    "seriesUid" | "studyUid" | "sender" | "description" | "instances" | "lastMs"
  >,
): Promise<void> {
  await db.insertInto("arrivals").values({
    series_uid: seriesUid,
    study_uid: studyUid,
    inbox,
    sender,
    description,
    instances,
    first_at: new Date(lastMs).toISOString(),
    last_ms: lastMs,
    state: "arriving",
    reason: null,
    pid: null,
  }).onConflict((conflict) =>
    conflict.column("series_uid").doUpdateSet((e) => ({
      sender,
      inbox,
      instances: e("arrivals.instances", "+", instances),
      last_ms: lastMs,
      state: "arriving",
      reason: null,
    }))
  ).execute();
}

/** Studies that arrive or wait here, the one that has been quiet for longest first. */
async function openArrivals(
  db: Database,
  inbox: string,
): Promise<{ studyUid: string; lastMs: number }[]> {
  const rows = await db.selectFrom("arrivals")
    .select((e) => ["study_uid", e.fn.max("last_ms").as("last")])
    .where("inbox", "=", inbox)
    .where(
      "study_uid",
      "in",
      (e) =>
        e.selectFrom("arrivals").select("study_uid").where("inbox", "=", inbox)
          .where("state", "in", ["arriving", "waiting"]),
    )
    .groupBy("study_uid").execute();
  return rows.map((row) => ({ studyUid: row.study_uid, lastMs: Number(row.last) }))
    .sort((a, b) => a.lastMs - b.lastMs);
}

/** Studies that arrive or wait here. */
export const openStudies = async (db: Database, inbox: string): Promise<string[]> =>
  (await openArrivals(db, inbox)).map(({ studyUid }) => studyUid);

/**
 * Studies that arrive or wait here, of which nothing has come for `quietMs`. One that came last
 * after now, because the clock was set back, came now: it is due a `quietMs` later.
 */
export async function dueStudies(
  db: Database,
  inbox: string,
  { nowMs, quietMs }: { nowMs: number; quietMs: number },
): Promise<string[]> {
  const open = await openArrivals(db, inbox), latestMs = latestCredible(nowMs);
  const ahead = open.filter(({ lastMs }) => lastMs > latestMs);
  for (const { studyUid } of ahead) {
    await db.updateTable("arrivals").set({ last_ms: nowMs }).where("study_uid", "=", studyUid)
      .where("last_ms", ">", latestMs).execute();
  }
  return open.filter(({ lastMs }) => lastMs <= nowMs - quietMs).map(({ studyUid }) => studyUid);
}

export async function listArrivalsOf(db: Database, studyUid: string): Promise<StoredArrival[]> {
  const rows = await db.selectFrom("arrivals").selectAll().where("study_uid", "=", studyUid)
    .execute();
  return rows.map(arrivalOf);
}

const arrivalOf = (row: {
  series_uid: string;
  study_uid: string;
  sender: string;
  description: string;
  instances: number;
  first_at: string;
  last_ms: number;
  state: ArrivalState;
  reason: string | null;
  pid: number | null;
}): StoredArrival => ({
  seriesUid: row.series_uid,
  studyUid: row.study_uid,
  sender: row.sender,
  description: row.description,
  instances: row.instances,
  firstAt: row.first_at,
  lastMs: Number(row.last_ms),
  state: row.state,
  reason: row.reason,
  pid: row.pid,
});

/**
 * Ends a series' arrival; nothing changes when more of it has come than `arrival` says. Instances
 * are compared, not times: the clock may have been set back between the two.
 */
export async function endArrival(
  db: Database,
  { seriesUid, instances }: Pick<StoredArrival, "seriesUid" | "instances">,
  end: { state: ArrivalState; reason: string | null; pid: number | null },
): Promise<void> {
  await db.updateTable("arrivals").set(end).where("series_uid", "=", seriesUid)
    .where("instances", "=", instances).execute();
}

/** The newest series. */
export async function listArrivals(db: Database, count: number): Promise<StoredArrival[]> {
  const rows = await db.selectFrom("arrivals").selectAll().orderBy("last_ms", "desc").limit(count)
    .execute();
  return rows.map(arrivalOf);
}

/** Series by state, with when the oldest came last. */
export async function countArrivals(
  db: Database,
): Promise<{ state: ArrivalState; count: number; oldestMs: number }[]> {
  const rows = await db.selectFrom("arrivals")
    .select((e) => ["state", e.fn.countAll<number>().as("n"), e.fn.min("last_ms").as("oldest")])
    .groupBy("state").execute();
  return rows.map((row) => ({
    state: row.state,
    count: Number(row.n),
    oldestMs: Number(row.oldest),
  }));
}

/** Studies of this inbox that are over, of which nothing has come since `beforeMs`. */
export async function endedStudies(
  db: Database,
  inbox: string,
  beforeMs: number,
): Promise<string[]> {
  const rows = await db.selectFrom("arrivals").select("study_uid").distinct()
    .where("inbox", "=", inbox).where("state", "=", "refused").where("last_ms", "<", beforeMs)
    .limit(200)
    .execute();
  const open = await openStudies(db, inbox);
  return rows.map((row) => row.study_uid).filter((uid) => !open.includes(uid));
}

/** Forgets the refused series of a study. */
export async function forgetRefused(db: Database, studyUid: string): Promise<void> {
  await db.deleteFrom("arrivals").where("study_uid", "=", studyUid).where("state", "=", "refused")
    .execute();
}

/** Where instances are stored: of the given ones, those that are. */
export async function storedAmong(db: Database, sopUids: readonly string[]): Promise<Set<string>> {
  const stored = new Set<string>();
  for (let i = 0; i < sopUids.length; i += 2000) {
    const rows = await db.selectFrom("instances").select("sop_uid")
      .where("sop_uid", "in", sopUids.slice(i, i + 2000)).execute();
    for (const { sop_uid } of rows) stored.add(sop_uid);
  }
  return stored;
}
