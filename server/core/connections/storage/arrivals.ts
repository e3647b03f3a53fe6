import type { InstanceName } from "@/model/schema/connections/connections.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ArrivalState } from "@/server/core/database/tables.ts";

/** A series received over the network, with the state of storing the series. */
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

/** Counts received instances; the state of their series becomes "arriving" again. */
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
    conflict.columns(["study_uid", "series_uid"]).doUpdateSet((e) => ({
      sender,
      inbox,
      instances: e("arrivals.instances", "+", instances),
      last_ms: lastMs,
      state: "arriving",
      reason: null,
    }))
  ).execute();
}

/** Studies that are arriving or waiting in an inbox, the longest unchanged study first. */
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

/** Studies that are arriving or waiting in an inbox. */
export const openStudies = async (db: Database, inbox: string): Promise<string[]> =>
  (await openArrivals(db, inbox)).map(({ studyUid }) => studyUid);

/**
 * Studies in an inbox that received no object for `quietMs`.
 * A last arrival in the future (the clock was set back) counts as now.
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
 * Ends the arrival of a series, unless more instances have arrived than `instances`.
 * Counts are compared instead of times, because the clock may have been set back in between.
 */
export async function endArrival(
  db: Database,
  { studyUid, seriesUid, instances }: Pick<StoredArrival, "studyUid" | "seriesUid" | "instances">,
  end: { state: ArrivalState; reason: string | null; pid: number | null },
): Promise<void> {
  await db.updateTable("arrivals").set(end).where("study_uid", "=", studyUid)
    .where("series_uid", "=", seriesUid).where("instances", "=", instances).execute();
}

/** Series that were received over the network, newest first. */
export async function listArrivals(db: Database, count: number): Promise<StoredArrival[]> {
  const rows = await db.selectFrom("arrivals").selectAll().orderBy("last_ms", "desc").limit(count)
    .execute();
  return rows.map(arrivalOf);
}

/** Number of received series by state, with the oldest time of arrival. */
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

/** Studies of an inbox with refused series that received no object since `beforeMs`. */
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

/** Deletes the rows of a study's refused series. */
export async function forgetRefused(db: Database, studyUid: string): Promise<void> {
  await db.deleteFrom("arrivals").where("study_uid", "=", studyUid).where("state", "=", "refused")
    .execute();
}

/**
 * Which of the given instances are stored, and which UIDs are stored with another SOP class.
 * An instance with another SOP class is a different object (PS3.4 J.3.3).
 */
export async function storedAmong(
  db: Database,
  instances: readonly InstanceName[],
): Promise<{ stored: Set<string>; conflicting: Set<string> }> {
  const stored = new Set<string>(), conflicting = new Set<string>();
  for (let i = 0; i < instances.length; i += 2000) {
    const asked = instances.slice(i, i + 2000);
    const rows = await db.selectFrom("instances").select(["sop_uid", "sop_class"])
      .where("sop_uid", "in", asked.map(({ sopInstanceUid }) => sopInstanceUid)).execute();
    const byUid = Map.groupBy(rows, ({ sop_uid }) => sop_uid);
    for (const { sopInstanceUid, sopClassUid } of asked) {
      const found = byUid.get(sopInstanceUid) ?? [];
      // files stored by earlier versions have no recorded SOP class
      const isSame = found.some(({ sop_class }) => !sop_class || sop_class === sopClassUid);
      if (isSame) stored.add(sopInstanceUid);
      else if (found.length > 0) conflicting.add(sopInstanceUid);
    }
  }
  return { stored, conflicting };
}
