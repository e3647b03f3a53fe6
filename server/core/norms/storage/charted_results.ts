// Analyses that have ended, and which of them are in the control charts.
import type { ErrorCode } from "@/model/errors.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, isPostgres, numberList } from "@/server/core/database/postgres.ts";

/**
 * Errors for which the site is responsible, not the images of a scanner:
 * failed analyses with these errors are not counted in the charts.
 */
export const OWN_FAULTS = [
  "job.canceled",
  "server.busy",
  "storage.full",
  "storage.read_only",
  "storage.unavailable",
] as const satisfies ErrorCode[];

/** Analyses with an id above `after`, up to `until`. */
export interface IdRange {
  after: number;
  until: number;
}

/** Number of ids in a range: a range is read in a few milliseconds. */
const IDS_AT_ONCE = 2000;

/** Ranges that together contain all analyses of the site, lowest ids first. */
export async function idRanges(db: Database): Promise<IdRange[]> {
  const row = await db.selectFrom("analyses").select((e) => e.fn.max("id").as("id"))
    .executeTakeFirst();
  const count = Math.ceil(Number(row?.id ?? 0) / IDS_AT_ONCE);
  return Array.from({ length: count }, (_, n) => ({
    after: n * IDS_AT_ONCE,
    until: (n + 1) * IDS_AT_ONCE,
  }));
}

/**
 * T1w analyses of a range that have ended and are not in the charts: completed, failed and refused
 * ones, lowest id first; with the study date.
 */
export const listUncharted = (
  db: Database,
  { after, until }: IdRange,
): Promise<{ id: number; date: string | null }[]> =>
  uncharted(db).select(["a.id", "p.study_date as date"])
    .where("a.id", ">", after).where("a.id", "<=", until).orderBy("a.id").execute();

/** Analyses of {@link listUncharted} that are still not in the charts, in the order of `ids`. */
export async function readUncharted(db: Database, ids: readonly number[]) {
  const rows = await uncharted(db)
    .select(["a.id", "a.pid", "a.series_id", "a.status", "a.engine_version", "p.study_date"])
    .where(isAmong(db, "a.id", numberList(db, ids))).execute();
  const places = new Map(ids.map((id, place) => [id, place]));
  return rows.map((row) => ({
    id: row.id,
    pid: row.pid,
    seriesId: row.series_id,
    isCompleted: row.status === "completed",
    engineVersion: row.engine_version,
    date: row.study_date,
  })).sort((a, b) => places.get(a.id)! - places.get(b.id)!);
}

const uncharted = (db: Database) =>
  db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .where("a.kind", "=", "t1").where((e) =>
      e.or([
        e("a.status", "=", "completed"),
        e("a.status", "=", "failed").and("a.error_code", "not in", OWN_FAULTS),
      ])
    ).where((e) =>
      e.not(e.exists(
        e.selectFrom("charted_results as c").select("c.analysis_id")
          .whereRef("c.analysis_id", "=", "a.id"),
      ))
    );

/**
 * Engine version of an analysis that failed and therefore has none: that of the newest result
 * before it, otherwise of the first result after it; `null` without results.
 */
export async function engineVersionAt(db: Database, analysisId: number): Promise<string | null> {
  const results = db.selectFrom("analyses").select("engine_version")
    .where("kind", "=", "t1").where("status", "=", "completed")
    .where("engine_version", "is not", null).limit(1);
  const row = await results.where("id", "<", analysisId).orderBy("id", "desc").executeTakeFirst() ??
    await results.where("id", ">", analysisId).orderBy("id").executeTakeFirst();
  return row?.engine_version ?? null;
}

/** An analysis that is appended to charts. */
export interface ChartedResult {
  analysisId: number;
  pid: number;
  isCompleted: boolean;
}

/**
 * Studies of the given ones that exist. PostgreSQL does not delete them before the end of the
 * transaction, as a deletion between two statements of it would make the second one fail.
 */
async function remainingStudies(db: Database, pids: readonly number[]): Promise<Set<number>> {
  const query = db.selectFrom("patients").select("pid")
    .where(isAmong(db, "pid", numberList(db, pids))).orderBy("pid");
  const rows = await (isPostgres(db) ? query.forKeyShare() : query).execute();
  return new Set(rows.map(({ pid }) => pid));
}

/**
 * Records analyses as appended to charts, or as left out for good (`groupId` is `null`). Must run
 * in a transaction. Studies that were deleted meanwhile are not recorded.
 * @returns ids of those that were not recorded before.
 */
export async function markCharted(
  db: Database,
  results: readonly ChartedResult[],
  groupId: number | null,
): Promise<Set<number>> {
  const remaining = await remainingStudies(db, results.map(({ pid }) => pid));
  const recorded = results.filter(({ pid }) => remaining.has(pid));
  if (recorded.length === 0) return new Set();
  const rows = await db.insertInto("charted_results").values(
    recorded.map(({ analysisId, pid, isCompleted }) => ({
      analysis_id: analysisId,
      pid,
      group_id: groupId,
      is_completed: Number(isCompleted),
    })),
  ).onConflict((conflict) => conflict.doNothing()).returning("analysis_id").execute();
  return new Set(rows.map(({ analysis_id }) => analysis_id));
}

/** Studies with results in charts, of the given studies; the value is true for a completed one. */
export async function chartedStudies(
  db: Database,
  groupId: number,
  pids: readonly number[],
): Promise<Map<number, boolean>> {
  const rows = await db.selectFrom("charted_results")
    .select((e) => ["pid", e.fn.max("is_completed").as("is_completed")])
    .where("group_id", "=", groupId).where(isAmong(db, "pid", numberList(db, pids)))
    .groupBy("pid").execute();
  return new Map(rows.map((row) => [row.pid, Number(row.is_completed) === 1]));
}

/** Charts that contain a study, and whether they have a completed result of it. */
export async function chartsOfStudy(
  db: Database,
  pid: number,
): Promise<{ groupId: number; isCompleted: boolean }[]> {
  const rows = await db.selectFrom("charted_results")
    .select((e) => ["group_id", e.fn.max("is_completed").as("is_completed")])
    .where("pid", "=", pid).where("group_id", "is not", null).groupBy("group_id").execute();
  return rows.map((row) => ({
    groupId: row.group_id!,
    isCompleted: Number(row.is_completed) === 1,
  }));
}

/** Study UIDs of the given studies that exist. */
export async function studyUidsOf(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.selectFrom("patients").select(["pid", "study_uid"])
    .where(isAmong(db, "pid", numberList(db, pids))).execute();
  return new Map(rows.map(({ pid, study_uid }) => [pid, study_uid]));
}

/** Stores the hash of a deleted study that charts contain. */
export async function putDeletedCharted(
  db: Database,
  { groupId, studyKey, isCompleted }: { groupId: number; studyKey: string; isCompleted: boolean },
): Promise<void> {
  await db.insertInto("deleted_charted")
    .values({ group_id: groupId, study_key: studyKey, is_completed: Number(isCompleted) })
    .onConflict((conflict) =>
      isCompleted
        ? conflict.columns(["group_id", "study_key"]).doUpdateSet({ is_completed: 1 })
        : conflict.doNothing()
    ).execute();
}

/** Hashes of deleted studies that charts contain; the value is true for a completed result. */
export async function listDeletedCharted(
  db: Database,
  groupId: number,
): Promise<Map<string, boolean>> {
  const rows = await db.selectFrom("deleted_charted").select(["study_key", "is_completed"])
    .where("group_id", "=", groupId).execute();
  return new Map(rows.map((row) => [row.study_key, row.is_completed === 1]));
}

/** Key of the hashes of deleted studies, hexadecimal; `unused` becomes the key if there is none. */
export async function chartsKey(db: Database, unused: string): Promise<string> {
  await db.insertInto("charts_key").values({ id: 1, secret: unused })
    .onConflict((conflict) => conflict.column("id").doNothing()).execute();
  const { secret } = await db.selectFrom("charts_key").select("secret").executeTakeFirstOrThrow();
  return secret;
}
