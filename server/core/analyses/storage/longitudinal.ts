import type { NamedPerson, RecordedIdentity } from "@/model/patient/shared_id.ts";
import { sql } from "kysely";
import type { ChangeLimits } from "@/model/norms/change_limits.ts";
import type { QualityGrade } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isInSlice, type PatientSlice } from "@/server/core/analyses/storage/patient_slices.ts";

/** Inputs of a comparison; it is outdated as soon as one of these fields differs. */
export interface VisitKey {
  pid: number;
  analysisId: number;
  /** study date, YYYY-MM-DD */
  studyDate: string;
}

/** A study that can be compared: with a date and a completed T1w analysis. */
export interface ComparableVisit extends VisitKey, NamedPerson {
  grade: QualityGrade | null;
}

/** A {@link ComparableVisit} with the columns that computing a comparison needs. */
export interface StoredVisit extends ComparableVisit {
  seriesId: number;
  volumeBlob: string;
  biasCorrection: boolean;
  deepStructures: boolean;
}

/** Measurements of one visit, computed together with those of the other visits. */
interface VisitMeasures {
  pid: number;
  studyDate: string;
  /** volumes, mm³; index = label */
  volumesMm3: number[];
  /** cortical thickness, mm; index = label, 0 where no thickness is measured */
  thicknessMm: number[];
  /** mean cortical thickness of [left, right] hemisphere, mm */
  sideMm: [number, number];
  /**
   * acquisition parameters that differ from the first visit; `null` when a header is unreadable
   */
  differences: string[] | null;
}

export interface LongitudinalResults {
  icvMm3: number;
  visits: VisitMeasures[];
  /** limits of change from the site's repeated scans at that time; absent: default limits */
  limits?: ChangeLimits;
}

/** Studies from which a stored comparison was computed. */
export interface StoredInputs {
  /** number of the earliest compared study, which identifies the comparison within a patient ID */
  firstPid: number;
  /** compared studies; `null` if the stored JSON is unreadable */
  visits: VisitKey[] | null;
}

/** Which networks segmented an analysis; false for analyses from before the networks existed. */
function parametersOf(text: string): Pick<StoredVisit, "biasCorrection" | "deepStructures"> {
  const { biasCorrection, deepStructures } = JSON.parse(text) as Record<string, unknown>;
  return { biasCorrection: biasCorrection !== false, deepStructures: deepStructures === true };
}

/** Studies of a patient that can be compared, oldest first. */
export async function listVisits(db: Database, patientId: string): Promise<StoredVisit[]> {
  const rows = await db.selectFrom("patients as p")
    .innerJoin("analyses as a", "a.id", "p.t1_analysis_id")
    .innerJoin("series as s", "s.id", "a.series_id")
    .select([
      "p.pid",
      "p.study_date",
      "p.patient_name",
      "p.patient_birthdate",
      "p.patient_sex",
      "a.id",
      "a.series_id",
      "a.grade",
      "a.parameters",
      "s.volume_blob",
    ])
    .where("p.patient_id", "=", patientId).where("p.study_date", "is not", null)
    .where("a.status", "=", "completed").orderBy("p.study_date").orderBy("p.pid").execute();
  return rows.map((row) => ({
    ...parametersOf(row.parameters),
    pid: row.pid,
    analysisId: row.id,
    studyDate: row.study_date!,
    patient_name: row.patient_name,
    patient_birthdate: row.patient_birthdate,
    patient_sex: row.patient_sex,
    seriesId: row.series_id,
    volumeBlob: row.volume_blob,
    grade: row.grade,
  }));
}

/** Whether a study of a patient ID is queued for analysis or being analysed. */
export async function hasOpenAnalysis(db: Database, patientId: string): Promise<boolean> {
  const row = await db.selectFrom("patients as p").innerJoin(
    "analyses as a",
    "a.id",
    "p.t1_analysis_id",
  )
    .select("a.id").where("p.patient_id", "=", patientId).where("a.status", "in", [
      "waiting",
      "processing",
    ])
    .executeTakeFirst();
  return row !== undefined;
}

function keysOf(text: string): VisitKey[] | null {
  try {
    const keys: unknown = JSON.parse(text);
    return Array.isArray(keys) ? keys : null;
  } catch {
    return null;
  }
}

/** Inputs of the stored comparisons of a patient ID: one comparison per person with the ID. */
export async function listLongitudinals(
  db: Database,
  patientId: string,
): Promise<StoredInputs[]> {
  const rows = await db.selectFrom("longitudinal").select(["first_pid", "visits"])
    .where("patient_id", "=", patientId).orderBy("first_pid").execute();
  return rows.map((row) => ({ firstPid: row.first_pid, visits: keysOf(row.visits) }));
}

/** Results of a stored longitudinal comparison; `null` when it failed or does not exist. */
export async function findLongitudinal(
  db: Database,
  patientId: string,
  firstPid: number,
): Promise<LongitudinalResults | null> {
  const row = await db.selectFrom("longitudinal").select("results")
    .where("patient_id", "=", patientId).where("first_pid", "=", firstPid).executeTakeFirst();
  return row?.results ? JSON.parse(row.results) : null;
}

/**
 * Stores the longitudinal comparison of a person in place of an earlier comparison.
 * @param end.visits  compared visits: at least one, oldest first
 */
export async function saveLongitudinal(
  db: Database,
  patientId: string,
  end: {
    visits: readonly VisitKey[];
    engineVersion: string | null;
    results: LongitudinalResults | null;
    errorCode: string | null;
    finishedAt: string;
  },
): Promise<void> {
  const key = { patient_id: patientId, first_pid: end.visits[0]!.pid };
  const values = {
    visits: JSON.stringify(end.visits),
    status: end.results ? "completed" as const : "failed" as const,
    engine_version: end.engineVersion,
    results: end.results && JSON.stringify(end.results),
    error_code: end.errorCode,
    finished_at: end.finishedAt,
  };
  await db.insertInto("longitudinal").values({ ...key, ...values })
    .onConflict((conflict) => conflict.columns(["patient_id", "first_pid"]).doUpdateSet(values))
    .execute();
}

/** @param firstPid Selects the comparison of one person; default: all of the patient ID. */
export async function deleteLongitudinal(
  db: Database,
  patientId: string,
  firstPid?: number,
): Promise<void> {
  await db.deleteFrom("longitudinal").where("patient_id", "=", patientId)
    .$if(firstPid !== undefined, (rows) => rows.where("first_pid", "=", firstPid!)).execute();
}

/** Patient ids of a study: the one of the study, and those of stored comparisons with the study. */
export async function listPatientIdsOf(db: Database, pid: number): Promise<string[]> {
  const rowsNow = await db.selectFrom("patients").select("patient_id").where("pid", "=", pid)
    .where("patient_id", "!=", "").execute();
  const then = await db.selectFrom("longitudinal").select("patient_id")
    .where("visits", "like", `%"pid":${pid},%`).execute();
  return [...new Set([...rowsNow, ...then].map((row) => row.patient_id))];
}

/** Visits of a patient ID to compare, and the inputs of the stored comparisons. */
interface PatientVisits {
  patientId: string;
  /** visits to compare of all persons with the ID, oldest first */
  visits: ComparableVisit[];
  /** all studies with the patient ID */
  records: RecordedIdentity[];
  stored: StoredInputs[];
  /** result of {@link hasOpenAnalysis} */
  isBeingAnalysed: boolean;
}

/** Patients of a slice with T1w results of several dates, or with a stored comparison. */
export async function listPatientVisits(
  db: Database,
  slice: PatientSlice,
): Promise<PatientVisits[]> {
  const analysed = db.selectFrom("patients as p").innerJoin(
    "analyses as a",
    "a.id",
    "p.t1_analysis_id",
  )
    .where(isInSlice("p.patient_id", slice));
  const repeated = await analysed.select("p.patient_id").where("a.status", "=", "completed")
    .groupBy("p.patient_id").having(sql<number>`count(DISTINCT p.study_date)`, ">", 1).execute();
  const stored = Map.groupBy(
    await db.selectFrom("longitudinal").select(["patient_id", "first_pid", "visits"])
      .where(isInSlice("patient_id", slice)).execute(),
    (row) => row.patient_id,
  );
  const ids = [...new Set([...repeated.map((row) => row.patient_id), ...stored.keys()])];
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("patients as p")
    .leftJoin("analyses as a", "a.id", "p.t1_analysis_id").select([
      "p.patient_id",
      "p.patient_name",
      "p.pid",
      "p.study_date",
      "p.patient_birthdate",
      "p.patient_sex",
      "a.id",
      "a.grade",
      "a.status",
    ])
    .where("p.patient_id", "in", ids).orderBy("p.study_date").orderBy("p.pid").execute();
  const byPatient = Map.groupBy(rows, (row) => row.patient_id);
  return ids.map((patientId) => {
    const studies = byPatient.get(patientId) ?? [];
    return {
      patientId,
      visits: studies.flatMap((
        { pid, study_date: studyDate, id: analysisId, status, ...recorded },
      ) =>
        status === "completed" && studyDate !== null && analysisId !== null
          ? [{ ...recorded, pid, studyDate, analysisId }]
          : []
      ),
      records: studies,
      stored: (stored.get(patientId) ?? []).map((row) => ({
        firstPid: row.first_pid,
        visits: keysOf(row.visits),
      })),
      isBeingAnalysed: studies.some(({ status }) =>
        status === "waiting" || status === "processing"
      ),
    };
  });
}
