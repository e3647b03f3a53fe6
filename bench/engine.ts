/**
 * Engine benchmark: seconds and peak memory per stage, with the checks that make a wrong answer a failed benchmark.
 * deno task bench engine [DIR|FILE.nii.gz] [--json FILE]
 * Without an input it measures a synthetic head and compares labels and volumes with its truth.
 */
import { analyzeFolder } from "@/commands/analyze.ts";
import { finish, type Row } from "@/bench/record.ts";
import { applyAffine } from "@/model/geometry.ts";
import { isBrain, isCortex } from "@/model/regions.ts";
import { makeHead } from "@/tests/phantom/head.ts";
import { makeSeries } from "@/tests/phantom/series.ts";
import { truthOn } from "@/tests/phantom/truth.ts";
import type { EngineResult } from "@/core/engine/result.ts";

const LEFT_HIPPOCAMPUS = 19;
const round = (value: number) => Math.round(value * 1000) / 1000;

/** A figure that must not exceed `bar`. */
function atMost(name: string, value: number, unit: string, bar: number | null): Row {
  const ok = bar === null || value <= bar;
  return { suite: "engine", name, value: round(value), unit, baseline: null, ratio: null, bar, ok };
}

/** Mean RAS x of a label, mm. */
function meanX({ labels, shape, rasFromIjk }: EngineResult, label: number): number {
  let sum = 0, n = 0;
  labels.forEach((l, at) => {
    if (l !== label) return;
    sum += applyAffine(rasFromIjk, [at % shape[0], 0, 0])[0];
    n++;
  });
  return sum / n;
}

export function rowsOf(result: EngineResult): Row[] {
  const brainMl = result.volumesMm3.reduce((sum, v) => sum + v, 0) / 1000;
  const brain = atMost("brain volume", brainMl, "mL", 1700);
  return [
    ...result.stages.flatMap(({ name, seconds, peakMb }) => [
      atMost(`${name}: time`, seconds, "s", null),
      atMost(`${name}: memory of the engine`, peakMb, "MB", 1200),
    ]),
    atMost("all stages: time", result.stages.reduce((sum, s) => sum + s.seconds, 0), "s", 30),
    { ...brain, ok: brain.ok && brainMl >= 900 },
    atMost("intracranial volume", result.icvMm3 / 1000, "mL", null),
    atMost("left hippocampus: mean RAS x", meanX(result, LEFT_HIPPOCAMPUS), "mm", 0),
    atMost("correlation with the template", result.quality.ncc, "1", null),
  ];
}

/** Dice and volume ratio of structures against the truth of a phantom; bars are what this engine version reaches. */
export function truthRowsOf(result: EngineResult, truth: Uint8Array): Row[] {
  const structures: [string, (label: number) => boolean, number][] = [
    ["brain", isBrain, 0.93],
    ["cortex", isCortex, 0.7],
    ["cerebral white matter", (l) => l === 1 || l === 2, 0.85],
    ["lateral ventricles", (l) => l === 15 || l === 16, 0.85],
    ["left hippocampus", (l) => l === 19, 0.65],
    ["right hippocampus", (l) => l === 20, 0.65],
  ];
  return structures.flatMap(([name, isOf, bar]) => {
    let both = 0, ours = 0, theirs = 0;
    for (let v = 0; v < truth.length; v++) {
      const a = isOf(result.labels[v]!), b = isOf(truth[v]!);
      ours += Number(a);
      theirs += Number(b);
      both += Number(a && b);
    }
    const dice = 2 * both / (ours + theirs);
    return [
      { ...atMost(`${name}: Dice with the truth`, dice, "1", bar), ok: dice >= bar },
      {
        ...atMost(`${name}: volume`, ours / 1000, "mL", null),
        baseline: theirs / 1000,
        ratio: round(ours / theirs),
      },
    ];
  });
}

if (import.meta.main) {
  const input = Deno.args[0]?.startsWith("--") ? undefined : Deno.args[0];
  const folder = await Deno.makeTempDir();
  const head = input === undefined ? makeHead({ seed: 1 }) : null;
  if (head) {
    await Deno.mkdir(`${folder}/in`);
    for (const { fileName, bytes } of makeSeries(head).files) {
      Deno.writeFileSync(`${folder}/in/${fileName}`, bytes);
    }
  }
  const result = await analyzeFolder({
    input: input ?? `${folder}/in`,
    out: `${folder}/out`,
    age: null,
    sex: null,
    biasCorrection: true,
  });
  await Deno.remove(folder, { recursive: true });
  const truth = head && truthOn(head, result.shape, result.rasFromIjk).labels;
  finish(
    "deno task bench engine [DIR] --json FILE",
    input === undefined
      ? "synthetic head, seed 1, 176 DICOM files"
      : `${input.replace(/\/+$/, "").split("/").pop()}`,
    [...rowsOf(result), ...truth ? truthRowsOf(result, truth) : []],
  );
}
