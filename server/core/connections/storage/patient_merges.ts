import type { Database } from "@/server/core/database/database.ts";
import type { PatientMergeRow } from "@/server/core/database/tables.ts";
import type { OrderedPatient, RecordIdentity } from "@/model/patient/record_identity.ts";

/**
 * A study that a patient merge changed, and the patient's identity before the merge. The study was
 * moved to the surviving ID, or had this ID and got the identity that an administrator confirmed.
 */
export interface MovedStudy {
  pid: number;
  before: RecordIdentity;
}

/** An order moved or changed by a patient merge, with the previous patient. */
export interface MovedOrder {
  id: number;
  before: OrderedPatient;
}

/** Two patient IDs that the hospital has merged. */
export interface PatientMerge {
  id: number;
  priorId: string;
  patientId: string;
  eventMs: number;
  mergedAt: string;
  system: string;
  controlId: string;
  state: PatientMergeRow["state"];
  moved: MovedStudy[];
  movedOrders: MovedOrder[];
  undoneAt: string | null;
  undoneBy: number | null;
}

/** Maximum length of a chain of merges, as a guard against a circular chain. */
const MAX_CHAIN = 100;

const mergeOf = (row: Omit<PatientMergeRow, "id"> & { id: number }): PatientMerge => ({
  id: row.id,
  priorId: row.prior_id,
  patientId: row.patient_id,
  eventMs: Number(row.event_ms),
  mergedAt: row.merged_at,
  system: row.system,
  controlId: row.control_id,
  state: row.state,
  moved: JSON.parse(row.moved) as MovedStudy[],
  movedOrders: JSON.parse(row.moved_orders) as MovedOrder[],
  undoneAt: row.undone_at,
  undoneBy: row.undone_by,
});

/** Merge by which a patient ID became invalid; `null` for a valid ID. */
export async function activeMerge(db: Database, priorId: string): Promise<PatientMerge | null> {
  const row = await db.selectFrom("patient_merges").selectAll().where("prior_id", "=", priorId)
    .where("state", "=", "active").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row ? mergeOf(row) : null;
}

/** Undo of a merge by a user. */
export interface Undo {
  /** id of the merge */
  id: number;
  /** time of the undo, ISO 8601 */
  at: string;
  /** name of the user; empty for a deleted account */
  by: string;
}

/**
 * The undo of the newest merge of two patient IDs, in either direction; `null` if this merge was
 * not undone, so that the hospital's next merge of the two IDs needs no confirmation.
 */
export async function undoneMerge(
  db: Database,
  [one, other]: readonly [string, string],
): Promise<Undo | null> {
  const row = await db.selectFrom("patient_merges as m").leftJoin(
    "users as u",
    "u.id",
    "m.undone_by",
  )
    .select(["m.id", "m.state", "m.undone_at", "u.name"]).where((e) =>
      e.or([
        e.and([e("m.prior_id", "=", one), e("m.patient_id", "=", other)]),
        e.and([e("m.prior_id", "=", other), e("m.patient_id", "=", one)]),
      ])
    ).orderBy("m.id", "desc").limit(1).executeTakeFirst();
  if (row?.state !== "undone") return null;
  return { id: row.id, at: row.undone_at ?? "", by: row.name ?? "" };
}

/** Merges from a patient ID to the currently valid ID, in order; empty for a valid ID. */
export async function mergesFrom(db: Database, patientId: string): Promise<PatientMerge[]> {
  const chain: PatientMerge[] = [];
  for (let id = patientId; chain.length < MAX_CHAIN;) {
    const merge = await activeMerge(db, id);
    if (merge === null) return chain;
    chain.push(merge);
    id = merge.patientId;
  }
  throw new RangeError("Cannot follow merges: their chain does not end");
}

/** Ends earlier merges of a patient ID that is in use again or was merged into another ID. */
export async function supersedeMerges(db: Database, priorId: string): Promise<void> {
  await db.updateTable("patient_merges").set({ state: "superseded" })
    .where("prior_id", "=", priorId).where("state", "=", "active").execute();
}

export async function insertMerge(
  db: Database,
  merge: Pick<
    PatientMerge,
    | "priorId"
    | "patientId"
    | "eventMs"
    | "mergedAt"
    | "system"
    | "controlId"
    | "moved"
    | "movedOrders"
  >,
): Promise<number> {
  const row = await db.insertInto("patient_merges").values({
    prior_id: merge.priorId,
    patient_id: merge.patientId,
    event_ms: merge.eventMs,
    merged_at: merge.mergedAt,
    system: merge.system,
    control_id: merge.controlId,
    state: "active",
    moved: JSON.stringify(merge.moved),
    moved_orders: JSON.stringify(merge.movedOrders),
    undone_at: null,
    undone_by: null,
  }).returning("id").executeTakeFirstOrThrow();
  return row.id;
}

/** Replaces the stored list of the studies that a merge has moved. */
export async function writeMoved(
  db: Database,
  id: number,
  moved: readonly MovedStudy[],
): Promise<void> {
  await db.updateTable("patient_merges").set({ moved: JSON.stringify(moved) }).where("id", "=", id)
    .execute();
}

/** Replaces the stored list of the orders that a merge has moved. */
export async function writeMovedOrders(
  db: Database,
  id: number,
  moved: readonly MovedOrder[],
): Promise<void> {
  await db.updateTable("patient_merges").set({ moved_orders: JSON.stringify(moved) })
    .where("id", "=", id).execute();
}

export async function findMerge(db: Database, id: number): Promise<PatientMerge | null> {
  const row = await db.selectFrom("patient_merges").selectAll().where("id", "=", id)
    .executeTakeFirst();
  return row ? mergeOf(row) : null;
}

export async function setUndone(
  db: Database,
  id: number,
  { at, userId }: { at: string; userId: number },
): Promise<void> {
  await db.updateTable("patient_merges")
    .set({ state: "undone", undone_at: at, undone_by: userId }).where("id", "=", id).execute();
}

/** Patient merges, newest first. @param before Only merges with a lower id. */
export async function listMerges(
  db: Database,
  most: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<PatientMerge[]> {
  const rows = await db.selectFrom("patient_merges").selectAll().where("id", "<", before)
    .orderBy("id", "desc").limit(most).execute();
  return rows.map(mergeOf);
}
