import { sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import type { SeriesHeaderRow } from "@/server/core/database/tables.ts";

/** Database column of each DICOM attribute, by tag. */
export const HEADER_COLUMNS = {
  "00100020": "patient_id",
  "00100010": "patient_name",
  "00100030": "birth_date",
  "00100040": "sex",
  "00080020": "study_date",
  "00080030": "study_time",
  "00080050": "accession_number",
  "00080090": "referring_physician",
  "00081030": "study_description",
  "00200010": "study_id",
  "00080060": "modality",
  "00200011": "series_number",
  "00180015": "body_part",
} as const;

/** Attributes of a series, from its first image; `attributes` is `null` for an unreadable file. */
export type SeriesHeader = Omit<SeriesHeaderRow, "series_id" | "pid">;

/** DICOM attributes that may differ between the images of a series. */
export interface InstanceAttributes {
  /** SOP Class UID; empty if the file is unreadable */
  sopClass: string;
  instanceNumber: number | null;
  rows: number | null;
  columns: number | null;
  /** Number of Frames; `null` if the file does not have this attribute */
  frames: number | null;
}

/** Stores the attributes of a series, replacing earlier ones. */
export async function saveSeriesHeader(
  db: Database,
  { pid, seriesId }: { pid: number; seriesId: number },
  header: SeriesHeader,
): Promise<void> {
  await db.insertInto("series_headers").values({ series_id: seriesId, pid, ...header })
    .onConflict((conflict) => conflict.column("series_id").doUpdateSet(header)).execute();
}

/** A stored file of which the DICOM attributes are not in the database. */
export interface UnreadFile {
  pid: number;
  seriesId: number;
  instanceId: number;
  sopUid: string;
  blob: string;
}

const files = (db: Database) =>
  db.selectFrom("instances as i").select([
    "i.pid",
    "i.series_id as seriesId",
    "i.id as instanceId",
    "i.sop_uid as sopUid",
    "i.blob",
  ]);

/**
 * First file of each series of which no attributes are stored, newest series first.
 * @param before Id of a series: only series with lower ids are returned.
 */
export async function listSeriesWithoutHeader(
  db: Database,
  before: number,
  limit: number,
): Promise<UnreadFile[]> {
  const series = await db.selectFrom("series as s").leftJoin(
    "series_headers as h",
    "h.series_id",
    "s.id",
  )
    .select((e) => [
      "s.id",
      e.selectFrom("instances as i").select((i) => i.fn.min("i.id").as("first")).whereRef(
        "i.series_id",
        "=",
        "s.id",
      )
        .as("first"),
    ])
    .where("s.id", "<", before).where("h.series_id", "is", null).orderBy("s.id", "desc").limit(
      limit,
    )
    .execute();
  const first = series.flatMap((one) => one.first === null ? [] : [Number(one.first)]);
  const rows = first.length === 0 ? [] : await files(db).where("i.id", "in", first).execute();
  const bySeries = new Map(rows.map((row) => [row.seriesId, row]));
  // series without images are part of the batch, so that the next batch starts after them
  return series.map(({ id }) =>
    bySeries.get(id) ?? { pid: 0, seriesId: id, instanceId: 0, sopUid: "", blob: "" }
  );
}

/** Stored images whose DICOM attributes have not been copied to the database. */
export const listUnreadInstances = (db: Database, limit: number): Promise<UnreadFile[]> =>
  files(db).where("i.sop_class", "is", null).orderBy("i.id").limit(limit).execute();

export async function saveInstanceAttributes(
  db: Database,
  instanceId: number,
  { sopClass, instanceNumber, rows, columns, frames }: InstanceAttributes,
): Promise<void> {
  await db.updateTable("instances").set({
    sop_class: sopClass,
    instance_number: instanceNumber,
    pixel_rows: rows,
    pixel_columns: columns,
    frames,
  }).where("id", "=", instanceId).execute();
}

/** Records that a stored file is unreadable. @returns whether this was not recorded before. */
export async function noteUnreadableFile(
  db: Database,
  { blob, pid, sopUid }: Pick<UnreadFile, "blob" | "pid" | "sopUid">,
  { reason, at }: { reason: string; at: string },
): Promise<boolean> {
  const result = await db.insertInto("unreadable_files")
    .values({ blob, pid, sop_uid: sopUid, reason: reason.slice(0, 200), noted_at: at })
    .onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Unreadable stored files, newest first. */
export async function listUnreadableFiles(db: Database, limit: number) {
  return await db.selectFrom("unreadable_files").selectAll().orderBy("noted_at", "desc").limit(
    limit,
  )
    .execute();
}

/** Number of stored series and images of which attributes are not in the database yet. */
export async function countUnread(db: Database): Promise<number> {
  const { n } = await db.selectFrom("instances").select(sql<number>`count(*)`.as("n")).where(
    "sop_class",
    "is",
    null,
  )
    .executeTakeFirstOrThrow();
  return Number(n);
}
