import { sql } from "kysely";
import { FINDING_RULES } from "@/model/findings/finding_rules.ts";
import { gradeWithIcv } from "@/model/measured/icv_basis.ts";
import type { SeriesKind, SortDirection, SortKey } from "@/model/schema/studies/study.ts";
import type { PatientRow, StudyFinding } from "@/model/schema/studies/patients.ts";
import type { Language } from "@/model/text.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { Sex } from "@/model/norms/norms.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, type NumberList, numberList } from "@/server/core/database/postgres.ts";
import { CLAIM_MS } from "@/server/core/studies/storage/edit_claims.ts";
import { labelsOfPatients } from "@/server/core/studies/storage/labels.ts";
import { deleteScope, studyScope } from "@/server/core/settings/storage/settings.ts";
import { isIcvBeyond } from "@/server/core/studies/storage/findings.ts";
import { worseGrade } from "@/server/core/studies/storage/worklist_state.ts";
import type { WorklistFilter } from "@/server/core/studies/storage/worklist_columns.ts";
import {
  type FoundPage,
  type PagePlace,
  worklistIndex,
} from "@/server/core/studies/storage/worklist_index.ts";

/** Patient and study data of a new study, taken from its first series. */
export interface NewPatient {
  studyUid: string;
  patientId: string;
  patientName: string;
  birthDate: string | null;
  sex: Sex | null;
  /** age in whole years at the study date */
  age: number | null;
  /** age in whole years that the images state */
  statedAge?: number | null;
  studyDate: string | null;
  /** DICOM date that was used because Study Date is empty; `null` if Study Date was used */
  studyDateSource?: "series" | "acquisition" | null;
  createdAt: string;
  createdBy: number | null;
}

/** A study with its worklist row, and ids of its current series and analyses. */
export interface StoredPatient {
  row: PatientRow;
  studyUid: string;
  seriesId: Record<SeriesKind, number | null>;
  analysisId: Record<SeriesKind, number | null>;
  /** patient identity in the images; `null` if the record was never edited */
  received: ReceivedIdentity | null;
  /** age in whole years that the images state */
  statedAge: number | null;
  /** whether a finding by the rules of this version is stored */
  isFindingCurrent: boolean;
}

/** Patient identity as in the images, before edits of the record. */
export interface ReceivedIdentity {
  patientId: string;
  patientName: string;
  birthDate: string | null;
}

interface PatientPage extends PagePlace {
  sortKey: SortKey;
  sortDirection: SortDirection;
  /** language by which names are sorted */
  language?: Language | undefined;
  filter: WorklistFilter;
}

const base = (db: Database, nowMs: number) =>
  db.selectFrom("patients as p")
    .leftJoin("analyses as a1", "a1.id", "p.t1_analysis_id")
    .leftJoin("analyses as a2", "a2.id", "p.t2_analysis_id")
    .leftJoin("edit_claims as e", (join) =>
      join.onRef("e.pid", "=", "p.pid").on("e.expires_ms", ">", nowMs)
        .on("e.expires_ms", "<=", latestCredible(nowMs, CLAIM_MS)))
    .leftJoin("users as u", "u.id", "e.user_id");

const rows = (db: Database, nowMs = Date.now()) =>
  base(db, nowMs).select([
    "p.pid",
    "p.study_uid",
    "p.patient_id",
    "p.patient_name",
    "p.patient_age",
    "p.stated_age",
    "p.patient_birthdate",
    "p.patient_sex",
    "p.study_date",
    "p.study_date_source",
    "p.hospital_at",
    "p.edited_at",
    "p.t1_series_id",
    "p.t2_series_id",
    "p.t1_analysis_id",
    "p.t2_analysis_id",
    "p.received_identity",
    "p.finding",
    "p.finding_rules",
    "p.ordered_procedure",
    "p.referring_physician",
    "u.id as editing_uid",
    sql<string | null>`coalesce(u.name, u.email)`.as("editing_user"),
    "a1.status as a1_status",
    "a1.grade as a1_grade",
    "a1.percent as a1_percent",
    "a1.finished_at as a1_finished_at",
    "a1.error_code as a1_error_code",
    "a1.error_details as a1_error_details",
    isIcvBeyond.as("is_icv_beyond"),
    "a2.status as a2_status",
    "a2.grade as a2_grade",
    "a2.percent as a2_percent",
    "a2.finished_at as a2_finished_at",
    "a2.error_code as a2_error_code",
    "a2.error_details as a2_error_details",
    sql<number>`CASE WHEN p.accession_number IS NULL OR p.accession_number = '' THEN 0 ELSE
      (SELECT count(*) FROM hospital_orders AS o WHERE o.accession_number = p.accession_number
        AND o.state != 'cancelled' AND (o.patient_id != p.patient_id OR o.state = 'ordered')) END`
      .as("other_orders"),
    // studies without a patient ID are not taken for one patient
    sql<number>`CASE WHEN p.patient_id = '' THEN 1 ELSE
      (SELECT count(*) FROM patients AS h WHERE h.patient_id = p.patient_id) END`.as(
      "history_count",
    ),
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof rows>["executeTakeFirstOrThrow"]>>;

/** Parses stored JSON; `null` if absent or damaged, since one bad row must not fail a list. */
function readJson<T>(text: string | null): T | null {
  try {
    return text === null ? null : JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** Parses a stored identity of the images; `null` if the record was never edited. */
export const readReceived = (text: string | null): ReceivedIdentity | null => readJson(text);

/** Error of a failed analysis. @param details Stored JSON, which may contain a `reason`. */
function errorOf(code: string | null, details: string | null): PatientRow["analysis_error"] {
  if (code === null) return null;
  const reason = readJson<Record<string, unknown>>(details)?.reason;
  return typeof reason === "string" ? { code, reason } : { code };
}

/** Whether the finding of a study's results was computed by the rules of this version. */
const isFindingCurrent = ({ finding, finding_rules, a1_status, a2_status }: Selected): boolean =>
  finding !== null && finding_rules === FINDING_RULES ||
  a1_status !== "completed" && a2_status !== "completed";

/**
 * Finding of a study, limited to series that have a completed analysis.
 * A finding by older rules is left out, because report and viewer would contradict it.
 */
function shownFinding(selected: Selected): StudyFinding | null {
  const { finding, a1_status, a2_status } = selected;
  const storedFinding = isFindingCurrent(selected) ? readJson<StudyFinding>(finding) : null;
  if (storedFinding === null) return null;
  const hasT1 = a1_status === "completed", hasFlair = a2_status === "completed";
  const { deviation, wmh, fazekas_equivalent, change, first, more } = storedFinding;
  const { is_stopped, is_unread, is_refused, is_provisional, hippocampus } = storedFinding;
  const isFirstShown = first !== undefined && (first.kind === "lesions" ? hasFlair : hasT1);
  // while a series is analysed again, its findings are not shown and `more` is not counted
  const isCounted = (deviation === null || hasT1) && (wmh === null || hasFlair);
  const currentFinding = {
    deviation: hasT1 ? deviation : null,
    wmh: hasFlair ? wmh : null,
    fazekas_equivalent: hasFlair ? fazekas_equivalent ?? null : null,
    change: hasT1 ? change : null,
    ...is_stopped && hasT1
      ? { is_stopped, ...is_unread && { is_unread }, ...is_refused && { is_refused } }
      : {},
    ...is_provisional && hasT1 && (deviation !== null || hippocampus) ? { is_provisional } : {},
    ...isFirstShown ? { first, more: isCounted ? more : 0 } : {},
    ...hippocampus && hasT1 ? { hippocampus } : {},
  };
  return isFirstShown || Object.values(currentFinding).some((part) => part !== null)
    ? currentFinding
    : null;
}

/** Data of the order for which a study's images were made. */
const orderOf = (r: Selected): NonNullable<PatientRow["order"]> => ({
  accession_number: "",
  procedure: r.ordered_procedure ?? "",
  referring_physician: r.referring_physician ?? "",
  planned_on: null,
});

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
    ...(r.study_date_source === null ? {} : { study_date_source: r.study_date_source }),
    ...(r.hospital_at === null ? {} : { hospital_at: r.hospital_at }),
    ...(r.edited_at === null ? {} : { edited_at: r.edited_at }),
    label_list: [],
    is_t1_uploaded: r.t1_series_id !== null,
    is_t2_uploaded: r.t2_series_id !== null,
    t1_analysis_date: r.a1_status === "completed" ? r.a1_finished_at : null,
    t1_analysis_status: r.t1_series_id === null ? null : r.a1_status ?? "ready",
    t2_analysis_date: r.a2_status === "completed" ? r.a2_finished_at : null,
    t2_analysis_status: r.t2_series_id === null ? null : r.a2_status ?? "ready",
    history_count: Number(r.history_count),
    editing_user: r.editing_user,
    editing_uid: r.editing_uid,
    t1_analysis_percent: r.a1_status === "processing" ? r.a1_percent : null,
    t2_analysis_percent: r.a2_status === "processing" ? r.a2_percent : null,
    quality_grade: worseGrade(gradeWithIcv(r.a1_grade, r.is_icv_beyond === 1), r.a2_grade),
    finding: shownFinding(r),
    ...(r.ordered_procedure || r.referring_physician ? { order: orderOf(r) } : {}),
    ...(Number(r.other_orders) > 0 ? { is_accession_doubted: true } : {}),
    analysis_error: failed,
  };
  return {
    row,
    studyUid: r.study_uid,
    seriesId: { t1: r.t1_series_id, t2: r.t2_series_id },
    analysisId: { t1: r.t1_analysis_id, t2: r.t2_analysis_id },
    received: readReceived(r.received_identity),
    statedAge: r.stated_age,
    isFindingCurrent: isFindingCurrent(r),
  };
}

type Labels = Awaited<ReturnType<typeof labelsOfPatients>>;

const labelled = (found: readonly Selected[], labels: Labels): StoredPatient[] =>
  found.map((one) => {
    const patient = patientOf(one);
    patient.row.label_list = labels.get(one.pid) ?? [];
    return patient;
  });

/** Adds the labels to rows; they are in another table. */
async function withLabels(db: Database, found: readonly Selected[]): Promise<StoredPatient[]> {
  if (found.length === 0) return [];
  return labelled(found, await labelsOfPatients(db, found.map(({ pid }) => pid)));
}

const rowsAmong = (db: Database, nowMs: number, pids: NumberList) =>
  rows(db, nowMs).where(isAmong(db, "p.pid", pids)).execute();

const inOrder = (pids: readonly number[], found: readonly StoredPatient[]): StoredPatient[] => {
  const byPid = new Map(found.map((patient) => [patient.row.pid, patient]));
  return pids.flatMap((pid) => byPid.get(pid) ?? []);
};

/** Studies by number, in the given order; deleted studies are left out. */
export async function readPatients(
  db: Database,
  pids: readonly number[],
): Promise<StoredPatient[]> {
  if (pids.length === 0) return [];
  return inOrder(pids, await withLabels(db, await rowsAmong(db, Date.now(), numberList(db, pids))));
}

/**
 * Reads studies as {@link readPatients}, but not inside a transaction:
 * two queries run in parallel, which saves a round trip to the database.
 */
export async function readPage(db: Database, pids: readonly number[]): Promise<StoredPatient[]> {
  if (pids.length === 0) return [];
  const [found, labels] = await Promise.all([
    rowsAmong(db, Date.now(), numberList(db, pids)),
    labelsOfPatients(db, pids),
  ]);
  return inOrder(pids, labelled(found, labels));
}

/**
 * Studies on one page of the worklist, with the page's offset and the total number of rows.
 * Rows without a value in the sort column come last.
 */
export function findPage(
  db: Database,
  { filter, sortKey, sortDirection, language, ...place }: PatientPage,
): Promise<FoundPage> {
  const sort = { key: sortKey, direction: sortDirection, ...language ? { language } : {} };
  return worklistIndex(db).find(filter, sort, place);
}

export async function findPatient(db: Database, pid: number): Promise<StoredPatient | null> {
  const row = await rows(db).where("p.pid", "=", pid).executeTakeFirst();
  return row ? (await withLabels(db, [row]))[0]! : null;
}

/** Ids of the current analyses of studies; deleted studies are left out. */
export async function listAnalysisIds(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, StoredPatient["analysisId"]>> {
  const found = await db.selectFrom("patients").select(["pid", "t1_analysis_id", "t2_analysis_id"])
    .where(isAmong(db, "pid", numberList(db, pids))).orderBy("pid").execute();
  return new Map(
    found.map((row) => [row.pid, { t1: row.t1_analysis_id, t2: row.t2_analysis_id }]),
  );
}

export async function findPatientByStudy(
  db: Database,
  studyUid: string,
): Promise<StoredPatient | null> {
  const row = await rows(db).where("p.study_uid", "=", studyUid).executeTakeFirst();
  return row ? (await withLabels(db, [row]))[0]! : null;
}

/** Studies with the same patient ID, the newest study first. */
export async function listHistory(db: Database, patientId: string): Promise<StoredPatient[]> {
  const selected = await rows(db).where("p.patient_id", "=", patientId)
    .orderBy(sql`p.study_date DESC NULLS LAST`).orderBy("p.pid", "desc").limit(500).execute();
  return await withLabels(db, selected);
}

/** Numbers of all studies with the patient IDs of the given studies; an empty ID is none. */
export async function listPatientStudies(db: Database, pids: readonly number[]): Promise<number[]> {
  if (pids.length === 0) return [];
  const found = await db.selectFrom("patients as p").select("p.pid").where(
    "p.patient_id",
    "in",
    db.selectFrom("patients as q").select("q.patient_id").where("q.patient_id", "!=", "")
      .where(isAmong(db, "q.pid", numberList(db, pids))),
  ).execute();
  return found.map(({ pid }) => pid);
}

/** Stores a new study. @returns its number, which is never reused after a deletion. */
export async function insertPatient(db: Database, patient: NewPatient): Promise<number> {
  const row = await db.insertInto("patients").values({
    study_uid: patient.studyUid,
    patient_id: patient.patientId,
    patient_name: patient.patientName,
    patient_birthdate: patient.birthDate,
    patient_sex: patient.sex,
    patient_age: patient.age,
    stated_age: patient.statedAge ?? null,
    study_date: patient.studyDate,
    study_date_source: patient.studyDateSource ?? null,
    created_at: patient.createdAt,
    created_by: patient.createdBy,
    t1_series_id: null,
    t2_series_id: null,
    t1_analysis_id: null,
    t2_analysis_id: null,
    received_identity: null,
  }).returning("pid").executeTakeFirstOrThrow();
  return row.pid;
}

/** Makes a series the analysed series of its kind; the earlier analysis is no longer current. */
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

/** Values of a study's record that a physician has edited. */
interface PatientChange {
  patientId: string;
  patientName: string;
  birthDate: string;
  sex: Sex;
  age: number | null;
  studyDate: string;
  isNewStudyDate?: boolean;
  /** time of the change; absent if only the study date changed, not the patient's identity */
  editedAt?: string | null;
}

/** Stores an edit. @param received Patient identity in the images, stored at the first edit. */
export async function updatePatient(
  db: Database,
  pid: number,
  change: PatientChange,
  received: ReceivedIdentity,
): Promise<void> {
  await db.updateTable("patients").set({
    patient_id: change.patientId,
    patient_name: change.patientName,
    patient_birthdate: change.birthDate,
    patient_sex: change.sex,
    patient_age: change.age,
    study_date: change.studyDate,
    // an edited study date has no DICOM source; an unchanged date keeps its source
    ...(change.isNewStudyDate ? { study_date_source: null } : {}),
    ...(change.editedAt ? { edited_at: change.editedAt } : {}),
    received_identity: JSON.stringify(received),
  }).where("pid", "=", pid).execute();
}

/** Number of another study with the same patient ID and study date; `null` without any. */
export async function findSameDay(
  db: Database,
  pid: number,
  patientId: string,
  studyDate: string,
): Promise<number | null> {
  const row = await db.selectFrom("patients").select("pid").where("patient_id", "=", patientId)
    .where("study_date", "=", studyDate).where("pid", "!=", pid).executeTakeFirst();
  return row?.pid ?? null;
}

/** Deletes a study with its series, instances and analyses. @returns whether it existed. */
export async function deletePatient(
  db: Database,
  pid: number,
  by: { userId: number; at: string },
): Promise<boolean> {
  const result = await db.deleteFrom("patients").where("pid", "=", pid).executeTakeFirst();
  if (Number(result.numDeletedRows) === 0) return false;
  // settings of a study have no foreign key, so they are deleted separately
  await deleteScope(db, studyScope(pid));
  await db.insertInto("deleted_patients").values({ pid, deleted_at: by.at, deleted_by: by.userId })
    .onConflict((conflict) => conflict.doNothing()).execute();
  return true;
}

export async function wasDeleted(db: Database, pid: number): Promise<boolean> {
  const row = await db.selectFrom("deleted_patients").select("pid").where("pid", "=", pid)
    .executeTakeFirst();
  return row !== undefined;
}
