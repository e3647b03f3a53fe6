import type { DriftChart, DriftGroup } from "@/model/schema/report/drift.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Scanner, protocol and engine version: results with equal values share charts. */
export interface DriftKey {
  scanner: string;
  protocol: string;
  engineVersion: string;
}

/** Charts of one scanner without their data points. */
export interface StoredDrift extends DriftKey {
  id: number;
  computedAt: string;
  studies: number;
  moved: DriftGroup["moved"];
  /** analysis id: only later results are included */
  afterAnalysis: number;
  restartedAt: string | null;
  /** e-mail address of the user who restarted the charts */
  restartedBy: string | null;
}

/** Charts of all scanners, by name. */
export async function listDrift(db: Database): Promise<StoredDrift[]> {
  const rows = await db.selectFrom("drift_groups as g")
    .leftJoin("users as u", "u.id", "g.restarted_by")
    .select([
      "g.id",
      "g.scanner",
      "g.protocol",
      "g.engine_version",
      "g.computed_at",
      "g.studies",
      "g.moved",
      "g.after_analysis",
      "g.restarted_at",
      "u.email",
    ])
    .orderBy("g.scanner").orderBy("g.protocol").orderBy("g.id").execute();
  return rows.map((row) => ({
    id: row.id,
    scanner: row.scanner,
    protocol: row.protocol,
    engineVersion: row.engine_version,
    computedAt: row.computed_at,
    studies: row.studies,
    moved: JSON.parse(row.moved),
    afterAnalysis: row.after_analysis,
    restartedAt: row.restarted_at,
    restartedBy: row.email,
  }));
}

/** Data points of one scanner's charts. */
export async function readDriftCharts(db: Database, id: number): Promise<DriftChart[]> {
  const row = await db.selectFrom("drift_groups").select("charts").where("id", "=", id)
    .executeTakeFirst();
  return row ? JSON.parse(row.charts) : [];
}

/**
 * Replaces the charts of a scanner.
 * @param afterAnalysis Start of the charts that are replaced:
 * if they were restarted meanwhile, nothing is written.
 */
export async function putDrift(
  db: Database,
  { scanner, protocol, engineVersion }: DriftKey,
  values: Pick<StoredDrift, "computedAt" | "studies" | "moved" | "afterAnalysis"> & {
    charts: DriftChart[];
  },
): Promise<void> {
  const columns = {
    computed_at: values.computedAt,
    studies: values.studies,
    is_moved: Number(values.moved.length > 0),
    moved: JSON.stringify(values.moved),
    charts: JSON.stringify(values.charts),
  };
  await db.insertInto("drift_groups")
    .values({ scanner, protocol, engine_version: engineVersion, ...columns })
    .onConflict((conflict) =>
      conflict.columns(["scanner", "protocol", "engine_version"]).doUpdateSet(columns)
        .where("drift_groups.after_analysis", "=", values.afterAnalysis)
    ).execute();
}

/** Restarts charts: from now on, only results after the newest analysis are included. */
export async function restartDrift(
  db: Database,
  id: number,
  { userId, at }: { userId: number; at: string },
): Promise<void> {
  await db.updateTable("drift_groups").set((e) => ({
    after_analysis: e.selectFrom("analyses as a").select((a) =>
      a.fn.coalesce(a.fn.max("a.id"), a.lit(0)).as("id")
    ),
    studies: 0,
    is_moved: 0,
    moved: "[]",
    charts: "[]",
    restarted_at: at,
    restarted_by: userId,
  })).where("id", "=", id).execute();
}

/** Newest result in the charts, and the time of their last computation. */
export async function driftStateOf(
  db: Database,
): Promise<{ lastAnalysis: number; computedAt: string | null }> {
  const row = await db.selectFrom("drift_state").selectAll().where("id", "=", 1)
    .executeTakeFirst();
  return { lastAnalysis: row?.last_analysis ?? 0, computedAt: row?.computed_at ?? null };
}

export async function setDriftState(
  db: Database,
  lastAnalysis: number,
  computedAt: string,
): Promise<void> {
  const values = { last_analysis: lastAnalysis, computed_at: computedAt };
  await db.insertInto("drift_state").values({ id: 1, ...values })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(values)).execute();
}

/** Number of scanners with a signalled change. */
export async function countMovedScanners(db: Database): Promise<number> {
  const row = await db.selectFrom("drift_groups").select((e) => e.fn.countAll().as("n"))
    .where("is_moved", "=", 1).executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Newest completed T1w results suitable for charts, newest first. */
export async function newestResultPlaces(db: Database, limit: number) {
  const rows = await db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .select(["a.id", "a.pid", "a.series_id", "a.engine_version"])
    .where("a.status", "=", "completed").orderBy("a.id", "desc").limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    pid: row.pid,
    seriesId: row.series_id,
    engineVersion: row.engine_version,
  }));
}
