import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import type { Tables } from "@/server/core/database/tables.ts";

/** Number of studies read per step; a search yields to the event loop between steps. */
export const STUDIES_AT_ONCE = 500;

/** Search criteria for which the database has an index; other criteria are compared row by row. */
export interface StudyLookup {
  studyUids?: readonly string[];
  patientId?: string;
  accessionNumber?: string;
  /** range of study dates, YYYYMMDD, inclusive; an empty text means no limit */
  studyDate?: { from: string; until: string };
}

const iso = (day: string) => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;

type Builder = ExpressionBuilder<Tables & { p: Tables["patients"] }, "p">;

/**
 * SQL condition: a study has the searched values in its images or in its record.
 * Both are searched, because a corrected record may differ from the images.
 */
function isLookedUp(e: Builder, { studyUids, patientId, accessionNumber, studyDate }: StudyLookup) {
  const headers = () => e.selectFrom("series_headers as h").select("h.pid");
  const studies = () => e.selectFrom("patients as q").select("q.pid");
  const conditions: Expression<SqlBool>[] = [];
  if (studyUids) conditions.push(e("p.study_uid", "in", studyUids));
  if (patientId !== undefined) {
    conditions.push(e(
      "p.pid",
      "in",
      headers().where("h.patient_id", "=", patientId).union(
        studies().where("q.patient_id", "=", patientId),
      ),
    ));
  }
  if (accessionNumber !== undefined) {
    conditions.push(e(
      "p.pid",
      "in",
      headers().where("h.accession_number", "=", accessionNumber).union(
        studies().where("q.accession_number", "=", accessionNumber),
      ),
    ));
  }
  if (studyDate) {
    const { from, until } = studyDate;
    let ofImages = headers(), ofRecord = studies();
    if (from) {
      ofImages = ofImages.where("h.study_date", ">=", from);
      ofRecord = ofRecord.where("q.study_date", ">=", iso(from));
    }
    if (until) {
      ofImages = ofImages.where("h.study_date", "<=", until);
      ofRecord = ofRecord.where("q.study_date", "<=", iso(until));
    }
    conditions.push(e("p.pid", "in", ofImages.union(ofRecord)));
  }
  return e.and(conditions);
}

/**
 * Studies with images, newest first, with values of the record and of the first series.
 * @param before Study number: only studies with lower numbers are returned.
 */
export async function listSearchStudies(db: Database, lookup: StudyLookup, before: number) {
  return await db.selectFrom("patients as p")
    .leftJoin("series_headers as h", (join) =>
      join.onRef("h.pid", "=", "p.pid").on(
        "h.series_id",
        "=",
        (e) =>
          e.selectFrom("series_headers as first").select((f) =>
            f.fn.min("first.series_id").as("id")
          )
            .whereRef("first.pid", "=", "p.pid"),
      ))
    .leftJoin("analyses as a1", "a1.id", "p.t1_analysis_id").leftJoin(
      "analyses as a2",
      "a2.id",
      "p.t2_analysis_id",
    )
    .where("p.pid", "<", before).where((e) => isLookedUp(e as unknown as Builder, lookup))
    .where((e) =>
      e.exists(e.selectFrom("instances as i").select("i.id").whereRef("i.pid", "=", "p.pid"))
    )
    .select((e) => [
      "p.pid",
      "p.study_uid",
      "p.accession_number as record_accession",
      "p.patient_id as record_patient_id",
      "p.patient_name as record_patient_name",
      "p.patient_birthdate as record_birth_date",
      "p.patient_sex as record_sex",
      "p.study_date as record_study_date",
      "p.patient_age as record_age",
      "p.study_date_source",
      "p.received_identity",
      "h.series_id",
      "h.patient_id",
      "h.patient_name",
      "h.birth_date",
      "h.sex",
      "h.study_date",
      "h.study_time",
      "h.accession_number",
      "h.referring_physician",
      "h.study_description",
      "h.study_id",
      sql<number>`CASE WHEN a1.status = 'completed' OR a2.status = 'completed' THEN 1 ELSE 0 END`
        .as(
          "has_results",
        ),
      sql<number>`CASE WHEN h.attributes IS NULL THEN 0 ELSE 1 END`.as("has_attributes"),
      e.selectFrom("key_images as k").select((k) => k.fn.countAll().as("n")).whereRef(
        "k.pid",
        "=",
        "p.pid",
      )
        .as("key_images"),
    ])
    .orderBy("p.pid", "desc").limit(STUDIES_AT_ONCE).execute();
}

export type SearchStudy = Awaited<ReturnType<typeof listSearchStudies>>[number];

/** DICOM JSON of a series' first image; `null` if not read yet, or unreadable. */
export async function attributesOfSeries(db: Database, seriesId: number): Promise<string | null> {
  const row = await db.selectFrom("series_headers").select("attributes").where(
    "series_id",
    "=",
    seriesId,
  )
    .executeTakeFirst();
  return row?.attributes ?? null;
}

/** Number of series and number of images of a study. */
export async function countImages(
  db: Database,
  pid: number,
): Promise<{ series: number; instances: number }> {
  const row = await db.selectFrom("instances as i").innerJoin("series as s", "s.id", "i.series_id")
    .select((
      e,
    ) => [e.fn.countAll().as("instances"), e.fn.count("s.series_uid").distinct().as("series")])
    .where("i.pid", "=", pid).executeTakeFirstOrThrow();
  return { series: Number(row.series), instances: Number(row.instances) };
}

/** UIDs of the studies that contain these series or images. */
export async function listStudiesOfUids(
  db: Database,
  { series, instances }: { series: readonly string[] | null; instances: readonly string[] | null },
  limit: number,
): Promise<string[]> {
  let rows = db.selectFrom("instances as i").innerJoin("series as s", "s.id", "i.series_id")
    .innerJoin("patients as p", "p.pid", "i.pid").select("p.study_uid").distinct();
  if (series) rows = rows.where("s.series_uid", "in", series);
  if (instances) rows = rows.where("i.sop_uid", "in", instances);
  return (await rows.limit(limit).execute()).map(({ study_uid }) => study_uid);
}
