import { countMetric } from "@/server/wire/metrics.ts";
import { AppError } from "@/model/errors.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { runEngine } from "@/server/core/engine/engine.ts";
import { memoryFigures } from "@/server/core/engine/worker/process_memory.ts";
import type { AnalysisOutcome, EngineFailureRecord } from "@/server/core/engine/result.ts";
import type { JobKind, JobRun } from "@/server/core/jobs/runner.ts";
import {
  failAnalysis,
  findAnalysis,
  setProgress,
  setWaiting,
  startAnalysis,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { findSeries } from "@/server/core/studies/storage/series.ts";
import { noteSpan } from "@/server/core/database/trace.ts";
import { analysisIdsOf } from "@/server/core/analyses/service/analysis.ts";
import { storeOutcome } from "@/server/core/analyses/service/analysis_store.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { gunzipPieces } from "@/server/core/analyses/service/files/gzip.ts";
import { publishCredits, returnCredit } from "@/server/core/site/service/license.ts";
import { recordLossySeries } from "@/server/core/studies/service/lossy_series.ts";

/**
 * Reads the stored volume of a series, unpacked off the event loop. @throws {AppError}
 * `engine.unsupported_input`.
 */
async function readVolume({ blobs }: ServiceContext, hash: string): Promise<Volume> {
  const packed = await blobs.read(hash);
  const bytes = await gunzipPieces(packed).catch((cause) => {
    throw new AppError(
      "engine.unsupported_input",
      "Cannot read the volume: gzip data are damaged",
      {
        reason: "nifti",
      },
      { cause },
    );
  });
  return decodeNifti(bytes);
}

const failureOf = ({ code, details, message }: AppError): EngineFailureRecord => ({
  code,
  reason: typeof details.reason === "string" ? details.reason : "",
  message,
});

/**
 * Volumes to analyse: one unreadable series (T1w or FLAIR) must not prevent analysing the other.
 */
async function readSeries(services: ServiceContext, analyses: readonly StoredAnalysis[]): Promise<{
  t1: Volume | null;
  flair: Volume | null;
  failures: AnalysisOutcome["failures"];
}> {
  const input = { t1: null as Volume | null, flair: null as Volume | null };
  const failures: AnalysisOutcome["failures"] = {};
  let first: AppError | null = null;
  for (const { kind, seriesId } of analyses) {
    const name = kind === "t1" ? "t1" : "flair";
    const series = await findSeries(services.db, seriesId);
    if (!series) continue;
    try {
      input[name] = await readVolume(services, series.volumeBlob);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failures[name] = failureOf(error);
      first ??= error;
    }
  }
  if (first && !input.t1 && !input.flair) throw first;
  return { ...input, failures };
}

async function analyze(
  services: ServiceContext,
  queued: readonly StoredAnalysis[],
  run: JobRun,
): Promise<void> {
  const { db, publish, log, engine } = services;
  const analyses: StoredAnalysis[] = [];
  for (const analysis of queued) {
    if (await startAnalysis(db, analysis.id, nowIso())) analyses.push(analysis);
  }
  const first = analyses[0];
  if (!first) return;
  const { pid } = first;
  const tell = (percent: number, stage?: string) => {
    for (const { kind } of analyses) {
      publish({ event: "study_analysis", pid, series: kind, status: "processing", percent, stage });
    }
  };
  tell(0);
  let stageBefore: string | undefined, stageStartMs = Date.now();
  const endStage = () => {
    const nowMs = Date.now();
    if (stageBefore !== undefined) {
      noteSpan(
        { name: `stage ${stageBefore}`, attributes: { "sulcus.study": pid } },
        stageStartMs,
        nowMs,
      );
    }
    stageStartMs = nowMs;
  };
  const { failures, ...input } = await readSeries(services, analyses);
  // the study was deleted after the job was queued
  if (!input.t1 && !input.flair) return;
  const { biasCorrection, secondOpinion, deepStructures } = first.parameters;
  const options = {
    biasCorrection: biasCorrection !== false,
    // an analysis queued by a version without segmentation networks lacks these parameters
    secondOpinion: secondOpinion === true,
    deepStructures: deepStructures === true,
    ...engine,
  };
  const outcome = await runEngine(input, options, {
    signal: run.signal,
    onProgress: (percent, stage) => {
      if (stage !== stageBefore) {
        endStage();
        log("info", "Stage", { pid, stage });
      }
      stageBefore = stage;
      tell(percent, stage);
      run.progress(percent);
      for (const { id } of analyses) {
        setProgress(db, id, percent, stage).catch((error) =>
          log("warn", "Cannot write progress", { pid, error: String(error) })
        );
      }
    },
  });
  endStage();
  await recordLossySeries(services, analyses, outcome);
  await storeOutcome(services, analyses, {
    ...outcome,
    failures: { ...outcome.failures, ...failures },
  });
  // the T1w stages include those of the FLAIR series
  const stages = outcome.t1?.stages ?? outcome.flair?.stages ?? [];
  for (const { name: stage, seconds } of stages) {
    countMetric("sulcus_stage_runs_total", { stage });
    countMetric("sulcus_stage_seconds_total", { stage }, seconds);
  }
  log("info", "Analysis completed", {
    pid,
    series: analyses.map(({ kind }) => kind).join(),
    seconds: Math.round(stages.reduce((sum, stage) => sum + stage.seconds, 0) * 10) / 10,
    ...memoryFigures(stages.map(({ peakMb }) => peakMb)),
  });
}

/** Job that analyses a study, and that updates the study after a crash or failure of the engine. */
export function analysisJob(services: ServiceContext): JobKind {
  const { db, publish } = services;
  // ids of analyses that were deleted together with the study are skipped
  const find = async (payload: unknown) =>
    (await Promise.all(analysisIdsOf(payload).map((id) => findAnalysis(db, id)))).filter((found) =>
      found !== null
    );
  return {
    // a single analysis already uses all cores
    atOnce: 1,
    async run(payload, run) {
      await analyze(services, await find(payload), run);
    },
    async retrying(payload) {
      for (const { id, pid, kind } of await find(payload)) {
        await setWaiting(db, id);
        publish({ event: "study_analysis", pid, series: kind, status: "waiting" });
      }
    },
    async failed(payload, error) {
      const { code, details } = error, analyses = await find(payload);
      const ended = await db.transaction().execute(async (tx) => {
        const ended: StoredAnalysis[] = [];
        for (const analysis of analyses) {
          if (await failAnalysis(tx, analysis.id, { code, details, finishedAt: nowIso() })) {
            ended.push(analysis);
          }
        }
        // also refunds the credit of a study that was deleted during the analysis
        const isNothingStored = analyses.every(({ status }) => status !== "completed");
        if (isNothingStored) await returnCredit(tx, analysisIdsOf(payload));
        return ended;
      });
      for (const { pid, kind } of ended) {
        publish({ event: "study_analysis", pid, series: kind, status: "failed" });
      }
      await publishCredits(services);
    },
  };
}
