import { AppError } from "@/model/errors.ts";
import { rowMajor, type Shape } from "@/model/geometry.ts";
import { isAnalyzing, type SeriesKind } from "@/model/schema/study.ts";
import type { AnalysesResponse, ViewerFile } from "@/model/schema/patients.ts";
import type { Volume } from "@/model/volume.ts";
import { decodeNifti } from "@/core/dicom/nifti.ts";
import { runEngine } from "@/core/engine/engine.ts";
import type { EngineResult } from "@/core/engine/result.ts";
import { enqueue, type JobKind, type JobRun } from "@/core/jobs/runner.ts";
import {
  type AnalysisResults,
  completeAnalysis,
  failAnalysis,
  findAnalysis,
  insertAnalysis,
  setProgress,
  setWaiting,
  startAnalysis,
  type StoredAnalysis,
} from "@/core/storage/analyses.ts";
import { insertBlobs } from "@/core/storage/blob_index.ts";
import { chunksOf, type Hold, type StagedBlob } from "@/core/storage/blobs.ts";
import type { Database } from "@/core/storage/database.ts";
import { findPatient, setLatestAnalysis, type StoredPatient } from "@/core/storage/patients.ts";
import { findSeries, listInputHashes } from "@/core/storage/series.ts";
import { type Caller, nowIso, type ServiceContext } from "@/core/services/context.ts";
import { gunzipPieces, gzipPieces } from "@/core/services/gzip.ts";
import { encodeNpy } from "@/core/services/npy.ts";
import { mustFindPatient } from "@/core/services/patients.ts";
import { percentileMapOf, regionDataOf } from "@/core/services/region_data.ts";
import { type GroupSettings, groupSettings } from "@/core/services/settings.ts";

/** Name of the job kind. */
export const ANALYSIS_JOB = "analysis";

interface AnalysisPayload {
  analysisId: number;
}

/** Adds a waiting analysis of a series and its job; call it inside the transaction that makes it necessary. */
export async function queueAnalysis(
  tx: Database,
  request: {
    pid: number;
    seriesId: number;
    kind: SeriesKind;
    requestedBy: number | null;
    settings: GroupSettings;
  },
): Promise<void> {
  const { pid, seriesId, kind } = request;
  const analysisId = await insertAnalysis(tx, {
    pid,
    seriesId,
    kind,
    parameters: { biasCorrection: request.settings.bias_correction },
    inputHashes: await listInputHashes(tx, seriesId),
    requestedAt: nowIso(),
    requestedBy: request.requestedBy,
  });
  await setLatestAnalysis(tx, pid, kind, analysisId);
  await enqueue(tx, ANALYSIS_JOB, { analysisId } satisfies AnalysisPayload);
}

/** What can be analysed of a study now. @throws {AppError} why nothing can. */
function analysable({ row, seriesId }: StoredPatient): { kind: SeriesKind; seriesId: number } {
  if (isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status)) {
    throw new AppError("study.being_analyzed", `Cannot analyse study ${row.pid}: it is being analysed`, {
      pid: row.pid,
    });
  }
  if (seriesId.t1 === null) {
    // FLAIR alone is stored, and analysed once the engine can
    throw new AppError("engine.unsupported_input", `Cannot analyse study ${row.pid}: no T1w series`, {
      pid: row.pid,
      reason: "t1_needed",
    });
  }
  return { kind: "t1", seriesId: seriesId.t1 };
}

/** Queues an analysis for each study that can have one; the others are named with the reason. */
export async function startAnalyses(
  { db, publish, wakeJobs }: ServiceContext,
  pids: readonly number[],
  caller: Caller,
): Promise<AnalysesResponse> {
  const settings = await groupSettings(db);
  const answer: AnalysesResponse = { accepted: [], excluded: [] };
  for (const pid of new Set(pids)) {
    try {
      await db.transaction().execute(async (tx) => {
        const subject = analysable(await mustFindPatient(tx, pid));
        await queueAnalysis(tx, { pid, ...subject, requestedBy: caller.uid, settings });
      });
      answer.accepted.push(pid);
      publish({ event: "study_analysis", pid, series: "t1", status: "waiting" });
      publish({ event: "credit_update" });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      answer.excluded.push({ pid, code: error.code });
    }
  }
  if (answer.accepted.length > 0) wakeJobs();
  return answer;
}

/** Analyses one study again. @throws {AppError} why it cannot be. */
export async function reanalyze(
  services: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<AnalysesResponse> {
  analysable(await mustFindPatient(services.db, pid));
  return await startAnalyses(services, [pid], caller);
}

interface ResultFile {
  field: ViewerFile;
  plain: StagedBlob;
  gzipped: StagedBlob;
}

/**
 * Writes one viewer file twice: as it is for ranges, gzipped for everything else.
 * @param staged Gets what has been written, also when the other one fails.
 */
async function stageFile(
  { blobs }: ServiceContext,
  field: ViewerFile,
  shape: Shape,
  voxels: Uint8Array,
  staged: StagedBlob[],
): Promise<ResultFile> {
  const npy = encodeNpy(voxels, shape);
  const both = await Promise.allSettled([
    blobs.stage(chunksOf(npy), Infinity).staging,
    blobs.stage(gzipPieces(npy, 6), Infinity).staging,
  ]);
  for (const one of both) if (one.status === "fulfilled") staged.push(one.value);
  const [plain, gzipped] = both.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  return { field, plain: plain!, gzipped: gzipped! };
}

function resultsOf(result: EngineResult): AnalysisResults {
  const { subjectFromAtlas, ...quality } = result.quality;
  return {
    volumesMm3: result.volumesMm3,
    icvMm3: result.icvMm3,
    shape: result.shape,
    rasFromIjkRows: rowMajor(result.rasFromIjk),
    quality: { ...quality, subjectFromAtlasRows: rowMajor(subjectFromAtlas) },
  };
}

/** Stores a result: files first, then one transaction. Nothing happens when the analysis is over or gone. */
async function complete(
  services: ServiceContext,
  analysis: StoredAnalysis,
  result: EngineResult,
): Promise<void> {
  const { db, blobs, publish } = services;
  const patient = await findPatient(db, analysis.pid);
  if (!patient) return;
  const subject = { age: patient.row.patient_age, sex: patient.row.patient_sex };
  const regions = regionDataOf(result.volumesMm3, result.icvMm3, subject);
  const percentiles = percentileMapOf(result.labels, regions), staged: StagedBlob[] = [];
  let hold: Hold | undefined;
  try {
    const files = [
      await stageFile(services, "t1w_file", result.shape, result.intensities, staged),
      await stageFile(services, "t1w_mask_file", result.shape, result.labels, staged),
      await stageFile(services, "t1w_np_mask_file", result.shape, percentiles, staged),
    ];
    hold = await blobs.keep(staged);
    const isStored = await db.transaction().execute(async (tx) => {
      await insertBlobs(tx, staged, nowIso());
      return await completeAnalysis(tx, analysis.id, {
        engineVersion: result.version,
        results: resultsOf(result),
        stages: result.stages,
        files: files.map(({ field, plain, gzipped }) => ({
          field,
          blob: plain.hash,
          gzipBlob: gzipped.hash,
        })),
        finishedAt: nowIso(),
      });
    });
    if (!isStored) return;
  } finally {
    hold?.release();
    // of what was kept, the staged file is gone already; a full disk must not stay full of the rest
    await Promise.all(staged.map((blob) => blob.discard()));
  }
  publish({
    event: "study_analysis",
    pid: analysis.pid,
    series: analysis.kind,
    status: "completed",
    percent: 100,
  });
  publish({ event: "credit_update" });
}

/** The stored volume of a series, unpacked off the event loop. @throws {AppError} `engine.unsupported_input`. */
async function readVolume({ blobs }: ServiceContext, hash: string): Promise<Volume> {
  const packed = await blobs.read(hash);
  const bytes = await gunzipPieces(packed).catch((cause) => {
    throw new AppError("engine.unsupported_input", "Cannot read the volume: gzip data are damaged", {
      reason: "nifti",
    }, { cause });
  });
  return decodeNifti(bytes);
}

async function analyze(services: ServiceContext, analysis: StoredAnalysis, run: JobRun): Promise<void> {
  const { db, publish, log } = services;
  const { id, pid, kind } = analysis;
  if (!await startAnalysis(db, id, nowIso())) return;
  const tell = (percent: number, stage?: string) =>
    publish({ event: "study_analysis", pid, series: kind, status: "processing", percent, stage });
  tell(0);
  const series = await findSeries(db, analysis.seriesId);
  if (!series) return;
  const volume = await readVolume(services, series.volumeBlob);
  const options = { biasCorrection: analysis.parameters.biasCorrection !== false };
  const { t1: result } = await runEngine({ t1: volume, flair: null }, options, {
    signal: run.signal,
    onProgress: (percent, stage) => {
      tell(percent, stage);
      run.progress(percent);
      setProgress(db, id, percent, stage).catch((error) =>
        log("warn", "Cannot write progress", { pid, error: String(error) })
      );
    },
  });
  if (!result) return;
  await complete(services, analysis, result);
  log("info", "Analysis completed", {
    pid,
    seconds: Math.round(result.stages.reduce((sum, stage) => sum + stage.seconds, 0) * 10) / 10,
    peak_mb: Math.round(Math.max(...result.stages.map((stage) => stage.peakMb))),
  });
}

/** The analysis job: what it does, and what a crash or a failure means for the study. */
export function analysisJob(services: ServiceContext): JobKind {
  const { db, publish } = services;
  const find = (payload: unknown) => findAnalysis(db, (payload as AnalysisPayload).analysisId);
  return {
    async run(payload, run) {
      const analysis = await find(payload);
      // deleted with its study while it waited
      if (analysis) await analyze(services, analysis, run);
    },
    async retrying(payload) {
      const analysis = await find(payload);
      if (!analysis) return;
      await setWaiting(db, analysis.id);
      publish({ event: "study_analysis", pid: analysis.pid, series: analysis.kind, status: "waiting" });
    },
    async failed(payload, error) {
      const analysis = await find(payload);
      if (!analysis) return;
      const { code, details } = error;
      if (!await failAnalysis(db, analysis.id, { code, details, finishedAt: nowIso() })) return;
      publish({ event: "study_analysis", pid: analysis.pid, series: analysis.kind, status: "failed" });
      publish({ event: "credit_update" });
    },
  };
}
