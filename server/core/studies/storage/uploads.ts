import type { Database } from "@/server/core/database/database.ts";
import { deleteIfUnused } from "@/server/core/blobs/blob_index.ts";

/** An upload in several requests. */
interface StoredUpload {
  id: number;
  /** result of the upload as JSON, once the upload is stored */
  answer: string | null;
}

/** A file of an unfinished upload: received or refused. */
interface StoredUploadFile {
  fileName: string;
  blob: { hash: string; sizeBytes: number } | null;
  /** reason of a refusal as JSON */
  failure: string | null;
}

export async function findUpload(
  db: Database,
  userId: number,
  name: string,
): Promise<StoredUpload | null> {
  const row = await db.selectFrom("uploads").select(["id", "answer"]).where("user_id", "=", userId)
    .where("name", "=", name).executeTakeFirst();
  return row ?? null;
}

/** Finds or creates an upload, and updates the time of last use. */
export async function openUpload(
  db: Database,
  userId: number,
  name: string,
  nowMs: number,
): Promise<StoredUpload> {
  return await db.insertInto("uploads").values({ user_id: userId, name, touched_ms: nowMs })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "name"]).doUpdateSet({ touched_ms: nowMs })
    )
    .returning(["id", "answer"]).executeTakeFirstOrThrow();
}

/** Updates the time of last use. @returns whether the upload exists. */
export async function touchUpload(db: Database, id: number, nowMs: number): Promise<boolean> {
  const result = await db.updateTable("uploads").set({ touched_ms: nowMs }).where("id", "=", id)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** A user's unfinished uploads with sizes, least recently used first. */
export async function unfinishedUploads(
  db: Database,
  userId: number,
): Promise<{ id: number; name: string; sizeBytes: number }[]> {
  const rows = await db.selectFrom("uploads as u").leftJoin("upload_files as f", "f.upload", "u.id")
    .leftJoin("blobs as b", "b.hash", "f.blob")
    .select((e) => ["u.id", "u.name", e.fn.sum<number | null>("b.size_bytes").as("size")])
    .where("u.user_id", "=", userId).where("u.answer", "is", null)
    .groupBy(["u.id", "u.name", "u.touched_ms"]).orderBy("u.touched_ms").orderBy("u.id").execute();
  return rows.map(({ id, name, size }) => ({ id, name, sizeBytes: Number(size ?? 0) }));
}

/** Ids of the uploads not used since `beforeMs`. */
export async function oldUploads(db: Database, beforeMs: number): Promise<number[]> {
  const rows = await db.selectFrom("uploads").select("id").where("touched_ms", "<", beforeMs)
    .execute();
  return rows.map(({ id }) => id);
}

/** Files of an upload, ordered by name. */
export async function listUploadFiles(db: Database, id: number): Promise<StoredUploadFile[]> {
  const rows = await db.selectFrom("upload_files as f").leftJoin("blobs as b", "b.hash", "f.blob")
    .select(["f.file_name", "f.failure", "b.hash", "b.size_bytes"]).where("f.upload", "=", id)
    .orderBy("f.file_name").execute();
  return rows.map(({ file_name, failure, hash, size_bytes }) => ({
    fileName: file_name,
    blob: hash === null || size_bytes === null ? null : { hash, sizeBytes: size_bytes },
    failure,
  }));
}

/** Adds files that have blob rows to an upload; a name that exists keeps the earlier file. */
export async function addUploadFiles(
  db: Database,
  id: number,
  files: readonly { fileName: string; hash: string | null; failure: string | null }[],
): Promise<void> {
  for (let i = 0; i < files.length; i += 2000) {
    await db.insertInto("upload_files").values(
      files.slice(i, i + 2000).map(({ fileName, hash, failure }) => ({
        upload: id,
        file_name: fileName,
        blob: hash,
        failure,
      })),
    ).onConflict((conflict) => conflict.doNothing()).execute();
  }
}

/**
 * Deletes the file records of an upload.
 * @returns hashes of unreferenced blobs, of which the caller deletes the files.
 */
async function deleteFiles(tx: Database, id: number): Promise<string[]> {
  const rows = await tx.deleteFrom("upload_files").where("upload", "=", id).returning("blob")
    .execute();
  return await deleteIfUnused(tx, rows.flatMap(({ blob }) => blob ?? []));
}

/**
 * Stores the result of an upload and deletes the file records.
 * If two servers store the same upload, the first result is kept.
 * @returns the valid result (`null` for a deleted upload), and hashes as {@link deleteUpload}.
 */
export async function finishUpload(
  db: Database,
  id: number,
  answer: string,
): Promise<{ answer: string | null; unused: string[] }> {
  return await db.transaction().execute(async (tx) => {
    await tx.updateTable("uploads").set({ answer }).where("id", "=", id).where("answer", "is", null)
      .execute();
    const row = await tx.selectFrom("uploads").select("answer").where("id", "=", id)
      .executeTakeFirst();
    return { answer: row?.answer ?? null, unused: await deleteFiles(tx, id) };
  });
}

/** Deletes an upload. @returns hashes of unreferenced blobs; the caller deletes the files. */
export async function deleteUpload(db: Database, id: number): Promise<string[]> {
  return await db.transaction().execute(async (tx) => {
    const unused = await deleteFiles(tx, id);
    await tx.deleteFrom("uploads").where("id", "=", id).execute();
    return unused;
  });
}
