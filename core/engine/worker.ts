/// <reference lib="deno.worker" />
/** Runs the engine's WebAssembly. One worker serves one request, then its owner ends it: that frees all memory. */
import process from "node:process";
import { gunzipSync } from "node:zlib";
import type { Affine, Shape } from "@/model/geometry.ts";
import type { Volume } from "@/model/volume.ts";
import {
  Engine,
  EngineFailure,
  initSync,
  lead_team,
  resample_nearest_i32,
  resample_nearest_u16,
  resample_nearest_u8,
  version,
} from "@/wasm/pkg/engine/bind_engine.js";
import type {
  AnalysisInput,
  AnalysisParameters,
  EngineAnswer,
  EngineRequest,
  TeamMessage,
} from "@/core/engine/messages.ts";
import { assess } from "@/core/engine/quality.ts";
import type {
  AnalysisOutcome,
  EngineFailureRecord,
  EngineResult,
  StageRecord,
} from "@/core/engine/result.ts";
import { type Report, serve } from "@/core/engine/serve.ts";

const module = new WebAssembly.Module(
  Deno.readFileSync(new URL("../../wasm/pkg/engine/bind_engine_bg.wasm", import.meta.url)),
);
const wasm = initSync({ module });

/** Makes the workers at the other end of the ports threads of this one. */
function gatherTeam(helpers: MessagePort[]): void {
  for (const port of helpers) port.postMessage({ module, memory: wasm.memory } satisfies TeamMessage);
  if (helpers.length > 0) lead_team();
}

const atlasFile = (name: string): Uint8Array =>
  gunzipSync(Deno.readFileSync(new URL(`./atlas/${name}.npy.gz`, import.meta.url)));

const openEngine = () =>
  new Engine(atlasFile("template"), atlasFile("prior_labels"), atlasFile("prior_weights"));

const affineOf = <To extends "Ras", From extends "Ras" | "Ijk">(numbers: Float64Array) =>
  numbers as Affine<To, From>;

function conform(engine: Engine, { voxels, shape, rasFromIjk }: Volume): void {
  const size = new Uint32Array(shape);
  if (voxels instanceof Uint8Array) engine.conform_u8(voxels, size, rasFromIjk);
  else if (voxels instanceof Int8Array) engine.conform_i8(voxels, size, rasFromIjk);
  else if (voxels instanceof Uint16Array) engine.conform_u16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int16Array) engine.conform_i16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int32Array) engine.conform_i32(voxels, size, rasFromIjk);
  else engine.conform_f32(voxels, size, rasFromIjk);
}

/** Runs the stages of one analysis and records each. */
class StageRunner {
  readonly stages: StageRecord[] = [];

  constructor(private readonly report: Report) {}

  run<T>(percent: number, name: string, work: () => T): T {
    this.report(percent, name);
    const start = performance.now(), cpu = process.cpuUsage();
    const value = work();
    const used = process.cpuUsage(cpu);
    this.stages.push({
      name,
      seconds: Math.round(performance.now() - start) / 1000,
      cpuSeconds: Math.round((used.user + used.system) / 1000) / 1000,
      peakMb: Math.round(wasm.memory.buffer.byteLength / 1e5) / 10,
    });
    return value;
  }
}

function analyzeT1(volume: Volume, parameters: AnalysisParameters, report: Report): EngineResult {
  const stages = new StageRunner(report);
  const engine = stages.run(0, "load", openEngine);
  stages.run(4, "conform", () => conform(engine, volume));
  stages.run(12, "register", () => engine.register());
  stages.run(20, "prior", () => engine.place_prior());
  stages.run(45, "segment", () => engine.segment(parameters.biasCorrection));
  stages.run(75, "label", () => engine.label());
  stages.run(94, "boundaries", () => engine.refine());
  const outcome = stages.run(96, "output", () => engine.finish());
  const volumesMm3 = [...outcome.volumes_mm3()], labels = outcome.labels();
  const icvMm3 = engine.icv_mm3(), ncc = engine.ncc(), hasConverged = engine.converged();
  return {
    version: `sulcus-engine ${version()}`,
    shape: [...outcome.shape()] as Shape,
    rasFromIjk: affineOf<"Ras", "Ijk">(outcome.ras_from_ijk()),
    intensities: outcome.intensities(),
    labels,
    volumesMm3,
    icvMm3,
    thickness: {
      map: new Uint8Array(labels.length),
      meanMm: new Array(105).fill(0),
      leftMm: 0,
      rightMm: 0,
    },
    surface: {
      vertices: new Float32Array(),
      faces: new Uint32Array(),
      normals: new Float32Array(),
      values: new Float32Array(),
      trianglesBefore: 0,
      eulerNumber: 0,
    },
    secondOpinion: null,
    stages: stages.stages,
    quality: {
      ...assess({
        ncc,
        lncc: 1,
        isRetried: engine.retried(),
        foldedFraction: 0,
        affineParameters: new Array(12).fill(0),
        cnr: 4,
        winningPosterior: engine.winning_posterior(),
        hasConverged,
        icvMm3,
        volumesMm3,
        centresMm: [],
      }),
      ncc,
      lncc: [0, 0],
      jacobian: [1, 1, 1],
      classMeans: [...engine.class_means()],
      cnr: 0,
      snr: null,
      winningPosterior: engine.winning_posterior(),
      hasConverged,
      centroidOutliers: 0,
      subjectFromAtlas: affineOf<"Ras", "Ras">(engine.subject_from_atlas()),
    },
  };
}

/** Runs `work`; a typed failure becomes a record. */
function settled<T>(work: () => T): { value: T } | { failure: EngineFailureRecord } {
  try {
    return { value: work() };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { failure: { code: error.code, reason: error.reason, message: error.message } };
  }
}

function analyze(input: AnalysisInput, parameters: AnalysisParameters, report: Report): AnalysisOutcome {
  const outcome: AnalysisOutcome = { t1: null, flair: null, failures: {} };
  if (input.t1) {
    const volume = input.t1, ended = settled(() => analyzeT1(volume, parameters, report));
    if ("value" in ended) outcome.t1 = ended.value;
    else outcome.failures.t1 = ended.failure;
  }
  if (input.flair) {
    outcome.failures.flair = {
      code: "engine.unsupported_input",
      reason: "flair registration",
      message: "Cannot analyse the FLAIR series",
    };
  }
  return outcome;
}

function resample({ labels, to }: EngineRequest & { kind: "resample" }) {
  const { voxels, shape, rasFromIjk } = labels;
  const grids = [new Uint32Array(shape), rasFromIjk, new Uint32Array(to.shape), to.rasFromIjk] as const;
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
    rasFromIjk: affineOf<"Ras", "Ijk">(engine.conformed_ras_from_ijk()),
  };
}

function answer(request: EngineRequest, report: Report): EngineAnswer {
  switch (request.kind) {
    case "analyze":
      return { kind: "analyzed", outcome: analyze(request.input, request.parameters, report) };
    case "conform":
      return { kind: "conformed", volume: conformed(request.volume) };
    case "resample":
      return { kind: "resampled", voxels: resample(request) };
  }
}

serve((request, report, helpers) => {
  gatherTeam(helpers);
  const ended = settled(() => answer(request, report));
  return "value" in ended ? ended.value : { kind: "failed", ...ended.failure };
});
