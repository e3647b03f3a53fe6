/// <reference lib="deno.worker" />
/** Runs the engine's WebAssembly. One worker serves one request, then its owner ends it: that frees all memory. */
import { gunzipSync } from "node:zlib";
import type { Affine, Shape } from "@/model/geometry.ts";
import type { Volume } from "@/model/volume.ts";
import {
  Engine,
  EngineFailure,
  initSync,
  resample_nearest_i32,
  resample_nearest_u16,
  resample_nearest_u8,
  version,
} from "@/wasm/pkg/engine/bind_engine.js";
import type { EngineAnswer, EngineRequest } from "@/core/engine/messages.ts";
import { warningsOf } from "@/core/engine/quality.ts";
import type { EngineResult, StageRecord } from "@/core/engine/result.ts";
import { type Report, serve } from "@/core/engine/serve.ts";

const wasm = initSync({
  module: Deno.readFileSync(new URL("../../wasm/pkg/engine/bind_engine_bg.wasm", import.meta.url)),
});

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

function analyze(volume: Volume, biasCorrection: boolean, report: Report): EngineResult {
  const stages: StageRecord[] = [];
  const run = <T>(percent: number, name: string, work: () => T): T => {
    report(percent, name);
    const start = performance.now();
    const value = work();
    const seconds = Math.round(performance.now() - start) / 1000;
    stages.push({ name, seconds, peakMb: Math.round(wasm.memory.buffer.byteLength / 1e5) / 10 });
    return value;
  };
  const engine = run(0, "load", openEngine);
  run(4, "conform", () => conform(engine, volume));
  run(12, "register", () => engine.register());
  run(20, "prior", () => engine.place_prior());
  run(45, "segment", () => engine.segment(biasCorrection));
  run(75, "label", () => engine.label());
  run(94, "boundaries", () => engine.refine());
  const outcome = run(96, "output", () => engine.finish());
  const volumesMm3 = [...outcome.volumes_mm3()];
  const icvMm3 = engine.icv_mm3(), ncc = engine.ncc(), hasConverged = engine.converged();
  return {
    version: `sulcus-engine ${version()}`,
    shape: [...outcome.shape()] as Shape,
    rasFromIjk: affineOf<"Ras", "Ijk">(outcome.ras_from_ijk()),
    intensities: outcome.intensities(),
    labels: outcome.labels(),
    volumesMm3,
    icvMm3,
    stages,
    quality: {
      ncc,
      classMeans: [...engine.class_means()],
      winningPosterior: engine.winning_posterior(),
      hasConverged,
      subjectFromAtlas: affineOf<"Ras", "Ras">(engine.subject_from_atlas()),
      // This version has no nonlinear step: true of every analysis, and the reader must know.
      warnings: [
        "registration_linear",
        ...warningsOf({ ncc, isRetried: engine.retried(), hasConverged, icvMm3, volumesMm3 }),
      ],
    },
  };
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

serve((request, report): EngineAnswer => {
  try {
    switch (request.kind) {
      case "analyze":
        return { kind: "analyzed", result: analyze(request.volume, request.biasCorrection, report) };
      case "conform":
        return { kind: "conformed", volume: conformed(request.volume) };
      case "resample":
        return { kind: "resampled", voxels: resample(request) };
    }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { kind: "failed", code: error.code, reason: error.reason, message: error.message };
  }
});
