import type { Volume } from "@/model/viewer/volume.ts";
import {
  LongitudinalEngine,
  type PlacedVisits,
  type VisitMeasure,
} from "@/wasm/pkg/engine/bind_engine.js";
import type { LongitudinalResult, VisitResult } from "@/server/core/engine/result.ts";
import { deepStructuresOf, versionOf } from "@/server/core/engine/t1.ts";
import type { EngineRequest } from "@/server/core/engine/worker/messages.ts";
import type { Report } from "@/server/core/engine/worker/serve.ts";
import { StageRunner } from "@/server/core/engine/worker/stage_runner.ts";

/** Passes a visit's voxels to the engine in the number type in which they are stored. */
function locate(engine: LongitudinalEngine, { voxels, shape, rasFromIjk }: Volume): void {
  const size = new Uint32Array(shape);
  if (voxels instanceof Uint8Array) engine.locate_u8(voxels, size, rasFromIjk);
  else if (voxels instanceof Int8Array) engine.locate_i8(voxels, size, rasFromIjk);
  else if (voxels instanceof Uint16Array) engine.locate_u16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int16Array) engine.locate_i16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int32Array) engine.locate_i32(voxels, size, rasFromIjk);
  else engine.locate_f32(voxels, size, rasFromIjk);
}

function place(visits: PlacedVisits, visit: number, { voxels }: Volume): void {
  if (voxels instanceof Uint8Array) visits.place_u8(visit, voxels);
  else if (voxels instanceof Int8Array) visits.place_i8(visit, voxels);
  else if (voxels instanceof Uint16Array) visits.place_u16(visit, voxels);
  else if (voxels instanceof Int16Array) visits.place_i16(visit, voxels);
  else if (voxels instanceof Int32Array) visits.place_i32(visit, voxels);
  else visits.place_f32(visit, voxels);
}

function visitOf(measured: VisitMeasure): VisitResult {
  const [leftMm = 0, rightMm = 0] = measured.thickness_by_side();
  const result = {
    volumesMm3: [...measured.volumes_mm3()],
    thicknessMm: [...measured.thickness_mm()],
    leftMm,
    rightMm,
    hasConverged: measured.converged(),
  };
  measured.free();
  return result;
}

/** Runs all stages of a longitudinal comparison inside a worker. */
export function measureVisits(
  { volumes, biasCorrection, deepWeights }: EngineRequest & { kind: "longitudinal" },
  atlasFile: (name: string) => Uint8Array,
  report: Report,
  memory: WebAssembly.Memory,
): LongitudinalResult {
  const stages = new StageRunner(report, memory), n = volumes.length;
  const engine = stages.run(
    0,
    "load",
    () =>
      new LongitudinalEngine(
        atlasFile("template"),
        atlasFile("prior_labels"),
        atlasFile("prior_weights"),
      ),
  );
  volumes.forEach((volume, visit) =>
    stages.run(2 + 20 * visit / n, `locate ${visit + 1}`, () => locate(engine, volume))
  );
  const placed = stages.run(22, "register", () => engine.register_visits());
  volumes.forEach((volume, visit) =>
    stages.run(28 + 5 * visit / n, `place ${visit + 1}`, () => place(placed, visit, volume))
  );
  const measured = placed.analyze(
    biasCorrection,
    deepWeights,
    (percent, name) => stages.begin(percent, name),
  );
  stages.end();
  const deepStructures = deepStructuresOf(measured.fusion());
  return {
    version: versionOf({ secondOpinion: null, deepStructures }),
    icvMm3: measured.icv_mm3(),
    visits: measured.take_visits().map(visitOf),
    deepStructures,
    stages: stages.stages,
  };
}
