import { existsSync } from "node:fs";
import { AppError } from "@/model/errors.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import type { Row } from "@/bench/record.ts";
import { runEngine } from "@/server/core/engine/engine.ts";
import type { AnalysisOutcome, StageRecord } from "@/server/core/engine/result.ts";

/** Acceptance limits of a complete T1w analysis on two cores: seconds, and memory in MB. */
const BAR_SECONDS = 60, BAR_MB = 1200;
/** Stages longer than this, in seconds, must keep at least this number of cores busy. */
const HEAVY_SECONDS = 2, BAR_CORES = 1.5;
/** Maximum duration of this project's own network for a head, seconds. */
const BAR_DEEP_SECONDS = 8;

const rounded = (value: number) => Number(value.toPrecision(4));

/** A figure without an acceptance limit. */
export const figure = (name: string, value: number, unit: string): Row => ({
  suite: "engine",
  name,
  value: rounded(value),
  unit,
  baseline: null,
  ratio: null,
  bar: null,
  ok: true,
});

export const atMost = (name: string, value: number, unit: string, bar: number): Row => ({
  ...figure(name, value, unit),
  bar: `≤ ${bar}`,
  ok: value <= bar,
});

export const atLeast = (name: string, value: number, unit: string, bar: number): Row => ({
  ...figure(name, value, unit),
  bar: `≥ ${bar}`,
  ok: value >= bar,
});

/** A figure with its true value; with `tolerance`, its maximum error as a fraction of the truth. */
export function beside(
  name: string,
  value: number,
  unit: string,
  truth: number,
  tolerance?: number,
): Row {
  const ratio = value / truth;
  return {
    ...figure(name, value, unit),
    baseline: rounded(truth),
    ratio: rounded(ratio),
    bar: tolerance === undefined ? null : `± ${100 * tolerance} %`,
    ok: tolerance === undefined || Math.abs(ratio - 1) <= tolerance,
  };
}

/** Result and cost of one analysis. */
export interface Measured {
  outcome: AnalysisOutcome;
  seconds: number;
  /** largest resident memory of the process during the analysis, MB; 0 if unknown on this system */
  residentMb: number;
}

const STATUS = "/proc/self/status", REFERENCES = "/proc/self/clear_refs";

/** Runs one analysis on all cores of the machine. */
export async function measure(
  t1: Volume | null,
  flair: Volume | null = null,
  threads = navigator.hardwareConcurrency,
): Promise<Measured> {
  if (existsSync(REFERENCES)) Deno.writeTextFileSync(REFERENCES, "5");
  const start = performance.now();
  const outcome = await runEngine({ t1, flair }, {
    biasCorrection: true,
    secondOpinion: false,
    deepStructures: true,
    threads,
  });
  const status = existsSync(STATUS) ? Deno.readTextFileSync(STATUS) : "";
  return {
    outcome,
    seconds: (performance.now() - start) / 1000,
    residentMb: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000,
  };
}

/** Time and memory of an analysis; with `isJudged` compared with the limits of a T1w analysis. */
export function costRows(
  name: string,
  { outcome, seconds, residentMb }: Measured,
  isJudged: boolean,
): Row[] {
  const stages = [...outcome.t1?.stages ?? [], ...outcome.flair?.stages ?? []];
  const peakMb = Math.max(...stages.map((s) => s.peakMb));
  const time = `${name}: time`, memory = `${name}: memory of the engine`;
  return [
    isJudged ? atMost(time, seconds, "s", BAR_SECONDS) : figure(time, seconds, "s"),
    isJudged ? atMost(memory, peakMb, "MB", BAR_MB) : figure(memory, peakMb, "MB"),
    figure(`${name}: memory of the process`, residentMb, "MB"),
  ];
}

/** Time of each stage, and the number of cores that long stages keep busy. */
export function stageRows(name: string, stages: readonly StageRecord[]): Row[] {
  const heavy = stages.filter((s) => s.seconds >= HEAVY_SECONDS && s.cpuSeconds > 0);
  const sum = (key: "seconds" | "cpuSeconds") => heavy.reduce((total, s) => total + s[key], 0);
  return [
    ...stages.flatMap((s) => [
      s.name === "deep"
        ? atMost(`${name}, stage ${s.name}: time`, s.seconds, "s", BAR_DEEP_SECONDS)
        : figure(`${name}, stage ${s.name}: time`, s.seconds, "s"),
      figure(`${name}, stage ${s.name}: processor time`, s.cpuSeconds, "s"),
      figure(`${name}, stage ${s.name}: memory`, s.peakMb, "MB"),
    ]),
    ...heavy.length === 0 ? [] : [
      atLeast(
        `${name}: cores busy in stages over ${HEAVY_SECONDS} s`,
        sum("cpuSeconds") / sum("seconds"),
        "1",
        BAR_CORES,
      ),
    ],
  ];
}

/** Rows of one part; an analysis that fails gives a failed row, and the benchmark continues. */
export async function attempt(
  name: string,
  rows: (name: string) => Promise<Row[]>,
): Promise<Row[]> {
  try {
    return await rows(name);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{
      ...figure(`${name}: failed: ${error.code} ${error.details.reason ?? ""}`.trim(), 0, "1"),
      ok: false,
    }];
  }
}
