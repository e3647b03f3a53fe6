import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import type { ErrorDetails } from "@/model/errors.ts";
import type { LinearMeasures } from "@/model/linear/linear_measures.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import type { ThicknessReason } from "@/model/schema/studies/patients.ts";
import type { SurfaceFile, ViewerFile } from "@/model/schema/studies/viewer_files.ts";
import { type QualityGrade, qualityGrade } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { imageDateColumn, isoImageDate } from "@/server/core/database/image_date.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import type { AnalysisRow } from "@/server/core/database/tables.ts";

/** Measurements of a completed T1w analysis, as stored in the JSON column. */
export interface AnalysisResults {
  /** volumes, mm³; index = label, length 105 */
  volumesMm3: number[];
  icvMm3: number;
  /** shape [nx, ny, nz] of the result's files for the viewer */
  shape: [number, number, number];
  /** affine from voxel index to RAS mm, 16 numbers row-major */
  rasFromIjkRows: number[];
  /** quality control of the engine */
  quality: Record<string, unknown>;
  /**
   * cortical thickness by label, mm; 0 for labels that are not cortical and for too small regions
   * absent in results of engines that did not measure thickness
   */
  thicknessMm?: number[];
  /** mean cortical thickness of the left and the right hemisphere, mm */
  thicknessSidesMm?: [number, number];
  /** subtracted from every thickness to agree with FreeSurfer, mm; absent before engine 0.6.0: 0 */
  thicknessOffsetMm?: number;
  /** reason why no cortical thickness was measured */
  thicknessReason?: ThicknessReason | null;
  /**
   * widths and angle of the ventricles
   * absent in results of earlier engines, and after a reader corrected the ventricles
   */
  linear?: LinearMeasures;
  /** whether label 28 (white matter) contains the lesions of a FLAIR series */
  hasLesions?: boolean;
  /** comparison with a second network's labels; absent or `null` when that network was not used */
  secondOpinion?: Record<string, unknown> | null;
  /** result of the product's segmentation network; absent in results of older engines */
  deepStructures?: Record<string, unknown> | null;
  /** agreement of atlas and networks for each label (`RegionAgreement`); absent in older results */
  regionAgreement?: Record<string, (number | null)[] | null>;
  surface?: { vertices: number; faces: number; trianglesBefore: number; eulerNumber: number };
}

/** Measurements of a completed FLAIR analysis, as stored in the JSON column. */
export interface FlairResults {
  /** shape [nx, ny, nz] of the result's files for the viewer */
  shape: [number, number, number];
  /** affine from voxel index to RAS mm, 16 numbers row-major */
  rasFromIjkRows: number[];
  periMm3: number;
  deepMm3: number;
  /** volume of the cerebral white matter, mm³, including the lesions */
  whiteMatterMm3: number;
  lesionCount: number;
  /** lesions, largest first; absent in results of earlier versions */
  lesions?: {
    periMm3: number;
    deepMm3: number;
    centreRasMm: [number, number, number];
    nearLabel?: number | null;
    /** absent in results of earlier versions */
    place?: LesionPlace | null;
  }[];
  isLowConfidence: boolean;
  tissue: "t1" | "flair";
  registration: { nmi: number; overlap: number } | null;
  /** affine from FLAIR mm to T1w mm, 16 numbers row-major */
  t1FromFlairRows: number[];
  /** ICV, only for a FLAIR analysed alone */
  icvMm3: number | null;
  /** deep structures by label, only for a FLAIR analysed alone; absent in earlier versions */
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
  /** warning codes of model/text/quality.ts; absent in results of earlier versions */
  warnings?: string[];
}

interface AnalysisStage {
  name: string;
  seconds: number;
  /** processor time, s; absent in results of engines that did not measure the time */
  cpuSeconds?: number;
  peakMb: number;
}

/** Columns of an analysis that refer to a result file for the viewer, or to a surface array. */
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
  /** results of a T1w series */
  results: AnalysisResults | null;
  /** results of a FLAIR series */
  flair: FlairResults | null;
  stages: AnalysisStage[] | null;
  requestedBy: number | null;
  finishedAt: string | null;
  /** time at which a reader's stroke last changed the results (added, undone or redone) */
  correctedAt: string | null;
  /** local norms that adjust the percentiles, see {@link NormedAnalysis} */
  localNormId: number | null;
  localNormAt: string | null;
  acquisition: Acquisition;
}

/** Where and when the images of a result were made; `null`: unknown, or not read yet. */
export interface Acquisition {
  /** manufacturer, model and serial number of the scanner */
  scanner: string | null;
  protocol: string | null;
  /** study date by the images, ISO 8601; not changed by an edit of the study's record */
  imageDate: string | null;
  /** time at which the site received the study, ISO 8601 */
  receivedAt: string | null;
}

/**
 * Columns that determine how percentiles are computed: local norms, and segmentation networks,
 * because the measurement error of a volume depends on the networks.
 */
export type NormedAnalysis = Pick<
  StoredAnalysis,
  "engineVersion" | "localNormId" | "localNormAt" | "results" | "acquisition"
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

export const findAnalysis = async (db: Database, id: number): Promise<StoredAnalysis | null> =>
  (await findAnalyses(db, [id]))[0] ?? null;

/** The analyses among the given ids. */
export async function findAnalyses(
  db: Database,
  ids: readonly number[],
): Promise<StoredAnalysis[]> {
  const rows = await db.selectFrom("analyses as a")
    .leftJoin("series as s", "s.id", "a.series_id")
    .leftJoin("patients as p", "p.pid", "a.pid")
    .selectAll("a")
    .leftJoin("series_headers as h", "h.series_id", "a.series_id")
    .select(["s.scanner", "s.protocol", "p.created_at as received_at"])
    .select(imageDateColumn.as("image_date"))
    .where(isAmong(db, "a.id", numberList(db, ids))).execute();
  return rows.map((row) => ({
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
    acquisition: {
      scanner: row.scanner,
      protocol: row.protocol,
      imageDate: isoImageDate(row.image_date),
      receivedAt: row.received_at,
    },
  }));
}

/** Results of a completed analysis. */
interface CompletedResults extends NormedAnalysis {
  results: AnalysisResults | null;
  flair: FlairResults | null;
}

/** Results of the completed analyses among the given ids, without the other columns. */
export async function listResults(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, CompletedResults>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("analyses as a")
    .leftJoin("series as s", "s.id", "a.series_id")
    .leftJoin("patients as p", "p.pid", "a.pid")
    .leftJoin("series_headers as h", "h.series_id", "a.series_id")
    .select([
      "a.id",
      "a.kind",
      "a.results",
      "a.engine_version",
      "a.local_norm_id",
      "a.local_norm_at",
      "s.scanner",
      "s.protocol",
      "p.created_at as received_at",
      imageDateColumn.as("image_date"),
    ])
    .where(isAmong(db, "a.id", numberList(db, ids))).where("a.status", "=", "completed").execute();
  return new Map(rows.map(({ id, kind, results, ...row }) => {
    const read = results === null ? null : JSON.parse(results);
    return [id, {
      results: kind === "t1" ? read : null,
      flair: kind === "t2" ? read : null,
      engineVersion: row.engine_version,
      localNormId: row.local_norm_id,
      localNormAt: row.local_norm_at,
      acquisition: {
        scanner: row.scanner,
        protocol: row.protocol,
        imageDate: isoImageDate(row.image_date),
        receivedAt: row.received_at,
      },
    }];
  }));
}

/** Marks an analysis as running. @returns false when it has ended or was deleted. */
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

/** Marks an analysis as waiting before a retry. */
export async function setWaiting(db: Database, id: number): Promise<void> {
  await db.updateTable("analyses").set({ status: "waiting", percent: 0, stage: null })
    .where("id", "=", id).where("status", "=", "processing").execute();
}

/** Quality grade of a result; `null` in results of engines without grades. */
function gradeOf(results: AnalysisResults | FlairResults): QualityGrade | null {
  const grade = "quality" in results ? results.quality.grade : results.grade;
  return qualityGrade.safeParse(grade).data ?? null;
}

/** Completes an analysis. @returns false, without a change, when it has ended or was deleted. */
export async function completeAnalysis(
  db: Database,
  id: number,
  end: {
    engineVersion: string;
    results: AnalysisResults | FlairResults;
    stages: AnalysisStage[];
    files: readonly { field: FileField; blob: string; gzipBlob: string }[];
    finishedAt: string;
    /** local norms that adjust the percentiles */
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

/** Engine version of the newest result; `null` without results. */
export async function findNewestEngine(db: Database): Promise<string | null> {
  const row = await db.selectFrom("analyses").select("engine_version")
    .where("engine_version", "is not", null).orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.engine_version ?? null;
}

/** Study of each given analysis, by analysis id. */
export async function listPidsOf(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("analyses").select(["id", "pid"]).where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, pid }) => [id, pid]));
}

/** Results of a series, and the hash of the volume (.nii.gz) that was analysed. */
interface StoredResults<Results> {
  results: Results;
  volume: string;
}

/** Stored results of an analysis run, and the volumes from which they were computed. */
export interface RehearsableAnalysis {
  pid: number;
  engineVersion: string | null;
  parameters: Record<string, unknown>;
  /** T1w results; `null`: the FLAIR series was analysed alone */
  t1: StoredResults<AnalysisResults> | null;
  /** FLAIR results of the same analysis run */
  flair: StoredResults<FlairResults> | null;
  /** hashes of the run's result files: of the T1w series, or of a FLAIR series analysed alone */
  files: Partial<Record<FileField, string>>;
}

/**
 * Newest completed runs, one per study; a run that readers corrected is left out.
 * First `count` runs with a T1w series, then `count` runs of a FLAIR series alone.
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
    // skipped: the T1w labels contain lesions of a FLAIR result that no longer exists
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
    // skipped: this FLAIR was analysed with a T1w series that no longer exists
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
