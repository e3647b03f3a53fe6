import type { ErrorDetails } from "@/model/errors.ts";
import type { Database } from "@/server/core/database/database.ts";

/** A series that was uploaded with a study but refused, because it cannot be analysed. */
interface RefusedSeries {
  seriesUid: string;
  description: string;
  files: number;
  reason: string;
  details: ErrorDetails;
}

/** Volume of a refused series, which is only viewed, not analysed. */
export interface ViewingCopy {
  /** hash of the stored volume (NIfTI-1, gzip) */
  blob: string;
  /** number of voxels [nx, ny, nz] */
  shape: [number, number, number];
  /** affine to RAS mm from voxel index, 16 numbers row-major */
  affine: number[];
  window: { width: number; level: number } | null;
}

/**
 * Stores the refused series of a study, replacing earlier records of the same series.
 * Viewing copies of the series are kept.
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

/** Query for a study's refused series that have not been accepted later. */
const stillRefused = (db: Database, pid: number) =>
  db.selectFrom("refused_series as r").where("r.pid", "=", pid).where((e) =>
    e.not(e.exists(
      e.selectFrom("series as s").select("s.id").whereRef("s.pid", "=", "r.pid")
        .whereRef("s.series_uid", "=", "r.series_uid"),
    ))
  );

/** Refused series of a study, without series that were accepted later. */
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
 * Stores the viewing copy of a refused series in place of an earlier copy.
 * @returns hash of the earlier copy; `undefined` if the series is not refused: nothing is stored.
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

/** Finds a viewing copy by the first digits of its hash. @param prefix At least 16 digits. */
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
    // "g" sorts after every hexadecimal digit, so the range contains all hashes with the prefix
    .where("r.volume_blob", "<", `${prefix}g`).executeTakeFirst();
  return row?.volume_blob ?? null;
}

/** Deletes the records of series that are accepted now. @returns hashes of their viewing copies. */
export async function forgetRefusedSeries(
  db: Database,
  pid: number,
  seriesUids: readonly string[],
): Promise<string[]> {
  const rows = await db.deleteFrom("refused_series").where("pid", "=", pid)
    .where("series_uid", "in", seriesUids).returning("volume_blob").execute();
  return rows.flatMap(({ volume_blob }) => volume_blob ?? []);
}
