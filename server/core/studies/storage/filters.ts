import type { SavedFilter } from "@/model/schema/worklist/filters.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Stored columns of a search filter, except its id and its owner. */
type FilterFields = Omit<SavedFilter, "id" | "user_id">;

const queryOf = ({ name: _name, label_id_list: _labels, ...query }: FilterFields) =>
  JSON.stringify(query);

/** A user's search filters in order of id; labels that were deleted are left out of a filter. */
export async function listFilters(db: Database, userId: number): Promise<SavedFilter[]> {
  const rows = await db.selectFrom("filters").selectAll().where("user_id", "=", userId).orderBy(
    "id",
  )
    .execute();
  const used = await db.selectFrom("filter_labels as u").innerJoin(
    "filters as f",
    "f.id",
    "u.filter_id",
  )
    .select(["u.filter_id", "u.label_id"]).where("f.user_id", "=", userId).orderBy("u.label_id")
    .execute();
  return rows.map((row) => ({
    ...JSON.parse(row.query) as Omit<FilterFields, "name" | "label_id_list">,
    id: row.id,
    user_id: row.user_id,
    name: row.name,
    label_id_list: used.filter((use) => use.filter_id === row.id).map((use) => use.label_id),
  }));
}

async function setLabels(
  db: Database,
  filterId: number,
  labelIds: readonly number[],
): Promise<void> {
  await db.deleteFrom("filter_labels").where("filter_id", "=", filterId).execute();
  if (labelIds.length === 0) return;
  await db.insertInto("filter_labels").columns(["filter_id", "label_id"]).expression((e) =>
    e.selectFrom("labels").select((l) => [l.lit(filterId).as("filter_id"), "labels.id"])
      .where("labels.id", "in", labelIds)
  ).execute();
}

/** Stores a new filter. @returns its id, or `null` if the user has a filter of this name. */
export async function insertFilter(
  db: Database,
  userId: number,
  nameKey: string,
  fields: FilterFields,
): Promise<number | null> {
  const row = await db.insertInto("filters").values({
    user_id: userId,
    name: fields.name,
    name_key: nameKey,
    query: queryOf(fields),
  }).onConflict((conflict) => conflict.columns(["user_id", "name_key"]).doNothing())
    .returning("id").executeTakeFirst();
  if (row) await setLabels(db, row.id, fields.label_id_list);
  return row?.id ?? null;
}

/** Id of the user's filter with a name; `null` if there is none. */
export async function findFilterNamed(
  db: Database,
  userId: number,
  nameKey: string,
): Promise<number | null> {
  const row = await db.selectFrom("filters").select("id")
    .where("user_id", "=", userId).where("name_key", "=", nameKey).executeTakeFirst();
  return row?.id ?? null;
}

/** Changes a filter of a user. @returns whether the user has this filter. */
export async function updateFilter(
  db: Database,
  userId: number,
  id: number,
  nameKey: string,
  fields: FilterFields,
): Promise<boolean> {
  const result = await db.updateTable("filters")
    .set({ name: fields.name, name_key: nameKey, query: queryOf(fields) })
    .where("id", "=", id).where("user_id", "=", userId).executeTakeFirst();
  if (Number(result.numUpdatedRows) === 0) return false;
  await setLabels(db, id, fields.label_id_list);
  return true;
}

/** Deletes a filter of a user. @returns whether the user had this filter. */
export async function deleteFilter(db: Database, userId: number, id: number): Promise<boolean> {
  const result = await db.deleteFrom("filters").where("id", "=", id).where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(result.numDeletedRows) === 1;
}
