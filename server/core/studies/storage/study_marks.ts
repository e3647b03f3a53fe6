import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** When a user opened some studies last, and when their reports were made last; both by pid. */
export interface StudyMarks {
  seenAt: ReadonlyMap<number, string>;
  reportedAt: ReadonlyMap<number, string>;
}

/** Both tables are asked at once: not to be called within a transaction. */
export async function readMarks(
  db: Database,
  userId: number,
  pids: readonly number[],
): Promise<StudyMarks> {
  if (pids.length === 0) return { seenAt: new Map(), reportedAt: new Map() };
  const requestedPids = numberList(db, pids);
  const [views, reports] = await Promise.all([
    db.selectFrom("study_views").select(["pid", "seen_at"])
      .where("user_id", "=", userId).where(isAmong(db, "pid", requestedPids)).execute(),
    db.selectFrom("study_reports").select(["pid", "reported_at"]).where(
      isAmong(db, "pid", requestedPids),
    )
      .execute(),
  ]);
  return {
    seenAt: new Map(views.map((view) => [view.pid, view.seen_at])),
    reportedAt: new Map(reports.map((report) => [report.pid, report.reported_at])),
  };
}

/** Notes that a user has opened a study. */
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

/** Notes that reports of studies were made; numbers of studies that there are not are left out. */
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
