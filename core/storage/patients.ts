import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import type { SeriesKind, SortDirection, SortKey } from "@/model/schema/study.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import type { Sex } from "@/model/norms.ts";
import type { Database } from "@/core/storage/database.ts";
import { labelsOfPatients } from "@/core/storage/labels.ts";

/** What identifies a study and its patient, as read from its first series. */
export interface NewPatient {
  studyUid: string;
  patientId: string;
  patientName: string;
  birthDate: string | null;
  sex: Sex | null;
  /** whole years at the study date */
  age: number | null;
  studyDate: string | null;
  createdAt: string;
  createdBy: number | null;
}

/** What the analysis and the report need to know of a study. */
export interface StoredPatient {
  row: PatientRow;
  studyUid: string;
  seriesId: Record<SeriesKind, number | null>;
  analysisId: Record<SeriesKind, number | null>;
}

export interface PatientPage {
  sortKey: SortKey;
  sortDirection: SortDirection;
  search: string;
  offset: number;
  limit: number;
}

const base = (db: Database) =>
  db.selectFrom("patients as p")
    .leftJoin("analyses as a1", "a1.id", "p.t1_analysis_id")
    .leftJoin("analyses as a2", "a2.id", "p.t2_analysis_id");

const rows = (db: Database) =>
  base(db).select([
    "p.pid",
    "p.study_uid",
    "p.patient_id",
    "p.patient_name",
    "p.patient_age",
    "p.patient_birthdate",
    "p.patient_sex",
    "p.study_date",
    "p.t1_series_id",
    "p.t2_series_id",
    "p.t1_analysis_id",
    "p.t2_analysis_id",
    "a1.status as a1_status",
    "a1.percent as a1_percent",
    "a1.finished_at as a1_finished_at",
    "a1.error_code as a1_error_code",
    "a1.error_details as a1_error_details",
    "a2.status as a2_status",
    "a2.percent as a2_percent",
    "a2.finished_at as a2_finished_at",
    "a2.error_code as a2_error_code",
    "a2.error_details as a2_error_details",
    // studies without a patient id do not belong together
    sql<number>`CASE WHEN p.patient_id = '' THEN 1 ELSE
      (SELECT count(*) FROM patients AS h WHERE h.patient_id = p.patient_id) END`.as("history_count"),
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof rows>["executeTakeFirstOrThrow"]>>;

/** The reason of a failed analysis, out of its details. */
function errorOf(code: string | null, details: string | null): PatientRow["analysis_error"] {
  if (code === null) return null;
  const reason = details === null ? undefined : (JSON.parse(details) as Record<string, unknown>).reason;
  return typeof reason === "string" ? { code, reason } : { code };
}

function patientOf(r: Selected): StoredPatient {
  const failed = r.a1_status === "failed"
    ? errorOf(r.a1_error_code, r.a1_error_details)
    : r.a2_status === "failed"
    ? errorOf(r.a2_error_code, r.a2_error_details)
    : null;
  const row: PatientRow = {
    pid: r.pid,
    patient_id: r.patient_id,
    patient_name: r.patient_name,
    patient_age: r.patient_age,
    patient_birthdate: r.patient_birthdate,
    patient_sex: r.patient_sex,
    study_date: r.study_date,
    label_list: [],
    is_t1_uploaded: r.t1_series_id !== null,
    is_t2_uploaded: r.t2_series_id !== null,
    t1_analysis_date: r.a1_status === "completed" ? r.a1_finished_at : null,
    t1_analysis_status: r.t1_series_id === null ? null : r.a1_status ?? "ready",
    t2_analysis_date: r.a2_status === "completed" ? r.a2_finished_at : null,
    t2_analysis_status: r.t2_series_id === null ? null : r.a2_status ?? "ready",
    history_count: Number(r.history_count),
    editing_user: null,
    t1_analysis_percent: r.a1_status === "processing" ? r.a1_percent : null,
    t2_analysis_percent: r.a2_status === "processing" ? r.a2_percent : null,
    analysis_error: failed,
  };
  return {
    row,
    studyUid: r.study_uid,
    seriesId: { t1: r.t1_series_id, t2: r.t2_series_id },
    analysisId: { t1: r.t1_analysis_id, t2: r.t2_analysis_id },
  };
}

const SORT: Record<SortKey, RawBuilder<unknown>> = {
  pid: sql`p.pid`,
  patient_id: sql`p.patient_id COLLATE NOCASE`,
  patient_name: sql`p.patient_name COLLATE NOCASE`,
  patient_sex: sql`p.patient_sex`,
  patient_birthdate: sql`p.patient_birthdate`,
  study_date: sql`p.study_date`,
  // the later of the two series, as the worklist shows it
  analysis_date: sql`max(coalesce(case when a1.status = 'completed' then a1.finished_at end, ''),
    coalesce(case when a2.status = 'completed' then a2.finished_at end, ''))`,
  label_list: sql`p.pid`,
  patient_age: sql`p.patient_age`,
};

/** Rows with what stands in other tables. */
async function withLabels(db: Database, found: readonly Selected[]): Promise<StoredPatient[]> {
  if (found.length === 0) return [];
  const labels = await labelsOfPatients(db, found.map(({ pid }) => pid));
  return found.map((one) => {
    const patient = patientOf(one);
    patient.row.label_list = labels.get(one.pid) ?? [];
    return patient;
  });
}

/** Substring of patient id or name, letters A–Z in either case; `%` and `_` have no special meaning. */
function matches(search: string): Expression<SqlBool> {
  const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
  return sql<
    SqlBool
  >`(p.patient_id LIKE ${pattern} ESCAPE '\\' OR p.patient_name LIKE ${pattern} ESCAPE '\\')`;
}

/** One page of the worklist and how many rows there are in all. Rows without the sorted value come last. */
export async function listPatients(
  db: Database,
  page: PatientPage,
): Promise<{ patients: PatientRow[]; total: number }> {
  let query = rows(db);
  let count = db.selectFrom("patients as p").select((e) => e.fn.countAll<number>().as("n"));
  if (page.search !== "") {
    query = query.where(matches(page.search));
    count = count.where(matches(page.search));
  }
  const { n } = await count.executeTakeFirstOrThrow();
  const direction = page.sortDirection === "asc" ? sql`ASC NULLS LAST` : sql`DESC NULLS LAST`;
  const selected = await query
    .orderBy(sql`${SORT[page.sortKey]} ${direction}`)
    .orderBy("p.pid", page.sortDirection)
    .limit(page.limit).offset(page.offset).execute();
  return { patients: (await withLabels(db, selected)).map(({ row }) => row), total: Number(n) };
}

export async function findPatient(db: Database, pid: number): Promise<StoredPatient | null> {
  const row = await rows(db).where("p.pid", "=", pid).executeTakeFirst();
  return row ? (await withLabels(db, [row]))[0]! : null;
}

export async function findPatientByStudy(db: Database, studyUid: string): Promise<StoredPatient | null> {
  const row = await rows(db).where("p.study_uid", "=", studyUid).executeTakeFirst();
  return row ? (await withLabels(db, [row]))[0]! : null;
}

/** Studies with the same patient id, newest study first. */
export async function listHistory(db: Database, patientId: string): Promise<PatientRow[]> {
  const selected = await rows(db).where("p.patient_id", "=", patientId)
    .orderBy(sql`p.study_date DESC NULLS LAST`).orderBy("p.pid", "desc").limit(500).execute();
  return (await withLabels(db, selected)).map(({ row }) => row);
}

/** @returns the pid; numbers of deleted studies are never given again. */
export async function insertPatient(db: Database, patient: NewPatient): Promise<number> {
  const row = await db.insertInto("patients").values({
    study_uid: patient.studyUid,
    patient_id: patient.patientId,
    patient_name: patient.patientName,
    patient_birthdate: patient.birthDate,
    patient_sex: patient.sex,
    patient_age: patient.age,
    study_date: patient.studyDate,
    created_at: patient.createdAt,
    created_by: patient.createdBy,
    t1_series_id: null,
    t2_series_id: null,
    t1_analysis_id: null,
    t2_analysis_id: null,
  }).returning("pid").executeTakeFirstOrThrow();
  return row.pid;
}

/** Makes a series the one of its kind that is analysed; its earlier analysis no longer counts. */
export async function setActiveSeries(
  db: Database,
  pid: number,
  kind: SeriesKind,
  seriesId: number,
): Promise<void> {
  const change = kind === "t1"
    ? { t1_series_id: seriesId, t1_analysis_id: null }
    : { t2_series_id: seriesId, t2_analysis_id: null };
  await db.updateTable("patients").set(change).where("pid", "=", pid).execute();
}

export async function setLatestAnalysis(
  db: Database,
  pid: number,
  kind: SeriesKind,
  analysisId: number,
): Promise<void> {
  const change = kind === "t1" ? { t1_analysis_id: analysisId } : { t2_analysis_id: analysisId };
  await db.updateTable("patients").set(change).where("pid", "=", pid).execute();
}

/** Deletes a study with its series, instances and analyses. @returns whether there was one. */
export async function deletePatient(
  db: Database,
  pid: number,
  by: { userId: number; at: string },
): Promise<boolean> {
  const result = await db.deleteFrom("patients").where("pid", "=", pid).executeTakeFirst();
  if (Number(result.numDeletedRows) === 0) return false;
  await db.insertInto("deleted_patients").values({ pid, deleted_at: by.at, deleted_by: by.userId })
    .onConflict((conflict) => conflict.doNothing()).execute();
  return true;
}

export async function wasDeleted(db: Database, pid: number): Promise<boolean> {
  const row = await db.selectFrom("deleted_patients").select("pid").where("pid", "=", pid).executeTakeFirst();
  return row !== undefined;
}
