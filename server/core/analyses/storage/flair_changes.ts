import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import { sql, type SqlBool } from "kysely";
import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";
import type { QualityGrade } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isInSlice, type PatientSlice } from "@/server/core/analyses/storage/patient_slices.ts";

/** A study with an analysed FLAIR series. */
export interface FlairVisit {
  pid: number;
  analysisId: number;
  /** YYYY-MM-DD */
  studyDate: string;
  seriesId: number;
  volumeBlob: string;
  /** when readers last changed the lesion mask; `null`: it is as analysed */
  correctedAt: string | null;
  /** of the study's T1w result; `null` without one */
  t1Grade: QualityGrade | null;
}

/** Two studies with compared FLAIR series. */
export interface FlairPair {
  prior: FlairVisit;
  current: FlairVisit;
}

/** One lesion that changed. */
export interface StoredLesion {
  kind: LesionChangeKind;
  isSure: boolean;
  /** of the voxels that changed */
  changedMm3: number;
  /** of the lesion masks of both studies; 0 where it is outside of the mask */
  beforeMm3: number;
  afterMm3: number;
  z: number;
  /** scanner mm of the prior and of the current series */
  centreRasMm: [prior: [number, number, number], current: [number, number, number]];
  /** see `lesionRegion`; absent without a label map */
  nearLabel?: number | null;
  /** see `LesionPlaces`; absent without a label map */
  place?: LesionPlace | null;
  /** numbers of the changes that it consists of, the surest first */
  parts: number[];
  /** its numbers in the list of lesions of each study, from 0 */
  listed: { before: number[]; after: number[] };
}

export interface FlairChangeResults {
  /** the lesion masks that the volumes are of, see `masksKey`; the first key, which a search reads */
  masks: string;
  priorDate: string;
  /** the surest first */
  lesions: StoredLesion[];
  /**
   * of each lesion, on the grid of the current series: [first voxel, count, first voxel, count …]
   */
  runs: number[][];
  /** the comparison of the images, which holds when readers correct a mask */
  compared: ComparedImages;
  ncc: number;
  noise: number;
}

/** A place that changed, as the engine found it. */
interface FoundChange {
  kind: LesionChangeKind;
  isSure: boolean;
  changedMm3: number;
  /** of the lesion on the compared images */
  beforeMm3: number;
  afterMm3: number;
  z: number;
  /** scanner mm of the prior and of the current series */
  centreRasMm: [prior: [number, number, number], current: [number, number, number]];
}

/** The changes as the engine found them on the two FLAIR series. */
export interface ComparedImages {
  changes: FoundChange[];
  /** of each change, on the grids of the prior and of the current series; see `runsOf` */
  runs: [prior: number[][], current: number[][]];
  /** scanner mm of the prior series to those of the current one, column-major */
  currentFromPrior: number[];
}

/** Identifies the lesion masks of two studies, with the corrections of readers. */
export const masksKey = ({ prior, current }: FlairPair): string =>
  [prior, current].map(({ analysisId, correctedAt }) => `${analysisId}@${correctedAt ?? ""}`)
    .join(" ");

export interface StoredChange {
  priorPid: number;
  analysisId: number;
  priorAnalysisId: number;
  /** `null` when they could not be compared */
  results: FlairChangeResults | null;
  errorCode: string | null;
}

interface StoredVerdict {
  lesion: number;
  isConfirmed: boolean;
  decidedAt: string;
  /** empty when the account is gone */
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
    seriesId: row.series_id,
    volumeBlob: row.volume_blob,
    correctedAt: row.corrected_at,
    t1Grade: row.grade,
  }));
}

/**
 * Patients of a slice with a FLAIR series that lacks a comparison with the one before it, of an
 * earlier date, or has one made from other analyses or lesion masks.
 */
export async function listUncomparedFlairs(db: Database, slice: PatientSlice): Promise<string[]> {
  const visits = db.selectFrom("patients as p").innerJoin(
    "analyses as a",
    "a.id",
    "p.t2_analysis_id",
  )
    .where("a.status", "=", "completed").where("p.study_date", "is not", null)
    .where(isInSlice("p.patient_id", slice))
    .select(["p.patient_id", "p.pid", "p.study_date", "a.id as analysis_id", "a.corrected_at"]);
  const key = (visit: string) =>
    sql`CAST(${sql.ref(`${visit}.analysis_id`)} AS TEXT) || '@' || COALESCE(${
      sql.ref(`${visit}.corrected_at`)
    }, '')`;
  // as `masksKey` and JSON.stringify write it
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
    // of several before it the last
    .where((e) =>
      e.not(e.exists(
        e.selectFrom("visits as later").select("later.pid")
          .whereRef("later.patient_id", "=", "v.patient_id").whereRef(
            "later.study_date",
            "<",
            "v.study_date",
          )
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

/** Patient ids that a study has, or had when a later one was compared with it. */
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
    }
    : null;
}

/**
 * Replaces the stored comparison.
 * @param carried  Numbers of lesions of the stored comparison, by the number of the new lesion that takes
 *   their verdicts; the other verdicts are removed.
 */
export async function saveFlairChange(
  db: Database,
  { prior, current }: FlairPair,
  end: { results: FlairChangeResults | null; errorCode: string | null; finishedAt: string },
  carried: ReadonlyMap<number, readonly number[]> = new Map(),
): Promise<void> {
  const values = {
    prior_pid: prior.pid,
    analysis_id: current.analysisId,
    prior_analysis_id: prior.analysisId,
    results: end.results && JSON.stringify(end.results),
    error_code: end.errorCode,
    finished_at: end.finishedAt,
  };
  const stored = await db.selectFrom("lesion_verdicts").selectAll().where("pid", "=", current.pid)
    .orderBy("is_confirmed", "desc").execute();
  await db.deleteFrom("lesion_verdicts").where("pid", "=", current.pid).execute();
  await db.insertInto("flair_changes").values({ pid: current.pid, ...values })
    .onConflict((conflict) => conflict.column("pid").doUpdateSet(values)).execute();
  for (const [lesion, earlier] of carried) {
    const verdicts = stored.filter((verdict) => earlier.includes(verdict.lesion));
    // rejected only when all of it was
    const verdict = verdicts[0]?.is_confirmed === 1 || verdicts.length === earlier.length
      ? verdicts[0]
      : undefined;
    if (verdict) await db.insertInto("lesion_verdicts").values({ ...verdict, lesion }).execute();
  }
}

/** The readers' verdicts on the lesions of a study's comparison. */
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

/** Keeps a reader's verdict over the one before; `null` takes it back. */
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
