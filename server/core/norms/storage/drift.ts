import type { ChartName, ChartStates } from "@/model/drift/charts.ts";
import type { ChartState } from "@/model/drift/cusum.ts";
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

/** A restart that one person has proposed. */
export interface RestartProposal {
  reason: string;
  at: string;
  by: number | null;
}

/** Control charts of one scanner, without their data points. */
export interface StoredDrift extends DriftKey {
  id: number;
  computedAt: string;
  studies: number;
  /** number of studies in the baseline, see `learntOf` */
  learnt: number;
  moved: DriftGroup["moved"];
  /** analysis id after which results are included, since the last restart */
  afterAnalysis: number;
  restartedAt: string | null;
  /** e-mail address of the user who last restarted the charts */
  restartedBy: string | null;
  /** restart that waits for a second person */
  proposal: RestartProposal | null;
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
      "g.learnt",
      "g.moved",
      "g.after_analysis",
      "g.restarted_at",
      "g.restart_reason",
      "g.restart_proposed_at",
      "g.restart_proposed_by",
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
    learnt: row.learnt,
    moved: JSON.parse(row.moved),
    afterAnalysis: row.after_analysis,
    restartedAt: row.restarted_at,
    restartedBy: row.email,
    proposal: row.restart_proposed_at === null ? null : {
      reason: row.restart_reason,
      at: row.restart_proposed_at,
      by: row.restart_proposed_by,
    },
  }));
}

/** Data points of one scanner's control charts. */
export async function readDriftCharts(db: Database, id: number): Promise<DriftChart[]> {
  const row = await db.selectFrom("drift_groups").select("charts").where("id", "=", id)
    .executeTakeFirst();
  return row ? JSON.parse(row.charts) : [];
}

/**
 * Finds or stores charts, and locks them until the transaction ends: one process appends at a time.
 * @returns id of the charts.
 */
export async function lockDrift(
  db: Database,
  { scanner, protocol, coil, engineVersion }: DriftKey,
  { computedAt, afterAnalysis }: Pick<StoredDrift, "computedAt" | "afterAnalysis">,
): Promise<number> {
  const { id } = await db.insertInto("drift_groups")
    .values({
      scanner,
      protocol,
      coil,
      engine_version: engineVersion,
      after_analysis: afterAnalysis,
      computed_at: computedAt,
      studies: 0,
      is_moved: 0,
      moved: "[]",
      charts: "[]",
    })
    .onConflict((conflict) =>
      conflict.columns(["scanner", "protocol", "coil", "engine_version"])
        .doUpdateSet({ computed_at: computedAt })
    ).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** State of charts to which studies are appended; empty before the first study. */
export async function readDriftState(
  db: Database,
  id: number,
): Promise<
  Pick<StoredDrift, "moved" | "afterAnalysis"> & {
    states: [ChartName, ChartState][];
    charts: DriftChart[];
  }
> {
  const row = await db.selectFrom("drift_groups")
    .select(["state", "charts", "moved", "after_analysis"])
    .where("id", "=", id).executeTakeFirstOrThrow();
  return {
    states: JSON.parse(row.state),
    charts: JSON.parse(row.charts),
    moved: JSON.parse(row.moved),
    afterAnalysis: row.after_analysis,
  };
}

/**
 * Stores charts after studies were appended. If more charts signal a change, a proposed restart is
 * withdrawn: the person who proposed it did not know of the change.
 */
export async function putDrift(
  db: Database,
  id: number,
  values: {
    added: number;
    learnt: number;
    moved: DriftGroup["moved"];
    hasMoved: boolean;
    states: ChartStates;
    charts: DriftChart[];
    sums: ChartSums[];
  },
): Promise<void> {
  await db.updateTable("drift_groups").set((e) => ({
    studies: e("studies", "+", values.added),
    learnt: values.learnt,
    is_moved: Number(values.moved.length > 0),
    moved: JSON.stringify(values.moved),
    state: JSON.stringify([...values.states]),
    charts: JSON.stringify(values.charts),
    sums: JSON.stringify(values.sums),
    ...values.hasMoved && NO_PROPOSAL,
  })).where("id", "=", id).execute();
}

const NO_PROPOSAL = {
  restart_reason: "",
  restart_proposed_at: null,
  restart_proposed_by: null,
} as const;

/** Stores the first person's proposal of a restart. @returns false if a restart is proposed. */
export async function proposeRestart(
  db: Database,
  id: number,
  { reason, at, by }: RestartProposal,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("drift_groups")
    .set({ restart_reason: reason, restart_proposed_at: at, restart_proposed_by: by })
    .where("id", "=", id).where("restart_proposed_at", "is", null).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Withdraws the proposal of a restart. @returns false if there is none. */
export async function clearRestart(db: Database, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("drift_groups").set(NO_PROPOSAL)
    .where("id", "=", id).where("restart_proposed_at", "is not", null).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/**
 * Withdraws the proposal that the second person has read, for the restart of which that person is
 * not the author. @returns false if this restart is not proposed at present, or by the same person.
 */
export async function takeRestart(
  db: Database,
  id: number,
  { proposedAt, userId }: { proposedAt: string; userId: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("drift_groups").set(NO_PROPOSAL)
    .where("id", "=", id).where("restart_proposed_at", "=", proposedAt)
    .where((e) =>
      e.or([e("restart_proposed_by", "is", null), e("restart_proposed_by", "!=", userId)])
    ).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Who restarted charts, when, and why. */
export interface Restart {
  reason: string;
  at: string;
  by: number | null;
  /** second person; `null`: not needed, or a deleted account */
  agreedBy: number | null;
}

/**
 * Restarts control charts: they will include only results after the newest analysis.
 * The restart is recorded with the charts' state.
 */
export async function restartDrift(
  db: Database,
  drift: DriftKey & Pick<StoredDrift, "id" | "studies" | "moved">,
  { reason, at, by, agreedBy }: Restart,
): Promise<void> {
  await db.insertInto("chart_restarts").values({
    scanner: drift.scanner,
    protocol: drift.protocol,
    coil: drift.coil,
    engine_version: drift.engineVersion,
    studies: drift.studies,
    moved: JSON.stringify(drift.moved),
    reason,
    restarted_at: at,
    restarted_by: by,
    agreed_by: agreedBy,
  }).execute();
  await db.updateTable("drift_groups").set((e) => ({
    after_analysis: e.selectFrom("analyses as a").select((a) =>
      a.fn.coalesce(a.fn.max("a.id"), a.lit(0)).as("id")
    ),
    studies: 0,
    learnt: 0,
    is_moved: 0,
    moved: "[]",
    state: "[]",
    charts: "[]",
    sums: "[]",
    ...NO_PROPOSAL,
    restarted_at: at,
    restarted_by: by,
  })).where("id", "=", drift.id).execute();
}

/** A recorded restart of charts. */
export interface StoredRestart extends DriftKey, Restart {
  studies: number;
  moved: DriftGroup["moved"];
}

/** Restarts of control charts, newest first. */
export async function listRestarts(db: Database): Promise<StoredRestart[]> {
  const rows = await db.selectFrom("chart_restarts").selectAll().orderBy("id", "desc").execute();
  return rows.map((row) => ({
    scanner: row.scanner,
    protocol: row.protocol,
    coil: row.coil,
    engineVersion: row.engine_version,
    studies: row.studies,
    moved: JSON.parse(row.moved),
    reason: row.reason,
    at: row.restarted_at,
    by: row.restarted_by,
    agreedBy: row.agreed_by,
  }));
}

/** Time at which the control charts were last computed; `null`: never. */
export async function driftComputedAt(db: Database): Promise<string | null> {
  const row = await db.selectFrom("drift_state").select("computed_at").where("id", "=", 1)
    .executeTakeFirst();
  return row?.computed_at ?? null;
}

export async function setDriftComputedAt(db: Database, computedAt: string): Promise<void> {
  const values = { computed_at: computedAt };
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
    .select(["scanner", "protocol", "coil", "engine_version", "studies", "learnt", "moved", "sums"])
    .orderBy("computed_at", "desc").orderBy("id", "desc").limit(limit).execute();
  return rows.map(({ engine_version, moved, sums, ...row }) => ({
    ...row,
    engineVersion: engine_version,
    moved: JSON.parse(moved) as DriftGroup["moved"],
    sums: JSON.parse(sums) as ChartSums[],
  }));
}
