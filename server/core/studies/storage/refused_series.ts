import type { ErrorDetails } from "@/model/errors.ts";
import type { Database } from "@/server/core/database/database.ts";

/** A series that was sent with a study and not taken. */
interface RefusedSeries {
  seriesUid: string;
  description: string;
  files: number;
  reason: string;
  details: ErrorDetails;
}

/** The volume of a series that is looked at and not analysed. */
export interface ViewingCopy {
  /** NIfTI-1, gzip */
  blob: string;
  /** [nx, ny, nz] */
  shape: [number, number, number];
  /** RAS mm from voxel index, 16 numbers row-major */
  affine: number[];
  window: { width: number; level: number } | null;
}

/**
 * Notes series of a study that were not taken, over what was noted of them before; a viewing copy
 * stays.
 */
export async function noteRefused(
  db: Database,
  pid: number,
  refused: readonly RefusedSeries[],
  now: string,
): Promise<void> {
  for (const { seriesUid, description, files, reason, details } of refused) {
    const values = {
      description,
      files,
      reason,
      details: JSON.stringify(details),
      refused_at: now,
    };
    await db.insertInto("refused_series").values({ pid, series_uid: seriesUid, ...values })
      .onConflict((conflict) => conflict.columns(["pid", "series_uid"]).doUpdateSet(values))
      .execute();
  }
}

/** Rows of a study's series that have not been taken since. */
const stillRefused = (db: Database, pid: number) =>
  db.selectFrom("refused_series as r").where("r.pid", "=", pid).where((e) =>
    e.not(e.exists(
      e.selectFrom("series as s").select("s.id").whereRef("s.pid", "=", "r.pid")
        .whereRef("s.series_uid", "=", "r.series_uid"),
    ))
  );

/** Series of a study that were not taken, and have not been since. */
export async function listRefused(
  db: Database,
  pid: number,
): Promise<(RefusedSeries & { copy: ViewingCopy | null })[]> {
  const rows = await stillRefused(db, pid).selectAll("r").orderBy("r.description").orderBy(
    "r.series_uid",
  )
    .execute();
  return rows.map(({ series_uid, description, files, reason, details, volume_blob, volume }) => ({
    seriesUid: series_uid,
    description,
    files,
    reason,
    details: JSON.parse(details),
    copy: volume_blob !== null && volume !== null
      ? { blob: volume_blob, ...JSON.parse(volume) }
      : null,
  }));
}

/**
 * Puts a viewing copy in the place of the one before.
 * @returns hash of the one before; `undefined`: the series is not refused, and nothing was written.
 */
export async function replaceViewingCopy(
  db: Database,
  pid: number,
  seriesUid: string,
  { blob, ...volume }: ViewingCopy,
): Promise<string | null | undefined> {
  const row = await stillRefused(db, pid).select("r.volume_blob").where(
    "r.series_uid",
    "=",
    seriesUid,
  )
    .executeTakeFirst();
  if (!row) return undefined;
  await db.updateTable("refused_series").set({ volume_blob: blob, volume: JSON.stringify(volume) })
    .where("pid", "=", pid).where("series_uid", "=", seriesUid).execute();
  return row.volume_blob;
}

/**
 * Hash of the viewing copy that begins so; `null` when the study has none. @param prefix at least
 * 16 digits
 */
export async function findViewingCopy(
  db: Database,
  pid: number,
  prefix: string,
): Promise<string | null> {
  const row = await stillRefused(db, pid).select("r.volume_blob").where(
    "r.volume_blob",
    ">=",
    prefix,
  )
    // after every digit
    .where("r.volume_blob", "<", `${prefix}g`).executeTakeFirst();
  return row?.volume_blob ?? null;
}

/**
 * Forgets that series were refused, because they are taken. @returns hashes of their viewing
 * copies.
 */
export async function forgetRefusedSeries(
  db: Database,
  pid: number,
  seriesUids: readonly string[],
): Promise<string[]> {
  const rows = await db.deleteFrom("refused_series").where("pid", "=", pid)
    .where("series_uid", "in", seriesUids).returning("volume_blob").execute();
  return rows.flatMap(({ volume_blob }) => volume_blob ?? []);
}
