/**
 * Times at which results of a study last changed without a new analysis or correction, by cause.
 */
import { isOutdatedBy, type ResultChange } from "@/model/report/corrected_results.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** Causes of changes that this table stores; signatures are in the versions of the report text. */
export type StoredChange = Exclude<ResultChange, "signature">;

/** Maximum number of rows that one SQL statement writes. */
const ROWS_PER_STATEMENT = 1000;

/** Time of the last change by each cause, ISO 8601. */
export type ChangeInstants = ReadonlyMap<ResultChange, string>;

/** Times at which the results of several studies changed, by cause, ISO 8601. */
export async function changeInstantsOf(
  db: Database,
  pids: readonly number[],
): Promise<(pid: number) => ChangeInstants> {
  const requestedPids = numberList(db, pids);
  const rows = await db.selectFrom("result_changes").select(["pid", "cause", "changed_at"])
    .where(isAmong(db, "pid", requestedPids)).execute();
  const signatures = await db.selectFrom("report_texts")
    .select((e) => ["pid", e.fn.max("created_at").as("at")])
    .where(isAmong(db, "pid", requestedPids)).where("state", "!=", "draft").groupBy("pid")
    .execute();
  const instants = new Map(pids.map((pid) => [pid, new Map<ResultChange, string>()]));
  for (const row of rows) instants.get(row.pid)!.set(row.cause, row.changed_at);
  for (const { pid, at } of signatures) if (at) instants.get(pid)!.set("signature", at);
  return (pid) => instants.get(pid) ?? new Map();
}

/** Times at which the results of a study changed, by cause, ISO 8601. */
export const changeInstants = async (db: Database, pid: number): Promise<ChangeInstants> =>
  (await changeInstantsOf(db, [pid]))(pid);

/** Time at which a kind of result last changed; `null`: never. */
export const instantFor = (instants: ChangeInstants, kind: string): string | null =>
  [...instants].filter(([cause]) => isOutdatedBy(cause, kind)).map(([, at]) => at).sort().at(-1) ??
    null;

/**
 * Records changes of studies, each at a separate time.
 * The caller must queue the results of these studies in the same transaction.
 */
export async function writeChange(
  db: Database,
  ...changes: readonly { pid: number; cause: StoredChange; at: string }[]
): Promise<void> {
  for (let from = 0; from < changes.length; from += ROWS_PER_STATEMENT) {
    const rows = changes.slice(from, from + ROWS_PER_STATEMENT).map(({ pid, cause, at }) => ({
      pid,
      cause,
      changed_at: at,
      is_pending: 0,
      queued_ms: null,
    }));
    await db.insertInto("result_changes").values(rows)
      .onConflict((conflict) =>
        conflict.columns(["pid", "cause"]).doUpdateSet((e) => ({
          changed_at: e.ref("excluded.changed_at"),
          is_pending: 0,
        }))
      )
      .execute();
  }
}

/**
 * Records a change of many studies in one statement.
 * Studies with outbox entries are pending until {@link writeQueued}.
 */
export async function writeChanges(
  db: Database,
  { pids, cause, at }: { pids: readonly number[]; cause: StoredChange; at: string },
): Promise<void> {
  if (pids.length === 0) return;
  await db.insertInto("result_changes")
    .columns(["pid", "cause", "changed_at", "is_pending", "queued_ms"])
    .expression((e) =>
      e.selectFrom("patients").select((p) => [
        "patients.pid",
        p.val(cause).as("cause"),
        p.val(at).as("changed_at"),
        p.case().when(p.exists(
          p.selectFrom("outbox").select("outbox.id").whereRef("outbox.pid", "=", "patients.pid"),
        )).then(p.lit(1)).else(p.lit(0)).end().as("is_pending"),
        p.lit(null).as("queued_ms"),
      ]).where(isAmong(db, "patients.pid", numberList(db, pids)))
    )
    .onConflict((conflict) =>
      conflict.columns(["pid", "cause"]).doUpdateSet((e) => ({
        changed_at: e.ref("excluded.changed_at"),
        is_pending: e.ref("excluded.is_pending"),
      }))
    )
    .execute();
}

/** Changes of results that are not queued yet, oldest first. */
export async function listPending(
  db: Database,
  limit: number,
): Promise<{ pid: number; cause: StoredChange; at: string }[]> {
  const rows = await db.selectFrom("result_changes").select(["pid", "cause", "changed_at"])
    .where("is_pending", "=", 1).orderBy("changed_at").orderBy("pid").limit(limit).execute();
  return rows.map(({ pid, cause, changed_at }) => ({ pid, cause, at: changed_at }));
}

/** Marks a change as queued, which is then no longer pending. */
export async function writeQueued(
  db: Database,
  { pid, cause, at }: { pid: number; cause: StoredChange; at: string },
  queuedMs: number | null,
): Promise<void> {
  await db.updateTable("result_changes")
    .set({ is_pending: 0, changed_at: at, ...(queuedMs !== null && { queued_ms: queuedMs }) })
    .where("pid", "=", pid).where("cause", "=", cause).execute();
}

/** Number of changed studies that were queued in the last `withinMs`. */
export async function countQueued(
  db: Database,
  { nowMs, withinMs }: { nowMs: number; withinMs: number },
): Promise<number> {
  const { n } = await db.selectFrom("result_changes")
    .select((e) => e.fn.countAll<number>().as("n")).where("is_pending", "=", 0)
    .where("queued_ms", ">=", nowMs - withinMs)
    // times in the future were stored before the clock was set back
    .where("queued_ms", "<=", latestCredible(nowMs)).executeTakeFirstOrThrow();
  return Number(n);
}

/** Number of studies with changes that are not queued yet. */
export async function countPending(db: Database): Promise<number> {
  const { n } = await db.selectFrom("result_changes")
    .select((e) => e.fn.count<number>("pid").distinct().as("n")).where("is_pending", "=", 1)
    .executeTakeFirstOrThrow();
  return Number(n);
}
