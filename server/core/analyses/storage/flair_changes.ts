import type { NamedPerson } from "@/model/patient/shared_id.ts";
import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import { sql, type SqlBool } from "kysely";
import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";
import type { QualityGrade } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isInSlice, type PatientSlice } from "@/server/core/analyses/storage/patient_slices.ts";

/** A study with an analysed FLAIR series. */
export interface FlairVisit extends NamedPerson {
  pid: number;
  analysisId: number;
  /** study date, YYYY-MM-DD */
  studyDate: string;
  seriesId: number;
  volumeBlob: string;
  /** time at which a reader last corrected the lesion mask; `null`: never corrected */
  correctedAt: string | null;
  /** quality grade of the study's T1w result; `null` without one */
  t1Grade: QualityGrade | null;
}

/** Two studies of a person that are compared by their FLAIR series. */
export interface FlairPair {
  prior: FlairVisit;
  current: FlairVisit;
}

/** One lesion that changed between two studies. */
export interface StoredLesion {
  kind: LesionChangeKind;
  isSure: boolean;
  /** volume of the voxels that changed, mm³ */
  changedMm3: number;
  /** volumes in the lesion masks of the prior and the current study, mm³; 0 outside the mask */
  beforeMm3: number;
  afterMm3: number;
  z: number;
  /** centre of the lesion in the scanner coordinates of the prior and the current series, mm */
  centreRasMm: [prior: [number, number, number], current: [number, number, number]];
  /** region label at the lesion, see `lesionRegion`; absent without a label map */
  nearLabel?: number | null;
  /** location of the lesion, see `LesionPlaces`; absent without a label map */
  place?: LesionPlace | null;
  /** numbers of the engine's changes that form the lesion, by decreasing confidence */
  parts: number[];
  /** indices of the lesion in the lesion lists of the prior and the current study */
  listed: { before: number[]; after: number[] };
}

export interface FlairChangeResults {
  /**
   * identifies the lesion masks that gave the volumes, see `masksKey`
   * `masks` must be the first key of the JSON, because a query compares the text
   */
  masks: string;
  priorDate: string;
  /** changed lesions by decreasing confidence */
  lesions: StoredLesion[];
  /** voxels of each lesion on the current series' grid, as runs: [first voxel, count, …] */
  runs: number[][];
  /** comparison of the images, reused when readers correct a mask */
  compared: ComparedImages;
  ncc: number;
  noise: number;
}

/** A changed place in the brain, as detected by the engine. */
interface FoundChange {
  kind: LesionChangeKind;
  isSure: boolean;
  changedMm3: number;
  /** volume of the lesion on the compared images */
  beforeMm3: number;
  afterMm3: number;
  z: number;
  /** centre of the lesion in the scanner coordinates of the prior and the current series, mm */
  centreRasMm: [prior: [number, number, number], current: [number, number, number]];
}

/** Changes detected by the engine on the two FLAIR series. */
export interface ComparedImages {
  changes: FoundChange[];
  /**
   * voxel runs of each change, on the grids of the prior and of the current series; see `runsOf`
   */
  runs: [prior: number[][], current: number[][]];
  /** affine from scanner mm of the prior series to those of the current one, column-major */
  currentFromPrior: number[];
}

/** Identifies the lesion masks of two studies in their current state of corrections. */
export const masksKey = ({ prior, current }: FlairPair): string =>
  [prior, current].map(({ analysisId, correctedAt }) => `${analysisId}@${correctedAt ?? ""}`)
    .join(" ");

export interface StoredChange {
  priorPid: number;
  analysisId: number;
  priorAnalysisId: number;
  /**
   * results of the comparison; `null` when the comparison failed
   * with an error code: the last results of the same analyses, kept for verdicts but not shown
   */
  results: FlairChangeResults | null;
  errorCode: string | null;
  /** time at which the comparison ended, ISO 8601 */
  finishedAt: string;
}

interface StoredVerdict {
  lesion: number;
  isConfirmed: boolean;
  decidedAt: string;
  /** name of the reader who gave the verdict; empty for a deleted account */
  decider: string;
}

/** Studies of a patient with an analysed FLAIR series, oldest first. */
export async function listFlairVisits(db: Database, patientId: string): Promise<FlairVisit[]> {
  if (patientId === "") return [];
  const rows = await db.selectFrom("patients as p").innerJoin(
    "analyses as a",
    "a.id",
    "p.t2_analysis_id",
  )
    .innerJoin("series as s", "s.id", "a.series_id")
    .leftJoin("analyses as a1", "a1.id", "p.t1_analysis_id")
    .select([
      "p.pid",
      "p.study_date",
      "p.patient_name",
      "p.patient_birthdate",
      "p.patient_sex",
      "a.id",
      "a.series_id",
      "a.corrected_at",
      "s.volume_blob",
      "a1.grade",
    ])
    .where("p.patient_id", "=", patientId).where("p.study_date", "is not", null)
    .where("a.status", "=", "completed").orderBy("p.study_date").orderBy("p.pid").execute();
  return rows.map((row) => ({
    pid: row.pid,
    analysisId: row.id,
    studyDate: row.study_date!,
    patient_name: row.patient_name,
    patient_birthdate: row.patient_birthdate,
    patient_sex: row.patient_sex,
    seriesId: row.series_id,
    volumeBlob: row.volume_blob,
    correctedAt: row.corrected_at,
    t1Grade: row.grade,
  }));
}

/**
 * Patients with a FLAIR series that is not yet compared with the previous study.
 * Includes patients with an outdated comparison. Also includes patient IDs whose studies differ in
 * nothing but the person's name, because this query does not compare names.
 * `slice` limits the range of patient IDs.
 */
export async function listUncomparedFlairs(db: Database, slice: PatientSlice): Promise<string[]> {
  // only studies with an unambiguous birth date and sex, as in personsIn()
  const isCertain = sql<SqlBool>`(
    SELECT coalesce(min(r.patient_birthdate) = max(r.patient_birthdate), TRUE)
      AND coalesce(min(r.patient_sex) = max(r.patient_sex), TRUE)
    FROM patients r WHERE r.patient_id = p.patient_id
      AND (r.patient_birthdate = p.patient_birthdate
        OR r.patient_birthdate IS NULL OR p.patient_birthdate IS NULL)
      AND (r.patient_sex = p.patient_sex OR r.patient_sex IS NULL OR p.patient_sex IS NULL))`;
  const visits = db.selectFrom("patients as p").innerJoin(
    "analyses as a",
    "a.id",
    "p.t2_analysis_id",
  )
    .where("a.status", "=", "completed").where("p.study_date", "is not", null)
    .where(isInSlice("p.patient_id", slice)).where(isCertain)
    .select([
      "p.patient_id",
      "p.pid",
      "p.study_date",
      "p.patient_birthdate",
      "p.patient_sex",
      "a.id as analysis_id",
      "a.corrected_at",
    ]);
  // same condition as in mayBeOnePerson(), in SQL
  const isOnePerson = (visit: string) =>
    sql<SqlBool>`(${sql.ref(`${visit}.patient_birthdate`)} = v.patient_birthdate
        OR v.patient_birthdate IS NULL OR ${sql.ref(`${visit}.patient_birthdate`)} IS NULL)
      AND (${sql.ref(`${visit}.patient_sex`)} = v.patient_sex
        OR v.patient_sex IS NULL OR ${sql.ref(`${visit}.patient_sex`)} IS NULL)`;
  const key = (visit: string) =>
    sql`CAST(${sql.ref(`${visit}.analysis_id`)} AS TEXT) || '@' || COALESCE(${
      sql.ref(`${visit}.corrected_at`)
    }, '')`;
  // must be the same text as `masksKey` and JSON.stringify produce
  const masks = sql`'{"masks":"' || ${key("prior")} || ' ' || ${key("v")} || '"%'`;
  const rows = await db.with("visits", () => visits).selectFrom("visits as v")
    .innerJoin(
      "visits as prior",
      (join) =>
        join.onRef("prior.patient_id", "=", "v.patient_id").onRef(
          "prior.study_date",
          "<",
          "v.study_date",
        ),
    )
    .where(isOnePerson("prior"))
    // only the latest of several earlier studies is compared
    .where((e) =>
      e.not(e.exists(
        e.selectFrom("visits as later").select("later.pid")
          .whereRef("later.patient_id", "=", "v.patient_id").whereRef(
            "later.study_date",
            "<",
            "v.study_date",
          )
          .where(isOnePerson("later"))
          .where(sql<SqlBool>`(later.study_date, later.pid) > (prior.study_date, prior.pid)`),
      ))
    )
    .where((e) =>
      e.not(e.exists(
        e.selectFrom("flair_changes as f").select("f.pid").whereRef("f.pid", "=", "v.pid")
          .whereRef("f.prior_pid", "=", "prior.pid").whereRef("f.analysis_id", "=", "v.analysis_id")
          .whereRef("f.prior_analysis_id", "=", "prior.analysis_id")
          .where(sql<SqlBool>`(f.results IS NULL OR f.results LIKE ${masks})`),
      ))
    )
    .select("v.patient_id").distinct().execute();
  return rows.map((row) => row.patient_id);
}

/** Patient ids of a study: the one of the study, and the one of a later study compared with it. */
export async function listFlairPatientIdsOf(db: Database, pid: number): Promise<string[]> {
  const rowsNow = await db.selectFrom("patients").select("patient_id").where("pid", "=", pid)
    .where("patient_id", "!=", "").execute();
  const then = await db.selectFrom("flair_changes as f").innerJoin(
    "patients as p",
    "p.pid",
    "f.pid",
  )
    .select("p.patient_id").where("f.prior_pid", "=", pid).where("p.patient_id", "!=", "")
    .execute();
  return [...new Set([...rowsNow, ...then].map((row) => row.patient_id))];
}

export async function findFlairChange(db: Database, pid: number): Promise<StoredChange | null> {
  const row = await db.selectFrom("flair_changes").selectAll().where("pid", "=", pid)
    .executeTakeFirst();
  return row
    ? {
      priorPid: row.prior_pid,
      analysisId: row.analysis_id,
      priorAnalysisId: row.prior_analysis_id,
      results: row.results === null ? null : JSON.parse(row.results),
      errorCode: row.error_code,
      finishedAt: row.finished_at,
    }
    : null;
}

/** Sets the time from which a stored comparison is valid. */
export async function setFlairFinished(db: Database, pid: number, at: string): Promise<void> {
  await db.updateTable("flair_changes").set({ finished_at: at }).where("pid", "=", pid).execute();
}

/**
 * Replaces a study's stored comparison of lesions.
 * @param carried For each new lesion, the old lesions with verdicts that the new lesion inherits.
 * Verdicts on all other old lesions are deleted.
 */
export async function saveFlairChange(
  db: Database,
  { prior, current }: FlairPair,
  end: { results: FlairChangeResults; finishedAt: string },
  carried: ReadonlyMap<number, readonly number[]> = new Map(),
): Promise<void> {
  const values = {
    prior_pid: prior.pid,
    analysis_id: current.analysisId,
    prior_analysis_id: prior.analysisId,
    results: JSON.stringify(end.results),
    error_code: null,
    finished_at: end.finishedAt,
  };
  const stored = await db.selectFrom("lesion_verdicts").selectAll().where("pid", "=", current.pid)
    .orderBy("is_confirmed", "desc").execute();
  await db.deleteFrom("lesion_verdicts").where("pid", "=", current.pid).execute();
  await db.insertInto("flair_changes").values({ pid: current.pid, ...values })
    .onConflict((conflict) => conflict.column("pid").doUpdateSet(values)).execute();
  for (const [lesion, earlier] of carried) {
    const verdicts = stored.filter((verdict) => earlier.includes(verdict.lesion));
    // a new lesion is rejected only if readers rejected every old lesion that it contains
    const verdict = verdicts[0]?.is_confirmed === 1 || verdicts.length === earlier.length
      ? verdicts[0]
      : undefined;
    if (verdict) await db.insertInto("lesion_verdicts").values({ ...verdict, lesion }).execute();
  }
}

/**
 * Stores that two studies cannot be compared.
 * Readers' verdicts are kept, and so are the results of the same analyses, to which they refer.
 */
export async function saveFlairFailure(
  db: Database,
  pair: FlairPair,
  { errorCode, finishedAt }: { errorCode: string; finishedAt: string },
): Promise<void> {
  const { prior, current } = pair, stored = await findFlairChange(db, current.pid);
  const isOfPair = stored?.priorPid === prior.pid && stored.analysisId === current.analysisId &&
    stored.priorAnalysisId === prior.analysisId;
  const results = isOfPair && stored.results && { ...stored.results, masks: masksKey(pair) };
  const values = {
    prior_pid: prior.pid,
    analysis_id: current.analysisId,
    prior_analysis_id: prior.analysisId,
    results: results ? JSON.stringify(results) : null,
    error_code: errorCode,
    finished_at: finishedAt,
  };
  await db.insertInto("flair_changes").values({ pid: current.pid, ...values })
    .onConflict((conflict) => conflict.column("pid").doUpdateSet(values)).execute();
}

/** Readers' verdicts on the changed lesions of a study. */
export async function listVerdicts(db: Database, pid: number): Promise<StoredVerdict[]> {
  const rows = await db.selectFrom("lesion_verdicts as v").leftJoin(
    "users as u",
    "u.id",
    "v.decided_by",
  )
    .select(["v.lesion", "v.is_confirmed", "v.decided_at", "u.name", "u.email"])
    .where("v.pid", "=", pid).orderBy("v.lesion").execute();
  return rows.map((row) => ({
    lesion: row.lesion,
    isConfirmed: row.is_confirmed === 1,
    decidedAt: row.decided_at,
    decider: row.name || row.email || "",
  }));
}

/** Stores a reader's verdict on a changed lesion in place of an earlier verdict; `null` deletes. */
export async function saveVerdict(
  db: Database,
  pid: number,
  lesion: number,
  verdict: { isConfirmed: boolean; at: string; userId: number } | null,
): Promise<void> {
  if (!verdict) {
    await db.deleteFrom("lesion_verdicts").where("pid", "=", pid).where("lesion", "=", lesion)
      .execute();
    return;
  }
  const values = {
    is_confirmed: verdict.isConfirmed ? 1 : 0,
    decided_at: verdict.at,
    decided_by: verdict.userId,
  };
  await db.insertInto("lesion_verdicts").values({ pid, lesion, ...values })
    .onConflict((conflict) => conflict.columns(["pid", "lesion"]).doUpdateSet(values)).execute();
}
