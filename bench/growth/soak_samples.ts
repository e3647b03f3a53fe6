// What a soak saw of its server, kept in a file line by line, so that one that was cut off still has a result and can go on.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { MemoryKinds } from "@/bench/growth/heap.ts";
import { type Row, rowMaker } from "@/bench/record.ts";

const BAR_GROWTH = 1.1;
/** Samples below which a quarter says nothing. */
const MIN_SAMPLES = 8;
const S_PER_HOUR = 3600;

/** The server at one instant when nothing is being analysed. */
export interface Sample {
  /** of the server's processes, from 0: a soak that goes on has another one */
  run: number;
  /** seconds of soaking, those of the runs before with it */
  atS: number;
  memoryMb: number;
  handles: number;
  threads: number;
  walMb: number;
  /** after a collection */
  kinds: MemoryKinds | null;
  /** processor time of the server's process, s */
  processorS: number;
  /** of this run until now: answers that should not have come, and turns by name */
  problems: number;
  done: Record<string, number>;
}

/** Samples of the soak that a file keeps; none if it is not there. A last line that was cut off is left out. */
export function readSamples(path: string | undefined): Sample[] {
  if (path === undefined || !existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** Puts a sample behind those of the file. */
export function keepSample(path: string | undefined, sample: Sample): void {
  if (path !== undefined) writeFileSync(path, JSON.stringify(sample) + "\n", { flag: "a" });
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Rise of the straight line through points by least squares; NaN of fewer than two. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const x = mean(([x]) => x), y = mean(([, y]) => y);
  return mean((p) => (p[0] - x) * (p[1] - y)) / mean((p) => (p[0] - x) ** 2);
}

/**
 * Rows of a soak. What grows is judged within the server's process that was seen most often, from the second to the last
 * quarter of its time, for the first is warm-up; turns and wrong answers are those of all.
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
  // the worker of reports ends when nobody asks: a quarter that saw it gone once has fewer for that sample, and one that did not
  // has no more for good
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
