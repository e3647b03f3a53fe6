import { sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** When a user last opened each study, and when its report was last made, by study number. */
export interface StudyMarks {
  seenAt: ReadonlyMap<number, string>;
  reportedAt: ReadonlyMap<number, string>;
}

/** Reads both times by one statement, since each statement waits for a busy database again. */
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

/** Records when a user opened a study. */
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

/** Records when reports of studies were made; studies deleted in the meantime are ignored. */
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
