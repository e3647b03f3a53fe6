import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { ChangeEngine } from "@/wasm/pkg/engine/bind_engine.js";
import type { ChangedLesion, FlairChangeResult } from "@/server/core/engine/result.ts";
import type { Report } from "@/server/core/engine/worker/serve.ts";
import { StageRunner } from "@/server/core/engine/worker/stage_runner.ts";

/** Kinds of lesion change in the engine's order; the engine numbers them from 1. */
const KINDS: readonly LesionChangeKind[] = ["new", "enlarging", "shrinking", "gone"];
/** Count of numbers with which the engine describes a lesion. */
const FIGURES = 12;

/**
 * Kind of change of a lesion, when the engine detected that a part became brighter or darker.
 * If the lesion is in both studies, its volumes decide: the whole may grow while the part shrinks.
 * @param kind Kind of the part's change as the engine numbers kinds, from 1.
 */
export function changeKindOf(kind: number, beforeMm3: number, afterMm3: number): LesionChangeKind {
  const namedKind = KINDS[kind - 1]!;
  if (namedKind === "new" || namedKind === "gone" || beforeMm3 === afterMm3) return namedKind;
  return afterMm3 > beforeMm3 ? "enlarging" : "shrinking";
}

function lesionOf(flat: Float64Array): ChangedLesion {
  const [kind, sure, changedMm3, beforeMm3, afterMm3, z, ...mm] = flat as unknown as number[];
  return {
    kind: changeKindOf(kind!, beforeMm3!, afterMm3!),
    isSure: sure === 1,
    changedMm3: changedMm3!,
    beforeMm3: beforeMm3!,
    afterMm3: afterMm3!,
    z: z!,
    centreRasMm: [[mm[0]!, mm[1]!, mm[2]!], [mm[3]!, mm[4]!, mm[5]!]],
  };
}

/** Runs the comparison of two FLAIR series inside the worker. */
export function compareFlairs(
  series: readonly [Volume, Volume],
  atlasFile: (name: string) => Uint8Array,
  report: Report,
  memory: WebAssembly.Memory,
): FlairChangeResult {
  const stages = new StageRunner(report, memory);
  const engine = stages.run(
    0,
    "load",
    () =>
      new ChangeEngine(
        atlasFile("template"),
        atlasFile("prior_labels"),
        atlasFile("prior_weights"),
      ),
  );
  for (const { voxels, shape, rasFromIjk } of series) {
    engine.add(Float32Array.from(voxels), new Uint32Array(shape), rasFromIjk);
  }
  const change = stages.run(5, "compare", () => engine.compare()), flat = change.lesions();
  return {
    lesions: Array.from(
      { length: flat.length / FIGURES },
      (_, n) => lesionOf(flat.subarray(FIGURES * n, FIGURES * (n + 1))),
    ),
    marks: [change.take_marks(0), change.take_marks(1)],
    ncc: change.ncc(),
    noise: change.noise(),
    secondFromFirst: [...change.second_from_first()],
    stages: stages.stages,
  };
}
