import type { Database } from "@/server/core/database/database.ts";
import { deleteIfUnused } from "@/server/core/blobs/blob_index.ts";

/** An upload that is sent in several requests. */
interface StoredUpload {
  id: number;
  /** response to the upload as JSON; `null` while the upload is not stored */
  answer: string | null;
}

/** A file of an unfinished upload, which was received or refused. */
interface StoredUploadFile {
  fileName: string;
  blob: { hash: string; sizeBytes: number } | null;
  /** error of a refused file as JSON; `null` for a received file */
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

/** Finds or creates an upload, and records that it was used now. */
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

/** Records that an upload was used now. @returns whether the upload exists. */
export async function touchUpload(db: Database, id: number, nowMs: number): Promise<boolean> {
  const result = await db.updateTable("uploads").set({ touched_ms: nowMs }).where("id", "=", id)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** A user's unfinished uploads with their sizes, the least recently used first. */
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

/** Ids of uploads that were last used before `beforeMs`. */
export async function oldUploads(db: Database, beforeMs: number): Promise<number[]> {
  const rows = await db.selectFrom("uploads").select("id").where("touched_ms", "<", beforeMs)
    .execute();
  return rows.map(({ id }) => id);
}

/** Files of an upload, ordered by file name. */
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

/** Adds stored files to an upload; of two files with the same name, the earlier one is kept. */
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
 * Deletes the records of an upload's files.
 * @returns hashes of files that nothing refers to; the caller deletes these files.
 */
async function deleteFiles(tx: Database, id: number): Promise<string[]> {
  const rows = await tx.deleteFrom("upload_files").where("upload", "=", id).returning("blob")
    .execute();
  return await deleteIfUnused(tx, rows.flatMap(({ blob }) => blob ?? []));
}

/**
 * Stores the response to an upload, and deletes the records of its files.
 * If two processes store the same upload, the first response is kept.
 * @returns the kept response (`null` for a deleted upload), and hashes as {@link deleteUpload}.
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

/** Deletes an upload. @returns hashes of unused files, which the caller deletes. */
export async function deleteUpload(db: Database, id: number): Promise<string[]> {
  return await db.transaction().execute(async (tx) => {
    const unused = await deleteFiles(tx, id);
    await tx.deleteFrom("uploads").where("id", "=", id).execute();
    return unused;
  });
}
