import type { SqlBool } from "kysely";
import type { Expression, ExpressionBuilder } from "kysely";
import type { Tables } from "@/server/core/database/tables.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { NamedIn } from "@/server/core/blobs/blob_file.ts";

/** Inserts blobs to which rows of the same transaction will refer. */
export async function insertBlobs(
  db: Database,
  blobs: readonly { hash: string; sizeBytes: number }[],
  createdAt: string,
): Promise<void> {
  for (let i = 0; i < blobs.length; i += 2000) {
    await db.insertInto("blobs").values(
      blobs.slice(i, i + 2000).map((blob) => ({
        hash: blob.hash,
        size_bytes: blob.sizeBytes,
        created_at: createdAt,
      })),
    ).onConflict((conflict) => conflict.doNothing()).execute();
  }
}

export async function blobSize(db: Database, hash: string): Promise<number | null> {
  const row = await db.selectFrom("blobs").select("size_bytes").where("hash", "=", hash)
    .executeTakeFirst();
  return row?.size_bytes ?? null;
}

const isUnused = (e: ExpressionBuilder<Tables, "blobs">): Expression<SqlBool> =>
  e.not(e.or([
    e.exists(
      e.selectFrom("instances").select("blob").whereRef("instances.blob", "=", "blobs.hash"),
    ),
    e.exists(
      e.selectFrom("upload_files").select("blob").whereRef("upload_files.blob", "=", "blobs.hash"),
    ),
    e.exists(
      e.selectFrom("series").select("volume_blob").whereRef(
        "series.volume_blob",
        "=",
        "blobs.hash",
      ),
    ),
    e.exists(
      e.selectFrom("refused_series").select("volume_blob")
        .whereRef("refused_series.volume_blob", "=", "blobs.hash"),
    ),
    e.exists(
      e.selectFrom("analysis_files").select("blob").whereRef(
        "analysis_files.blob",
        "=",
        "blobs.hash",
      ),
    ),
    e.exists(
      e.selectFrom("analysis_files").select("gzip_blob").whereRef(
        "analysis_files.gzip_blob",
        "=",
        "blobs.hash",
      ),
    ),
    // blobs of studies in the bin, which can still be restored
    e.exists(
      e.selectFrom("bin_blobs").select("blob").whereRef("bin_blobs.blob", "=", "blobs.hash"),
    ),
  ]));

/**
 * Deletes the rows of the given blobs to which no other table refers.
 * @returns hashes of the deleted rows; the caller deletes the blobs' files.
 */
export async function deleteIfUnused(db: Database, hashes: readonly string[]): Promise<string[]> {
  const unused: string[] = [];
  for (let i = 0; i < hashes.length; i += 2000) {
    const rows = await db.deleteFrom("blobs").where("hash", "in", hashes.slice(i, i + 2000)).where(
      isUnused,
    )
      .returning("hash").execute();
    unused.push(...rows.map((row) => row.hash));
  }
  return unused;
}

/** Blobs to which the rows of a study refer. */
export async function blobsOfPatient(db: Database, pid: number): Promise<string[]> {
  const rows = await db.selectFrom("instances").select("blob as hash").where("pid", "=", pid)
    .union(db.selectFrom("series").select("volume_blob as hash").where("pid", "=", pid))
    .union(
      db.selectFrom("refused_series").select((e) => e.ref("volume_blob").$notNull().as("hash"))
        .where("pid", "=", pid).where("volume_blob", "is not", null),
    )
    .union(
      db.selectFrom("analysis_files as f").innerJoin("analyses as a", "a.id", "f.analysis_id")
        .select("f.blob as hash").where("a.pid", "=", pid),
    )
    .union(
      db.selectFrom("analysis_files as f").innerJoin("analyses as a", "a.id", "f.analysis_id")
        .select("f.gzip_blob as hash").where("a.pid", "=", pid),
    ).execute();
  return rows.map((row) => row.hash);
}

export const blobsIn = (db: Database): NamedIn => async (prefix) => {
  const rows = await db.selectFrom("blobs").select("hash").where("hash", ">=", prefix)
    // the letter "g" sorts after all hexadecimal digits
    .where("hash", "<", `${prefix}g`).execute();
  return new Set(rows.map(({ hash }) => hash));
};

/** A blob as stored in the database. */
interface StoredBlob {
  hash: string;
  sizeBytes: number;
}

/** Blobs with a hash greater than the given hash, in order. */
export async function blobsAfter(db: Database, hash: string, count: number): Promise<StoredBlob[]> {
  const rows = await db.selectFrom("blobs").select(["hash", "size_bytes"]).where("hash", ">", hash)
    .orderBy("hash").limit(count).execute();
  return rows.map((row) => ({ hash: row.hash, sizeBytes: row.size_bytes }));
}

/** Number of rows that {@link deleteUnusedBlobs} reads per step: a few ms of SQLite. */
const ROWS_AT_ONCE = 500;

/**
 * Deletes the rows of all unreferenced blobs in steps, between which other transactions write.
 * A blob that is just being stored is safe: one transaction inserts the row and the references.
 * @param rest Called after each step with the last hash read; an exception ends the deletion.
 * @returns number of deleted rows; the next sweep of the store deletes the files.
 */
export async function deleteUnusedBlobs(
  db: Database,
  rest: (hash: string) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let lastHash = "";;) {
    const last = (await blobsAfter(db, lastHash, ROWS_AT_ONCE)).at(-1)?.hash;
    if (last === undefined) return count;
    const unused = await db.selectFrom("blobs").select("hash").where("hash", ">", lastHash).where(
      "hash",
      "<=",
      last,
    )
      .where(isUnused).execute();
    if (unused.length > 0) {
      const hashes = unused.map(({ hash }) => hash);
      count += (await db.transaction().execute((tx) => deleteIfUnused(tx, hashes))).length;
    }
    lastHash = last;
    await rest(lastHash);
  }
}

/** Use of a blob: the study, and whether the file was received or can be recomputed. */
export interface BlobUse {
  pid: number;
  what: "image" | "volume" | "result";
}

/** Studies that use a blob. */
export async function usesOfBlob(db: Database, hash: string): Promise<BlobUse[]> {
  const images = await db.selectFrom("instances").select("pid").distinct().where("blob", "=", hash)
    .execute();
  const volumes = await db.selectFrom("series").select("pid").where("volume_blob", "=", hash)
    .union(db.selectFrom("refused_series").select("pid").where("volume_blob", "=", hash)).execute();
  const results = await db.selectFrom("analysis_files as f").innerJoin(
    "analyses as a",
    "a.id",
    "f.analysis_id",
  )
    .select("a.pid").distinct().where((e) =>
      e.or([e("f.blob", "=", hash), e("f.gzip_blob", "=", hash)])
    )
    .execute();
  return [
    ...images.map(({ pid }) => ({ pid, what: "image" as const })),
    ...volumes.map(({ pid }) => ({ pid, what: "volume" as const })),
    ...results.map(({ pid }) => ({ pid, what: "result" as const })),
  ];
}
