import type { SeriesKind } from "@/model/schema/studies/study.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { InstanceAttributes } from "@/server/core/studies/storage/series_headers.ts";

interface StoredSeries {
  id: number;
  pid: number;
  kind: SeriesKind;
  description: string;
  /** hash of the stored volume (NIfTI-1, gzip) */
  volumeBlob: string;
}

export async function insertSeries(
  db: Database,
  series: {
    pid: number;
    seriesUid: string;
    kind: SeriesKind;
    description: string;
    volumeBlob: string;
    createdAt: string;
  },
): Promise<number> {
  const row = await db.insertInto("series").values({
    pid: series.pid,
    series_uid: series.seriesUid,
    kind: series.kind,
    description: series.description,
    volume_blob: series.volumeBlob,
    created_at: series.createdAt,
  }).onConflict((conflict) =>
    conflict.columns(["pid", "series_uid", "kind"]).doUpdateSet({
      volume_blob: series.volumeBlob,
      description: series.description,
    })
  ).returning("id").executeTakeFirstOrThrow();
  return row.id;
}

export async function findSeries(db: Database, id: number): Promise<StoredSeries | null> {
  const row = await db.selectFrom("series").selectAll().where("id", "=", id).executeTakeFirst();
  return row
    ? {
      id: row.id,
      pid: row.pid,
      kind: row.kind,
      description: row.description,
      volumeBlob: row.volume_blob,
    }
    : null;
}

/** Map from SOP Instance UID to the hash of the file, for the stored images of a study. */
export async function listInstances(db: Database, pid: number): Promise<Map<string, string>> {
  const rows = await db.selectFrom("instances").select(["sop_uid", "blob"]).where("pid", "=", pid)
    .execute();
  return new Map(rows.map((row) => [row.sop_uid, row.blob]));
}

/** SOP Instance UIDs of the stored images of one DICOM series of a study. */
export async function listInstancesOfSeries(
  db: Database,
  pid: number,
  seriesUid: string,
): Promise<string[]> {
  const rows = await db.selectFrom("instances").innerJoin(
    "series",
    "series.id",
    "instances.series_id",
  )
    .select("instances.sop_uid").where("instances.pid", "=", pid).where(
      "series.series_uid",
      "=",
      seriesUid,
    )
    .execute();
  return rows.map((row) => row.sop_uid);
}

/** Hashes of the files of a series, in the order in which they were stored. */
export async function listInputHashes(db: Database, seriesId: number): Promise<string[]> {
  const rows = await db.selectFrom("instances").select("blob").where("series_id", "=", seriesId)
    .orderBy("id").execute();
  return rows.map((row) => row.blob);
}

/** Stored files of a study, series by series, in the order in which they were stored. */
export async function listStoredInstances(
  db: Database,
  pid: number,
): Promise<{ seriesId: number; blob: string }[]> {
  const rows = await db.selectFrom("instances").select(["series_id", "blob"]).where("pid", "=", pid)
    .orderBy("series_id").orderBy("id").execute();
  return rows.map((row) => ({ seriesId: row.series_id, blob: row.blob }));
}

/** Stores images of a series. @param instances Images that are new to the study. */
export async function insertInstances(
  db: Database,
  pid: number,
  seriesId: number,
  instances: readonly { sopUid: string; blob: string; attributes?: InstanceAttributes }[],
): Promise<void> {
  // 2000 rows per statement, because SQLite allows 32,766 values in one statement
  for (let i = 0; i < instances.length; i += 2000) {
    await db.insertInto("instances").values(
      instances.slice(i, i + 2000).map(({ sopUid, blob, attributes }) => ({
        pid,
        series_id: seriesId,
        sop_uid: sopUid,
        blob,
        sop_class: attributes?.sopClass ?? null,
        instance_number: attributes?.instanceNumber ?? null,
        pixel_rows: attributes?.rows ?? null,
        pixel_columns: attributes?.columns ?? null,
        frames: attributes?.frames ?? null,
      })),
    ).execute();
  }
}

/** Id and kind of each series of a study. */
export const listSeriesOf = (
  db: Database,
  pid: number,
): Promise<Pick<StoredSeries, "id" | "kind">[]> =>
  db.selectFrom("series").select(["id", "kind"]).where("pid", "=", pid).orderBy("id").execute();

/** Number of study UIDs read by one query. */
const UIDS_AT_ONCE = 5000;

/** Study UIDs of all studies, including studies in the bin, in groups. */
export async function* studyUidsOf(db: Database): AsyncGenerator<string[]> {
  for (let lastPid = 0;;) {
    const found = await db.selectFrom("patients").select(["pid", "study_uid"])
      .where("pid", ">", lastPid).orderBy("pid").limit(UIDS_AT_ONCE).execute();
    if (found.length === 0) return;
    yield found.map(({ study_uid }) => study_uid);
    lastPid = found.at(-1)!.pid;
  }
}
