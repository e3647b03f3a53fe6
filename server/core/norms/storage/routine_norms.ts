import type { MeasureName } from "@/model/norms/local_norms.ts";
import type { IndirectNorm } from "@/model/norms/indirect/indirect_norm.ts";
import type { SparseHistogram } from "@/model/norms/indirect/pooling.ts";
import type { RoutineFile } from "@/model/schema/report/routine_norms.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Counts of one measure, and the bias subtracted from values before their residuals were counted.
 */
export interface MeasureCounts extends SparseHistogram {
  bias: number;
}
/** Counts of routine studies for a scanner and protocol. */
export interface RoutineCounts {
  hasOpinion: boolean;
  measures: Partial<Record<MeasureName, MeasureCounts>>;
}

/** Newest estimate for a scanner and protocol. */
export interface StoredRoutine {
  id: number;
  scanner: string;
  protocol: string;
  engineVersion: string;
  computedAt: string;
  studies: number;
  moved: number;
  isAlarm: boolean;
  counts: RoutineCounts;
  estimates: Partial<Record<MeasureName, IndirectNorm>>;
}

/** File with the counts of another site. */
export interface StoredPool {
  routineId: number;
  studies: number;
  file: RoutineFile;
}

/** Stores the estimate for a scanner and protocol, replacing the earlier one. @returns its id. */
export async function putRoutine(
  db: Database,
  routine: Omit<StoredRoutine, "id" | "moved" | "isAlarm">,
): Promise<number> {
  const values = {
    engine_version: routine.engineVersion,
    computed_at: routine.computedAt,
    studies: routine.studies,
    counts: JSON.stringify(routine.counts),
    estimates: JSON.stringify(routine.estimates),
  };
  const { scanner, protocol } = routine;
  const { id } = await db.insertInto("routine_norms")
    .values({ scanner, protocol, moved: 0, is_alarm: 0, ...values })
    .onConflict((conflict) => conflict.columns(["scanner", "protocol"]).doUpdateSet(values))
    .returning("id").executeTakeFirstOrThrow();
  return id;
}

/** Stores how many measures are outside the interval of the accepted norms. */
export async function setDrift(
  db: Database,
  id: number,
  moved: number,
  isAlarm: boolean,
): Promise<void> {
  await db.updateTable("routine_norms").set({ moved, is_alarm: Number(isAlarm) })
    .where("id", "=", id).execute();
}

/** All estimates of routine norms, ordered by scanner and protocol. */
export async function listRoutine(db: Database): Promise<StoredRoutine[]> {
  const rows = await db.selectFrom("routine_norms").selectAll().orderBy("scanner")
    .orderBy("protocol").execute();
  return rows.map((row) => ({
    id: row.id,
    scanner: row.scanner,
    protocol: row.protocol,
    engineVersion: row.engine_version,
    computedAt: row.computed_at,
    studies: row.studies,
    moved: row.moved,
    isAlarm: row.is_alarm === 1,
    counts: JSON.parse(row.counts),
    estimates: JSON.parse(row.estimates),
  }));
}

/** Deletes an estimate without studies, and the files of other sites that were added to it. */
export async function deleteRoutine(db: Database, id: number): Promise<void> {
  await db.deleteFrom("routine_norms").where("id", "=", id).execute();
}

export async function listPools(db: Database): Promise<StoredPool[]> {
  const rows = await db.selectFrom("routine_pools").select(["routine_id", "studies", "content"])
    .orderBy("id").execute();
  return rows.map(({ routine_id, studies, content }) => ({
    routineId: routine_id,
    studies,
    file: JSON.parse(content),
  }));
}

/** Stores a file of another site, replacing an older file of that site. */
export async function putPool(
  db: Database,
  routineId: number,
  file: RoutineFile,
  { userId, at }: { userId: number; at: string },
): Promise<void> {
  const values = {
    studies: file.studies,
    content: JSON.stringify(file),
    imported_at: at,
    imported_by: userId,
  };
  await db.insertInto("routine_pools")
    .values({ routine_id: routineId, site: file.site, ...values })
    .onConflict((conflict) => conflict.columns(["routine_id", "site"]).doUpdateSet(values))
    .execute();
}

/** Deletes the files of other sites from an estimate. @returns number of files. */
export async function deletePools(db: Database, routineId: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom("routine_pools")
    .where("routine_id", "=", routineId).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Random id that identifies this site in its files, and time of the last computation. */
export async function routineState(
  db: Database,
): Promise<{ site: string; computedAt: string | null }> {
  const site = crypto.randomUUID().replaceAll("-", "");
  await db.insertInto("routine_state").values({ id: 1, site, computed_at: null })
    .onConflict((conflict) => conflict.doNothing()).execute();
  const row = await db.selectFrom("routine_state").select(["site", "computed_at"])
    .where("id", "=", 1).executeTakeFirstOrThrow();
  return { site: row.site, computedAt: row.computed_at };
}

export async function setComputed(db: Database, at: string): Promise<void> {
  await db.updateTable("routine_state").set({ computed_at: at }).where("id", "=", 1).execute();
}

/** Number of estimates that no longer match the accepted norms. */
export async function countRoutineAlarms(db: Database): Promise<number> {
  const row = await db.selectFrom("routine_norms").select((e) => e.fn.countAll().as("n"))
    .where("is_alarm", "=", 1).executeTakeFirstOrThrow();
  return Number(row.n);
}
