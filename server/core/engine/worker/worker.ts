/// <reference lib="deno.worker" />
/**
 * Runs the engine's WebAssembly in a worker.
 * A worker handles one request and is then terminated, which frees all memory.
 */
import { gunzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import type { Affine } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import {
  close_team,
  Engine,
  type EngineAnalysis,
  EngineFailure,
  initSync,
  lead_team,
  resample_nearest_i32,
  resample_nearest_u16,
  resample_nearest_u8,
  team_size,
} from "@/wasm/pkg/engine/bind_engine.js";
import type {
  AnalysisInput,
  AnalysisParameters,
  EngineAnswer,
  EngineRequest,
  TeamMessage,
} from "@/server/core/engine/worker/messages.ts";
import { ANY_CONTRAST } from "@/server/core/engine/any_contrast.ts";
import { compareFlairs } from "@/server/core/engine/flair_change_stages.ts";
import {
  addFlair,
  flairAlone,
  flairBesideT1,
  isSameSeries,
  SAME_SERIES,
} from "@/server/core/engine/flair.ts";
import type { AnalysisOutcome, EngineFailureRecord } from "@/server/core/engine/result.ts";
import { measureVisits } from "@/server/core/engine/longitudinal_stages.ts";
import { readNetworkWeights } from "@/server/core/engine/network_weights.ts";
import { type Report, serve } from "@/server/core/engine/worker/serve.ts";
import { StageRunner } from "@/server/core/engine/worker/stage_runner.ts";
import { conform, t1ResultOf } from "@/server/core/engine/t1.ts";
import { lowerPriority } from "@/server/core/engine/worker/lower_priority.ts";

lowerPriority();

const module = new WebAssembly.Module(
  Deno.readFileSync(new URL("../../../../wasm/pkg/engine/bind_engine_bg.wasm", import.meta.url)),
);
const wasm = initSync({ module });

/** Time for helper threads to start; the analysis runs without threads that are later. */
const TEAM_TIMEOUT_MS = 3000;

/**
 * Makes the workers at the other end of the ports helper threads of this worker.
 * Waits until they have started, because messages are delivered only while this worker is idle.
 */
async function gatherTeam(helpers: MessagePort[]): Promise<void> {
  if (helpers.length === 0) return;
  for (const port of helpers) {
    port.postMessage({ module, memory: wasm.memory } satisfies TeamMessage);
  }
  const end = performance.now() + TEAM_TIMEOUT_MS;
  while (team_size() <= helpers.length && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  lead_team();
}

const atlasFile = (name: string): Uint8Array =>
  gunzipSync(Deno.readFileSync(new URL(`../atlas/${name}.npy.gz`, import.meta.url)));

const openEngine = () =>
  new Engine(atlasFile("template"), atlasFile("prior_labels"), atlasFile("prior_weights"));

/** Converts a typed failure to a plain object that can be posted. @throws any other error. */
function failureOf(error: unknown): EngineFailureRecord {
  if (error instanceof AppError) return { code: error.code, reason: "", message: error.message };
  if (!(error instanceof EngineFailure)) throw error;
  return { code: error.code, reason: error.reason, message: error.message };
}

/** Runs `work`; returns a typed failure as a plain object instead of throwing it. */
function runCaught<T>(work: () => T): { value: T } | { failure: EngineFailureRecord } {
  try {
    return { value: work() };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** Creates an engine with the given series; frees the engine if it cannot accept a series. */
function engineWith(t1: Volume, flair: Volume | null, stages: StageRunner): Engine {
  const engine = stages.run(0, "load", openEngine);
  try {
    if (flair) addFlair(engine, flair);
    stages.run(3, "conform", () => conform(engine, t1));
    return engine;
  } catch (error) {
    engine.free();
    throw error;
  }
}

/** Runs the engine's stages with progress reports; the engine cannot be used afterwards. */
function analyzeWith(
  engine: Engine,
  parameters: AnalysisParameters,
  stages: StageRunner,
): EngineAnalysis {
  const { biasCorrection, deepWeights, modelWeights } = parameters;
  try {
    return engine.analyze(
      biasCorrection,
      deepWeights,
      modelWeights,
      (percent, name) => stages.begin(percent, name),
    );
  } finally {
    stages.end();
  }
}

/**
 * Analyses a study's series. If the FLAIR series cannot be registered, the T1w result is kept.
 * If the T1w series cannot be analysed, the FLAIR series is analysed alone.
 * A series given both as T1w and as FLAIR is analysed as T1w only.
 */
async function analyze(
  input: AnalysisInput,
  parameters: AnalysisParameters,
  report: Report,
): Promise<AnalysisOutcome> {
  const { t1 } = input, outcome: AnalysisOutcome = { t1: null, flair: null, failures: {} };
  const isSame = t1 !== null && input.flair !== null && isSameSeries(t1, input.flair);
  const flair = isSame ? null : input.flair;
  if (isSame) outcome.failures.flair = SAME_SERIES;
  const stages = new StageRunner(report, wasm.memory);
  if (t1) {
    const ended = runCaught(() => {
      const analysis = analyzeWith(engineWith(t1, flair, stages), parameters, stages);
      const result = t1ResultOf(analysis.take_t1()!, t1.rasFromIjk, stages.stages);
      outcome.t1 = result;
      if (!flair) return;
      const flairResult = runCaught(() => analysis.take_flair()!);
      if ("failure" in flairResult) outcome.failures.flair = flairResult.failure;
      else outcome.flair = flairBesideT1(flairResult.value, result, flair);
    });
    if ("failure" in ended) outcome.failures.t1 = ended.failure;
  }
  if (flair && !outcome.t1) {
    const deepWeights = parameters.deepStructures ? await readNetworkWeights(ANY_CONTRAST) : null;
    const alone = { ...parameters, deepWeights };
    const ended = runCaught(() => {
      const engine = stages.run(5, "load", openEngine);
      stages.run(10, "conform", () => addFlair(engine, flair));
      return flairAlone(analyzeWith(engine, alone, stages).take_flair()!, stages.stages);
    });
    if ("value" in ended) outcome.flair = ended.value;
    else outcome.failures.flair = ended.failure;
  }
  return outcome;
}

function resample({ labels, to }: EngineRequest & { kind: "resample" }) {
  const { voxels, shape, rasFromIjk } = labels;
  const grids = [
    new Uint32Array(shape),
    rasFromIjk,
    new Uint32Array(to.shape),
    to.rasFromIjk,
  ] as const;
  if (voxels instanceof Uint8Array) return resample_nearest_u8(voxels, ...grids);
  if (voxels instanceof Uint16Array) return resample_nearest_u16(voxels, ...grids);
  return resample_nearest_i32(Int32Array.from(voxels), ...grids);
}

function conformed(volume: Volume): Volume {
  const engine = openEngine();
  conform(engine, volume);
  return {
    voxels: engine.conformed(),
    shape: [256, 256, 256],
    rasFromIjk: engine.conformed_ras_from_ijk() as Affine<"Ras", "Ijk">,
  };
}

async function answer(request: EngineRequest, report: Report): Promise<EngineAnswer> {
  switch (request.kind) {
    case "analyze":
      return {
        kind: "analyzed",
        outcome: await analyze(request.input, request.parameters, report),
      };
    case "longitudinal":
      return { kind: "measured", result: measureVisits(request, atlasFile, report, wasm.memory) };
    case "flair_change":
      return {
        kind: "flair_changed",
        result: compareFlairs(request.series, atlasFile, report, wasm.memory),
      };
    case "conform":
      return { kind: "conformed", volume: conformed(request.volume) };
    case "resample":
      return { kind: "resampled", voxels: resample(request) };
  }
}

serve(async (request, report, helpers) => {
  await gatherTeam(helpers);
  try {
    return await answer(request, report);
  } catch (error) {
    return { kind: "failed", ...failureOf(error) };
  } finally {
    // freed also after a trap: helper threads that wait for tasks would keep the memory forever
    close_team();
  }
});
