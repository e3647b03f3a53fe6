import type { Database } from "@/server/core/database/database.ts";

interface StoredKeyImage {
  id: number;
  note: string;
  createdAt: string;
  createdBy: number | null;
  creator: string;
}

/** Key images of a study without the PNG files, oldest first. */
export async function listKeyImages(db: Database, pid: number): Promise<StoredKeyImage[]> {
  const rows = await db.selectFrom("key_images as k").leftJoin("users as u", "u.id", "k.created_by")
    .select(["k.id", "k.note", "k.created_at", "k.created_by", "u.name", "u.email"]).where(
      "k.pid",
      "=",
      pid,
    )
    .orderBy("k.id")
    .execute();
  return rows.map(({ id, note, created_at, created_by, name, email }) => ({
    id,
    note,
    createdAt: created_at,
    createdBy: created_by,
    creator: name || email || "",
  }));
}

/** PNG file and author of a key image; `null` for an unknown id. */
export async function findKeyImage(
  db: Database,
  pid: number,
  id: number,
): Promise<{ picture: Uint8Array<ArrayBuffer>; createdBy: number | null } | null> {
  const row = await db.selectFrom("key_images").select(["picture", "created_by"]).where(
    "pid",
    "=",
    pid,
  )
    .where("id", "=", id).executeTakeFirst();
  return row ? { picture: new Uint8Array(row.picture), createdBy: row.created_by } : null;
}

/** Stores a key image. @returns its id. */
export async function insertKeyImage(
  db: Database,
  image: { pid: number; picture: Uint8Array; note: string; at: string; userId: number },
): Promise<number> {
  const { id } = await db.insertInto("key_images").values({
    pid: image.pid,
    picture: image.picture,
    note: image.note,
    created_at: image.at,
    created_by: image.userId,
  }).returning("id").executeTakeFirstOrThrow();
  return id;
}

export async function deleteKeyImage(db: Database, id: number): Promise<void> {
  await db.deleteFrom("key_images").where("id", "=", id).execute();
}
