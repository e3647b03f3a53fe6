import { sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** Times when a user last opened studies, and when reports were last made; both by pid. */
export interface StudyMarks {
  seenAt: ReadonlyMap<number, string>;
  reportedAt: ReadonlyMap<number, string>;
}

/** A single statement, since each one is another wait for the database on a busy machine. */
export async function readMarks(
  db: Database,
  userId: number,
  pids: readonly number[],
): Promise<StudyMarks> {
  if (pids.length === 0) return { seenAt: new Map(), reportedAt: new Map() };
  const requestedPids = numberList(db, pids);
  const rows = await db.selectFrom("study_views")
    .select(["pid", "seen_at as at", sql<number>`0`.as("is_report")])
    .where("user_id", "=", userId).where(isAmong(db, "pid", requestedPids))
    .unionAll((e) =>
      e.selectFrom("study_reports")
        .select(["pid", "reported_at as at", sql<number>`1`.as("is_report")])
        .where(isAmong(db, "pid", requestedPids))
    ).execute();
  const instantsOf = (isReport: 0 | 1) =>
    new Map(rows.filter((row) => row.is_report === isReport).map(({ pid, at }) => [pid, at]));
  return { seenAt: instantsOf(0), reportedAt: instantsOf(1) };
}

/** Records that a user has opened a study. */
export async function writeView(
  db: Database,
  userId: number,
  pid: number,
  at: string,
): Promise<void> {
  await db.insertInto("study_views").values({ user_id: userId, pid, seen_at: at })
    .onConflict((conflict) => conflict.columns(["user_id", "pid"]).doUpdateSet({ seen_at: at }))
    .execute();
}

/** Records that reports of studies were made; deleted studies are ignored. */
export async function writeReports(
  db: Database,
  pids: readonly number[],
  at: string,
): Promise<void> {
  const existing = await db.selectFrom("patients").select("pid").where("pid", "in", [...pids])
    .execute();
  if (existing.length === 0) return;
  await db.insertInto("study_reports").values(existing.map(({ pid }) => ({ pid, reported_at: at })))
    .onConflict((conflict) => conflict.column("pid").doUpdateSet({ reported_at: at })).execute();
}
