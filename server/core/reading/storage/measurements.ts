import type { Database } from "@/server/core/database/database.ts";
import type { StudyMeasurement } from "@/model/schema/reading/measurements.ts";

/** Numbers that a measurement on an image gives. */
type Measured = Pick<StudyMeasurement, "kind" | "series" | "plane" | "points_mm" | "statistics">;

interface StoredMeasurement extends Measured {
  id: number;
  note: string;
  isInReport: boolean;
  createdAt: string;
  createdBy: number | null;
  /** author's name; empty for a deleted account */
  creator: string;
}

/** Measurements of a study, oldest first. */
export async function listMeasurements(db: Database, pid: number): Promise<StoredMeasurement[]> {
  const rows = await db.selectFrom("measurements as m").leftJoin(
    "users as u",
    "u.id",
    "m.created_by",
  )
    .select(["m.id", "m.measured", "m.note", "m.is_in_report", "m.created_at", "m.created_by"])
    .select(["u.name", "u.email"]).where("m.pid", "=", pid).orderBy("m.id").execute();
  return rows.map((row) => ({
    id: row.id,
    ...JSON.parse(row.measured) as Measured,
    note: row.note,
    isInReport: row.is_in_report === 1,
    createdAt: row.created_at,
    createdBy: row.created_by,
    creator: row.name || row.email || "",
  }));
}

/** Stores a measurement. @returns its id. */
export async function insertMeasurement(
  db: Database,
  { pid, note, at, userId, ...measured }: Measured & {
    pid: number;
    note: string;
    at: string;
    userId: number;
  },
): Promise<number> {
  const { id } = await db.insertInto("measurements").values({
    pid,
    measured: JSON.stringify(measured),
    note,
    is_in_report: 0,
    created_at: at,
    created_by: userId,
  }).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** Changes a measurement. @returns false for an unknown id. */
export async function updateMeasurement(
  db: Database,
  pid: number,
  id: number,
  { note, isInReport }: Pick<StoredMeasurement, "note" | "isInReport">,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("measurements")
    .set({ note, is_in_report: isInReport ? 1 : 0 })
    .where("pid", "=", pid).where("id", "=", id).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** A measurement by its id; `undefined` if the study has no measurement with this id. */
export async function findMeasured(
  db: Database,
  pid: number,
  id: number,
): Promise<Measured | undefined> {
  const row = await db.selectFrom("measurements").select("measured").where("pid", "=", pid)
    .where("id", "=", id).executeTakeFirst();
  return row && JSON.parse(row.measured);
}

/** Stores the points to which a measurement was moved. */
export async function moveMeasurement(db: Database, id: number, measured: Measured): Promise<void> {
  const { kind, series, plane, points_mm, statistics } = measured;
  await db.updateTable("measurements")
    .set({ measured: JSON.stringify({ kind, series, plane, points_mm, statistics }) })
    .where("id", "=", id).execute();
}

/** Author of a measurement; `undefined` for an unknown id. */
export async function ownerOfMeasurement(
  db: Database,
  pid: number,
  id: number,
): Promise<number | null | undefined> {
  const row = await db.selectFrom("measurements").select("created_by").where("pid", "=", pid)
    .where("id", "=", id).executeTakeFirst();
  return row?.created_by;
}

export async function deleteMeasurement(db: Database, id: number): Promise<void> {
  await db.deleteFrom("measurements").where("id", "=", id).execute();
}

export async function countMeasurements(db: Database, pid: number): Promise<number> {
  const { count } = await db.selectFrom("measurements").select((e) => e.fn.countAll().as("count"))
    .where("pid", "=", pid).executeTakeFirstOrThrow();
  return Number(count);
}
