import type { LabelRef } from "@/model/schema/worklist/labels.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, type NumberList, numberList } from "@/server/core/database/postgres.ts";

/** Rows per SQL statement: SQLite allows 32,766 values in one statement. */
const ROWS_PER_BATCH = 2000;

function* slices<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += ROWS_PER_BATCH) yield items.slice(i, i + ROWS_PER_BATCH);
}

/** All labels for studies, in order of creation. */
export const listLabels = async (db: Database): Promise<LabelRef[]> =>
  await db.selectFrom("labels").select(["id", "label_name"]).orderBy("id").execute();

/** Stores a label. @param nameKey Result of `labelKey`; must be unique among the labels. */
export async function insertLabel(db: Database, name: string, nameKey: string): Promise<number> {
  const row = await db.insertInto("labels").values({ label_name: name, name_key: nameKey })
    .returning("id").executeTakeFirstOrThrow();
  return row.id;
}

export async function renameLabel(
  db: Database,
  id: number,
  name: string,
  nameKey: string,
): Promise<void> {
  await db.updateTable("labels").set({ label_name: name, name_key: nameKey }).where("id", "=", id)
    .execute();
}

/** Deletes labels, and removes them from studies and filters. */
export async function deleteLabels(db: Database, ids: readonly number[]): Promise<void> {
  for (const batch of slices(ids)) await db.deleteFrom("labels").where("id", "in", batch).execute();
}

/** Map from label id to the numbers of the studies with this label, ascending. */
export async function patientsByLabel(db: Database): Promise<Map<number, number[]>> {
  const rows = await db.selectFrom("patient_labels").select(["label_id", "pid"])
    .orderBy("label_id").orderBy("pid").execute();
  const byLabel = new Map<number, number[]>();
  for (const { label_id, pid } of rows) {
    const pids = byLabel.get(label_id);
    if (pids) pids.push(pid);
    else byLabel.set(label_id, [pid]);
  }
  return byLabel;
}

/** Adds a label to studies; studies deleted in the meantime are ignored. */
export async function addToPatients(
  db: Database,
  labelId: number,
  pids: readonly number[],
): Promise<void> {
  for (const batch of slices(pids)) {
    await db.insertInto("patient_labels").columns(["pid", "label_id"]).expression((e) =>
      e.selectFrom("patients").select((p) => ["patients.pid", p.lit(labelId).as("label_id")])
        .where("patients.pid", "in", batch)
    ).onConflict((conflict) => conflict.doNothing()).execute();
  }
}

export async function removeFromPatients(
  db: Database,
  labelId: number,
  pids: readonly number[],
): Promise<void> {
  for (const batch of slices(pids)) {
    await db.deleteFrom("patient_labels").where("label_id", "=", labelId).where("pid", "in", batch)
      .execute();
  }
}

const labelsAmong = (db: Database, pids: NumberList) =>
  db.selectFrom("patient_labels as u").innerJoin("labels as l", "l.id", "u.label_id")
    .select(["u.pid", "l.id", "l.label_name"]).where(isAmong(db, "u.pid", pids)).orderBy(
      "l.name_key",
    )
    .execute();

/** Map from study number to the labels of the study, ordered by name. */
export async function labelsOfPatients(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, LabelRef[]>> {
  const byPid = new Map<number, LabelRef[]>();
  for (const batch of slices(pids)) {
    for (const { pid, id, label_name } of await labelsAmong(db, numberList(db, batch))) {
      const refs = byPid.get(pid) ?? [];
      refs.push({ id, label_name });
      byPid.set(pid, refs);
    }
  }
  return byPid;
}

/** Map from label id to the ids of the user's filters that contain the label. */
export async function filtersByLabel(db: Database, userId: number): Promise<Map<number, number[]>> {
  const rows = await db.selectFrom("filter_labels as u").innerJoin(
    "filters as f",
    "f.id",
    "u.filter_id",
  )
    .select(["u.label_id", "f.id"]).where("f.user_id", "=", userId).orderBy("f.id").execute();
  const byLabel = new Map<number, number[]>();
  for (const { label_id, id } of rows) byLabel.set(label_id, [...byLabel.get(label_id) ?? [], id]);
  return byLabel;
}
