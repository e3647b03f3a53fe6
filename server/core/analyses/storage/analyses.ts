import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import type { ErrorDetails } from "@/model/errors.ts";
import type { LinearMeasures } from "@/model/linear/linear_measures.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import type { ThicknessReason } from "@/model/schema/studies/patients.ts";
import type { SurfaceFile, ViewerFile } from "@/model/schema/studies/viewer_files.ts";
import { type QualityGrade, qualityGrade } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import type { AnalysisRow } from "@/server/core/database/tables.ts";

/** Numbers of a completed analysis, as stored. */
export interface AnalysisResults {
  /** index = label, length 105, mm³ */
  volumesMm3: number[];
  icvMm3: number;
  /** [nx, ny, nz] of the viewer files */
  shape: [number, number, number];
  /** RAS mm from voxel index, 16 numbers row-major */
  rasFromIjkRows: number[];
  /** the engine's quality control */
  quality: Record<string, unknown>;
  /**
   * index = label, mm, 0 where it is no cortex or too small; absent in results of engines that did
   * not measure it
   */
  thicknessMm?: number[];
  /** mean of the left and the right hemisphere, mm */
  thicknessSidesMm?: [number, number];
  /** why there is no thickness */
  thicknessReason?: ThicknessReason | null;
  /**
   * widths and angle of the ventricles; absent in results of engines that did not measure them, and
   * after a correction of the ventricles
   */
  linear?: LinearMeasures;
  /** label 28 holds the lesions of a FLAIR series */
  hasLesions?: boolean;
  /** another network's answer, when one was asked */
  secondOpinion?: Record<string, unknown> | null;
  /** our own network's answer; absent in results of engines that had none */
  deepStructures?: Record<string, unknown> | null;
  /**
   * how far atlas and networks agree with each label (`RegionAgreement`); absent in results of
   * earlier engines
   */
  regionAgreement?: Record<string, (number | null)[] | null>;
  surface?: { vertices: number; faces: number; trianglesBefore: number; eulerNumber: number };
}

/** Numbers of a completed FLAIR analysis, as stored. */
export interface FlairResults {
  /** [nx, ny, nz] of the viewer files */
  shape: [number, number, number];
  /** RAS mm from voxel index, 16 numbers row-major */
  rasFromIjkRows: number[];
  periMm3: number;
  deepMm3: number;
  /** cerebral white matter with its lesions */
  whiteMatterMm3: number;
  lesionCount: number;
  /** the largest first; earlier versions stored none */
  lesions?: {
    periMm3: number;
    deepMm3: number;
    centreRasMm: [number, number, number];
    nearLabel?: number | null;
    /** earlier versions stored none */
    place?: LesionPlace | null;
  }[];
  isLowConfidence: boolean;
  tissue: "t1" | "flair";
  registration: { nmi: number; overlap: number } | null;
  /** FLAIR mm → T1w mm, 16 numbers row-major */
  t1FromFlairRows: number[];
  /** from FLAIR alone */
  icvMm3: number | null;
  /** from FLAIR alone, by label; earlier versions stored none */
  deepStructures?: {
    model: string;
    isUsed: boolean;
    reason: string;
    coverage: number;
    entropy: number;
    agreement: number;
    volumesMm3: number[];
  } | null;
  grade: "A" | "B" | "C";
  /** codes of model/text/quality.ts; earlier versions stored none */
  warnings?: string[];
}

interface AnalysisStage {
  name: string;
  seconds: number;
  /** absent in results of engines that did not measure it */
  cpuSeconds?: number;
  peakMb: number;
}

/** Content of a file of an analysis: a viewer file, or one array of the surface. */
export type FileField = ViewerFile | SurfaceFile;

export interface StoredAnalysis {
  id: number;
  pid: number;
  seriesId: number;
  kind: SeriesKind;
  status: AnalysisRow["status"];
  engineVersion: string | null;
  parameters: Record<string, unknown>;
  inputHashes: string[];
  /** of a T1w series */
  results: AnalysisResults | null;
  /** of a FLAIR series */
  flair: FlairResults | null;
  stages: AnalysisStage[] | null;
  requestedBy: number | null;
  finishedAt: string | null;
  /** when strokes last changed the results: made, taken back or brought back */
  correctedAt: string | null;
  /** local norms that it is read with, see {@link NormedAnalysis} */
  localNormId: number | null;
  localNormAt: string | null;
}

/**
 * Columns that determine how percentiles are computed: the local norms, and the networks with their
 * error.
 */
export type NormedAnalysis = Pick<
  StoredAnalysis,
  "engineVersion" | "localNormId" | "localNormAt" | "results"
>;

export async function insertAnalysis(
  db: Database,
  analysis: {
    pid: number;
    seriesId: number;
    kind: SeriesKind;
    parameters: Record<string, unknown>;
    inputHashes: string[];
    requestedAt: string;
    requestedBy: number | null;
  },
): Promise<number> {
  const row = await db.insertInto("analyses").values({
    pid: analysis.pid,
    series_id: analysis.seriesId,
    kind: analysis.kind,
    status: "waiting",
    stage: null,
    engine_version: null,
    parameters: JSON.stringify(analysis.parameters),
    input_hashes: JSON.stringify(analysis.inputHashes),
    results: null,
    grade: null,
    stages: null,
    error_code: null,
    error_details: null,
    requested_at: analysis.requestedAt,
    requested_by: analysis.requestedBy,
    started_at: null,
    finished_at: null,
  }).returning("id").executeTakeFirstOrThrow();
  return row.id;
}

export async function findAnalysis(db: Database, id: number): Promise<StoredAnalysis | null> {
  const row = await db.selectFrom("analyses").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) return null;
  return {
    id: row.id,
    pid: row.pid,
    seriesId: row.series_id,
    kind: row.kind,
    status: row.status,
    engineVersion: row.engine_version,
    parameters: JSON.parse(row.parameters),
    inputHashes: JSON.parse(row.input_hashes),
    results: row.results === null || row.kind !== "t1" ? null : JSON.parse(row.results),
    flair: row.results === null || row.kind !== "t2" ? null : JSON.parse(row.results),
    stages: row.stages === null ? null : JSON.parse(row.stages),
    requestedBy: row.requested_by,
    finishedAt: row.finished_at,
    correctedAt: row.corrected_at,
    localNormId: row.local_norm_id,
    localNormAt: row.local_norm_at,
  };
}

/** Results of a completed analysis. */
interface CompletedResults extends NormedAnalysis {
  results: AnalysisResults | null;
  flair: FlairResults | null;
}

/** Results of the completed ones among the given analyses, by id; without other columns. */
export async function listResults(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, CompletedResults>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("analyses")
    .select(["id", "kind", "results", "engine_version", "local_norm_id", "local_norm_at"])
    .where(isAmong(db, "id", numberList(db, ids))).where("status", "=", "completed").execute();
  return new Map(rows.map(({ id, kind, results, ...row }) => {
    const read = results === null ? null : JSON.parse(results);
    return [id, {
      results: kind === "t1" ? read : null,
      flair: kind === "t2" ? read : null,
      engineVersion: row.engine_version,
      localNormId: row.local_norm_id,
      localNormAt: row.local_norm_at,
    }];
  }));
}

/**
 * Starts (or starts again) an analysis that is not over. @returns false when it is over or gone.
 */
export async function startAnalysis(db: Database, id: number, startedAt: string): Promise<boolean> {
  const result = await db.updateTable("analyses")
    .set({ status: "processing", percent: 0, stage: null, started_at: startedAt })
    .where("id", "=", id).where("status", "in", ["waiting", "processing"]).executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export async function setProgress(
  db: Database,
  id: number,
  percent: number,
  stage: string,
): Promise<void> {
  await db.updateTable("analyses").set({ percent, stage })
    .where("id", "=", id).where("status", "=", "processing").execute();
}

/** Back to waiting, before another try. */
export async function setWaiting(db: Database, id: number): Promise<void> {
  await db.updateTable("analyses").set({ status: "waiting", percent: 0, stage: null })
    .where("id", "=", id).where("status", "=", "processing").execute();
}

/** The grade that the engine gave its result; `null` in results of engines that gave none. */
function gradeOf(results: AnalysisResults | FlairResults): QualityGrade | null {
  const grade = "quality" in results ? results.quality.grade : results.grade;
  return qualityGrade.safeParse(grade).data ?? null;
}

/** @returns false when the analysis is over or gone; then nothing is written. */
export async function completeAnalysis(
  db: Database,
  id: number,
  end: {
    engineVersion: string;
    results: AnalysisResults | FlairResults;
    stages: AnalysisStage[];
    files: readonly { field: FileField; blob: string; gzipBlob: string }[];
    finishedAt: string;
    /** local norms that it is read with */
    localNormId?: number | null;
  },
): Promise<boolean> {
  const result = await db.updateTable("analyses").set({
    status: "completed",
    percent: 100,
    stage: null,
    engine_version: end.engineVersion,
    results: JSON.stringify(end.results),
    grade: gradeOf(end.results),
    stages: JSON.stringify(end.stages),
    finished_at: end.finishedAt,
    local_norm_id: end.localNormId ?? null,
    local_norm_at: end.localNormId ? end.finishedAt : null,
  }).where("id", "=", id).where("status", "=", "processing").executeTakeFirst();
  if (Number(result.numUpdatedRows) !== 1) return false;
  await db.insertInto("analysis_files").values(
    end.files.map((file) => ({
      analysis_id: id,
      field: file.field,
      blob: file.blob,
      gzip_blob: file.gzipBlob,
    })),
  ).execute();
  return true;
}

export async function failAnalysis(
  db: Database,
  id: number,
  end: { code: string; details: ErrorDetails; finishedAt: string },
): Promise<boolean> {
  const result = await db.updateTable("analyses").set({
    status: "failed",
    stage: null,
    error_code: end.code,
    error_details: JSON.stringify(end.details),
    finished_at: end.finishedAt,
  }).where("id", "=", id).where("status", "in", ["waiting", "processing"]).executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export interface AnalysisFile {
  field: FileField;
  blob: string;
  gzipBlob: string;
}

export async function listFiles(db: Database, analysisId: number): Promise<AnalysisFile[]> {
  const rows = await db.selectFrom("analysis_files").selectAll().where(
    "analysis_id",
    "=",
    analysisId,
  )
    .execute();
  return rows.map((row) => ({
    field: row.field as FileField,
    blob: row.blob,
    gzipBlob: row.gzip_blob,
  }));
}

/** Version of the engine that made the newest result; `null` before the first. */
export async function findNewestEngine(db: Database): Promise<string | null> {
  const row = await db.selectFrom("analyses").select("engine_version")
    .where("engine_version", "is not", null).orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.engine_version ?? null;
}

/** Studies of some analyses, by the analysis's id. */
export async function listPidsOf(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("analyses").select(["id", "pid"]).where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, pid }) => [id, pid]));
}

/** Results of a series, and the hash of the stored volume (.nii.gz) that they were made of. */
interface StoredResults<Results> {
  results: Results;
  volume: string;
}

/** Stored results of an analysis run, with the volumes that it used. */
export interface RehearsableAnalysis {
  pid: number;
  engineVersion: string | null;
  parameters: Record<string, unknown>;
  /** `null`: the FLAIR series was analysed alone */
  t1: StoredResults<AnalysisResults> | null;
  /** of the same run */
  flair: StoredResults<FlairResults> | null;
  /** hash of each file that the run stored of the T1w series, or of the FLAIR alone */
  files: Partial<Record<FileField, string>>;
}

/**
 * The newest completed analysis runs, one a study, `count` of T1w series and then as many of a
 * FLAIR alone; those with corrections are left out.
 */
export async function listRehearsable(db: Database, count: number): Promise<RehearsableAnalysis[]> {
  const completed = db.selectFrom("analyses").innerJoin("series", "series.id", "analyses.series_id")
    .select([
      "analyses.id",
      "analyses.pid",
      "analyses.engine_version",
      "analyses.parameters",
      "analyses.results",
      "series.volume_blob",
    ])
    .where("analyses.status", "=", "completed")
    .where(
      "analyses.id",
      "not in",
      (from) => from.selectFrom("original_results").select("analysis_id"),
    )
    .orderBy("analyses.id", "desc");
  const ofFlair = completed.where("analyses.kind", "=", "t2");
  const withT1w = new Map<number, RehearsableAnalysis>(),
    alone = new Map<number, RehearsableAnalysis>();
  for (const row of await completed.where("analyses.kind", "=", "t1").limit(4 * count).execute()) {
    const { pid, results: text } = row;
    if (text === null || withT1w.has(pid) || withT1w.size === count) continue;
    const results: AnalysisResults = JSON.parse(text);
    const beside = results.hasLesions
      ? await ofFlair.where("analyses.pid", "=", pid).executeTakeFirst()
      : null;
    // its lesions are those of a FLAIR series that is gone, or has been analysed again alone
    if (results.hasLesions && !beside?.results) continue;
    withT1w.set(pid, {
      ...await runOf(db, row),
      t1: { results, volume: row.volume_blob },
      flair: beside?.results
        ? { results: JSON.parse(beside.results), volume: beside.volume_blob }
        : null,
    });
  }
  const withoutT1w = ofFlair.where(
    "analyses.pid",
    "not in",
    (from) =>
      from.selectFrom("analyses").select("pid").where("kind", "=", "t1").where(
        "status",
        "=",
        "completed",
      ),
  );
  for (const row of await withoutT1w.limit(4 * count).execute()) {
    const { pid, results: text } = row;
    if (text === null || alone.has(pid) || alone.size === count) continue;
    const results: FlairResults = JSON.parse(text);
    // read beside a T1w series that is gone
    if (results.tissue !== "flair") continue;
    alone.set(pid, {
      ...await runOf(db, row),
      t1: null,
      flair: { results, volume: row.volume_blob },
    });
  }
  return [...withT1w.values(), ...alone.values()];
}

async function runOf(
  db: Database,
  row: { id: number; pid: number; engine_version: string | null; parameters: string },
): Promise<Omit<RehearsableAnalysis, "t1" | "flair">> {
  const files = await listFiles(db, row.id);
  return {
    pid: row.pid,
    engineVersion: row.engine_version,
    parameters: JSON.parse(row.parameters),
    files: Object.fromEntries(files.map(({ field, blob }) => [field, blob])),
  };
}
