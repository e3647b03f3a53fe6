import type { DriftGroup } from "@/model/schema/report/drift.ts";
import type { StopAgreement, StopDecision } from "@/model/schema/report/stops.ts";
import type { Database } from "@/server/core/database/database.ts";
import { imageDateColumn, isoImageDate } from "@/server/core/database/image_date.ts";

/** A scanner and protocol for which percentiles are, or were, withheld. */
export interface StoredStop {
  id: number;
  scanner: string;
  protocol: string;
  /** first study date with withheld percentiles; `null`: every study */
  since: string | null;
  moved: DriftGroup["moved"];
  stoppedAt: string;
  decision: StopDecision | null;
  reason: string;
  proposedAt: string | null;
  proposedBy: number | null;
  decidedAt: string | null;
  decidedBy: number | null;
  /** time at which percentiles were last withheld or shown again */
  changedAt: string;
  /** time at which `moved` or `since` last changed; a decision must be about this state */
  chartsChangedAt: string;
}

/** A result of a scanner, with the times by which a stop concerns it. */
interface DatedResult {
  pid: number;
  /** study date by the images, ISO 8601 */
  imageDate: string | null;
  /** time at which the site received the study */
  receivedAt: string;
}

/** Current T1w results of one scanner and protocol, with dates that no edit changes. */
export async function listDatedResults(
  db: Database,
  { scanner, protocol }: Pick<StoredStop, "scanner" | "protocol">,
): Promise<DatedResult[]> {
  const rows = await db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .innerJoin("series as s", "s.id", "a.series_id")
    .leftJoin("series_headers as h", "h.series_id", "a.series_id")
    .select(["a.pid", "p.created_at", imageDateColumn.as("image_date")])
    .where("a.status", "=", "completed").where("s.protocol", "=", protocol)
    .where((e) => e(e.fn<string>("lower", ["s.scanner"]), "=", scanner.toLowerCase()))
    .orderBy("a.id").execute();
  return rows.map(({ pid, created_at: receivedAt, image_date }) => ({
    pid,
    imageDate: isoImageDate(image_date),
    receivedAt,
  }));
}

interface By {
  userId: number;
  at: string;
}

/** Whether percentiles are withheld, until two people have released the scanner. */
export const isWithholding = ({ decision, decidedAt }: StoredStop): boolean =>
  !(decision === "release" && decidedAt !== null);

/** All stops of scanners, newest first. */
export async function listStops(db: Database): Promise<StoredStop[]> {
  const rows = await db.selectFrom("scanner_stops").selectAll().orderBy("id", "desc").execute();
  return rows.map((row) => ({
    id: row.id,
    scanner: row.scanner,
    protocol: row.protocol,
    since: row.since,
    moved: JSON.parse(row.charts),
    stoppedAt: row.stopped_at,
    decision: row.decision,
    reason: row.reason,
    proposedAt: row.proposed_at,
    proposedBy: row.proposed_by,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    changedAt: row.changed_at,
    chartsChangedAt: row.charts_changed_at,
  }));
}

/** Stores a stop of a scanner. @returns id of the stop. */
export async function insertStop(
  db: Database,
  { scanner, protocol, since, moved, stoppedAt }: Pick<
    StoredStop,
    "scanner" | "protocol" | "since" | "moved" | "stoppedAt"
  >,
): Promise<number> {
  const { id } = await db.insertInto("scanner_stops").values({
    scanner,
    protocol,
    since,
    charts: JSON.stringify(moved),
    stopped_at: stoppedAt,
    decision: null,
    proposed_at: null,
    proposed_by: null,
    decided_at: null,
    decided_by: null,
    changed_at: stoppedAt,
    charts_changed_at: stoppedAt,
  }).returning("id").executeTakeFirstOrThrow();
  return id;
}

const NO_DECISION = {
  decision: null,
  reason: "",
  proposed_at: null,
  proposed_by: null,
  decided_at: null,
  decided_by: null,
} as const;

/**
 * Records more control charts that signal a change, and the date from which studies are affected.
 * A proposal without an agreement is withdrawn: the person who proposed it did not know of them.
 * @param isWider Whether percentiles of more studies are withheld.
 */
export async function extendStop(
  db: Database,
  id: number,
  { since, moved, at, isWider }: Pick<StoredStop, "since" | "moved"> & {
    at: string;
    isWider: boolean;
  },
): Promise<void> {
  await db.updateTable("scanner_stops").set({
    since,
    charts: JSON.stringify(moved),
    charts_changed_at: at,
    ...isWider && { changed_at: at },
  }).where("id", "=", id).execute();
  await db.updateTable("scanner_stops").set(NO_DECISION)
    .where("id", "=", id).where("decided_at", "is", null).execute();
}

/** Stores the first person's decision. @returns false if there is a decision already. */
export async function proposeDecision(
  db: Database,
  id: number,
  { decision, reason }: { decision: StopDecision; reason: string },
  { userId, at }: By,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("scanner_stops")
    .set({ decision, reason, proposed_at: at, proposed_by: userId })
    .where("id", "=", id).where("decision", "is", null).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/**
 * Stores the second person's agreement.
 * @returns false if this decision is not proposed at present, or by the same person, or if more
 * charts have signalled a change since that person read the stop.
 */
export async function agreeToDecision(
  db: Database,
  id: number,
  seen: StopAgreement,
  { userId, at }: By,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("scanner_stops")
    .set((e) => ({
      decided_at: at,
      decided_by: userId,
      changed_at: e.case().when("decision", "=", "release").then(at).else(e.ref("changed_at"))
        .end(),
    }))
    .where("id", "=", id).where("decided_at", "is", null)
    .where("decision", "=", seen.decision).where("proposed_at", "=", seen.proposed_at)
    .where("charts_changed_at", "=", seen.changed_at)
    .where((e) => e.or([e("proposed_by", "is", null), e("proposed_by", "!=", userId)]))
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Withdraws a decision, proposed or effective. @returns false if there is none. */
export async function clearDecision(db: Database, id: number, at: string): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("scanner_stops").set((e) => ({
    ...NO_DECISION,
    changed_at: e.case()
      .when(e.and([e("decision", "=", "release"), e("decided_at", "is not", null)])).then(at)
      .else(e.ref("changed_at")).end(),
  })).where("id", "=", id).where("decision", "is not", null).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}
