// Measurements of a server during a soak test, one per line of a file, so that a test can resume.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { MemoryKinds } from "@/bench/growth/heap.ts";
import { type Row, rowMaker } from "@/bench/record.ts";

const BAR_GROWTH = 1.1;
/** Minimum number of measurements for which quarters of the test are compared. */
const MIN_SAMPLES = 8;
const S_PER_HOUR = 3600;

/** State of the server at one time without running analyses. */
export interface Sample {
  /** number of the server process, from 0: a resumed test starts another process */
  run: number;
  /** time since the start of the test, s, including earlier runs */
  atS: number;
  memoryMb: number;
  handles: number;
  threads: number;
  walMb: number;
  /** memory after a garbage collection */
  kinds: MemoryKinds | null;
  /** processor time of the server's process, s */
  processorS: number;
  /** since the start of this run: wrong responses, and completed rounds by name */
  problems: number;
  done: Record<string, number>;
}

/** Measurements in a file; empty without a file. An incomplete last line is ignored. */
export function readSamples(path: string | undefined): Sample[] {
  if (path === undefined || !existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** Appends a measurement to the file. */
export function keepSample(path: string | undefined, sample: Sample): void {
  if (path !== undefined) writeFileSync(path, JSON.stringify(sample) + "\n", { flag: "a" });
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Slope of the least-squares line through points; NaN for fewer than two points. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const x = mean(([x]) => x), y = mean(([, y]) => y);
  return mean((p) => (p[0] - x) * (p[1] - y)) / mean((p) => (p[0] - x) ** 2);
}

/**
 * Rows of a soak test. Growth is judged from the second to the last quarter (the first is warm-up),
 * in the process with the most measurements; rounds and wrong responses count in all processes.
 */
export function rowsOf(samples: readonly Sample[]): Row[] {
  const runs = Map.groupBy(samples, ({ run }) => run);
  const longest = [...runs.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  const lasts = [...runs.values()].map((run) => run.at(-1)!);
  const quarter = (n: number) =>
    longest.slice(Math.floor(n * longest.length / 4), Math.floor((n + 1) * longest.length / 4));
  const of = (n: number, name: "memoryMb" | "handles" | "threads") =>
    quarter(n).map((sample) => sample[name]);
  const problems = lasts.reduce((sum, last) => sum + last.problems, 0);
  const isRight = problems === 0 && longest.length >= MIN_SAMPLES;
  const make = rowMaker("soak");
  const row = (name: string, value: number, unit: string, baseline: number | null = null): Row =>
    make(name, value, unit, { baseline, ok: isRight });
  const compared = (name: string, unit: string, fold: (n: number) => number) =>
    row(name, fold(3), unit, fold(1));
  const memory = compared(
    "memory, median of the last quarter",
    "MB",
    (n) => median(of(n, "memoryMb")),
  );
  const half = longest.slice(longest.length >> 1);
  const slope = slopeOf(half.map(({ atS, memoryMb }) => [atS / S_PER_HOUR, memoryMb]));
  const kinds = longest.every(({ kinds }) => kinds === null)
    ? []
    : (["objects", "buffers", "spare", "native"] as const).map((kind) =>
      compared(
        `of it ${kind}, median of the last quarter`,
        "MB",
        (n) => median(quarter(n).map(({ kinds }) => kinds![kind])),
      )
    );
  // medians: the report worker ends when idle, so single measurements have fewer files and threads,
  // but not permanently
  const usual = (name: "handles" | "threads", said: string, unit: string) =>
    compared(`${said}, median of the last quarter`, unit, (n) => median(of(n, name)));
  const noMore = (one: Row): Row => ({
    ...one,
    bar: "no more",
    ok: isRight && one.value <= one.baseline!,
  });
  const turns = new Map<string, number>();
  for (const { done } of lasts) {
    for (const [name, times] of Object.entries(done)) {
      turns.set(name, (turns.get(name) ?? 0) + times);
    }
  }
  return [
    { ...memory, bar: `≤ ${BAR_GROWTH} ×`, ok: isRight && memory.ratio! <= BAR_GROWTH },
    row("memory, rise in the second half", slope, "MB an hour"),
    ...kinds,
    noMore(usual("handles", "open files", "files")),
    noMore(usual("threads", "threads", "threads")),
    row("write-ahead log, largest", Math.max(...samples.map(({ walMb }) => walMb)), "MB"),
    row("answers that should not have come", problems, "answers"),
    row(
      "processor time of the server",
      lasts.reduce((sum, { processorS }) => sum + processorS, 0),
      "s",
    ),
    ...[...turns].map(([name, times]) => row(`turns: ${name}`, times, "turns")),
  ];
}
