/**
 * Engine benchmark: seconds and peak memory per stage on one head, with the checks that make a wrong answer a failed
 * benchmark. deno run -A bench/engine.ts DIR|FILE.nii[.gz] --json FILE
 */
import { analyzeFolder } from "@/commands/analyze.ts";
import { applyAffine } from "@/model/geometry.ts";
import type { EngineResult } from "@/core/engine/result.ts";

interface Row {
  suite: "engine";
  name: string;
  value: number;
  unit: string;
  baseline: number | null;
  ratio: number | null;
  bar: number | null;
  ok: boolean;
}

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

if (import.meta.main) {
  const [input, flag, file] = Deno.args;
  if (!input || flag !== "--json" || !file) throw new Error("usage: bench/engine.ts DIR|FILE --json FILE");
  const out = await Deno.makeTempDir();
  const options = { input, out, age: null, sex: null, biasCorrection: true };
  const result = await analyzeFolder(options);
  await Deno.remove(out, { recursive: true });
  const commit = new Deno.Command("git", { args: ["rev-parse", "--short", "HEAD"] });
  const cpu = /^model name\s*:\s*(.+)$/m.exec(await Deno.readTextFile("/proc/cpuinfo"))?.[1] ?? "unknown";
  const record = {
    command: "deno run -A bench/engine.ts DIR --json FILE",
    input: "studyforrest example T1w, 384 DICOM files (PDDL)",
    commit: new TextDecoder().decode((await commit.output()).stdout).trim(),
    runtime: `Deno ${Deno.version.deno}, V8 ${Deno.version.v8}`,
    cpu: `${cpu}, ${navigator.hardwareConcurrency} cores, load ${Deno.loadavg()[0]!.toFixed(1)}`,
    rows: rowsOf(result),
  };
  await Deno.writeTextFile(file, JSON.stringify(record, null, 1) + "\n");
  if (record.rows.some((row) => !row.ok)) Deno.exit(1);
}
