import type { ErrorCode } from "@/model/errors.ts";
import type { DriftChart, DriftGroup } from "@/model/schema/report/drift.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Scanner, protocol, coil and engine version: results that agree in all share control charts. */
export interface DriftKey {
  scanner: string;
  protocol: string;
  /** receive coil; empty: missing in the header, or charts of a version without coils */
  coil: string;
  engineVersion: string;
}

/** Newest cumulative sums of one control chart. */
export interface ChartSums {
  name: string;
  /** the larger sum divided by the limit: above 1, the chart signals a change */
  part: number;
}

/** Control charts of one scanner, without their data points. */
export interface StoredDrift extends DriftKey {
  id: number;
  computedAt: string;
  studies: number;
  moved: DriftGroup["moved"];
  /** analysis id after which results are included, since the last restart */
  afterAnalysis: number;
  restartedAt: string | null;
  /** e-mail address of the user who last restarted the charts */
  restartedBy: string | null;
}

/** Control charts of all scanners, sorted by name. */
export async function listDrift(db: Database): Promise<StoredDrift[]> {
  const rows = await db.selectFrom("drift_groups as g")
    .leftJoin("users as u", "u.id", "g.restarted_by")
    .select([
      "g.id",
      "g.scanner",
      "g.protocol",
      "g.coil",
      "g.engine_version",
      "g.computed_at",
      "g.studies",
      "g.moved",
      "g.after_analysis",
      "g.restarted_at",
      "u.email",
    ])
    .orderBy("g.scanner").orderBy("g.protocol").orderBy("g.coil").orderBy("g.id").execute();
  return rows.map((row) => ({
    id: row.id,
    scanner: row.scanner,
    protocol: row.protocol,
    coil: row.coil,
    engineVersion: row.engine_version,
    computedAt: row.computed_at,
    studies: row.studies,
    moved: JSON.parse(row.moved),
    afterAnalysis: row.after_analysis,
    restartedAt: row.restarted_at,
    restartedBy: row.email,
  }));
}

/** Data points of one scanner's control charts. */
export async function readDriftCharts(db: Database, id: number): Promise<DriftChart[]> {
  const row = await db.selectFrom("drift_groups").select("charts").where("id", "=", id)
    .executeTakeFirst();
  return row ? JSON.parse(row.charts) : [];
}

/**
 * Replaces the control charts of a scanner.
 * @param values `afterAnalysis` is the restart that the computation used:
 * if the charts were restarted since, nothing is written.
 */
export async function putDrift(
  db: Database,
  { scanner, protocol, coil, engineVersion }: DriftKey,
  values: Pick<StoredDrift, "computedAt" | "studies" | "moved" | "afterAnalysis"> & {
    charts: DriftChart[];
    sums: ChartSums[];
  },
): Promise<void> {
  const columns = {
    computed_at: values.computedAt,
    studies: values.studies,
    is_moved: Number(values.moved.length > 0),
    moved: JSON.stringify(values.moved),
    charts: JSON.stringify(values.charts),
    sums: JSON.stringify(values.sums),
  };
  await db.insertInto("drift_groups")
    .values({
      scanner,
      protocol,
      coil,
      engine_version: engineVersion,
      after_analysis: values.afterAnalysis,
      ...columns,
    })
    .onConflict((conflict) =>
      conflict.columns(["scanner", "protocol", "coil", "engine_version"]).doUpdateSet(columns)
        .where("drift_groups.after_analysis", "=", values.afterAnalysis)
    ).execute();
}

/** Restarts control charts: they will include only results after the newest analysis. */
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
    sums: "[]",
    restarted_at: at,
    restarted_by: userId,
  })).where("id", "=", id).execute();
}

/** Newest result in the control charts, and time at which they were last computed. */
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

/** Number of scanners for which a control chart signals a change. */
export async function countMovedScanners(db: Database): Promise<number> {
  const row = await db.selectFrom("drift_groups").select((e) => e.fn.countAll().as("n"))
    .where("is_moved", "=", 1).executeTakeFirstOrThrow();
  return Number(row.n);
}

/**
 * Newest cumulative sums of all control charts, those computed last first.
 * @param limit Maximum number of combinations of scanner, protocol, coil and version.
 */
export async function listChartSums(db: Database, limit: number) {
  const rows = await db.selectFrom("drift_groups")
    .select(["scanner", "protocol", "coil", "engine_version", "studies", "moved", "sums"])
    .orderBy("computed_at", "desc").orderBy("id", "desc").limit(limit).execute();
  return rows.map(({ engine_version, moved, sums, ...row }) => ({
    ...row,
    engineVersion: engine_version,
    moved: JSON.parse(moved) as DriftGroup["moved"],
    sums: JSON.parse(sums) as ChartSums[],
  }));
}

/**
 * Errors for which the site is responsible, not the images of a scanner:
 * failed analyses with these errors are not counted in the charts.
 */
const OWN_FAULTS = [
  "job.canceled",
  "server.busy",
  "storage.full",
  "storage.read_only",
  "storage.unavailable",
] as const satisfies ErrorCode[];

/** Newest T1w analyses for the control charts, newest first: completed, failed and refused ones. */
export async function newestEnded(db: Database, limit: number) {
  const rows = await db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .select(["a.id", "a.pid", "a.series_id", "a.status", "a.engine_version"])
    .where("a.kind", "=", "t1").where((e) =>
      e.or([
        e("a.status", "=", "completed"),
        e("a.status", "=", "failed").and("a.error_code", "not in", OWN_FAULTS),
      ])
    ).orderBy("a.id", "desc").limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    pid: row.pid,
    seriesId: row.series_id,
    isCompleted: row.status === "completed",
    engineVersion: row.engine_version,
  }));
}
