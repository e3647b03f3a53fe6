// What the parts of the kernels' benchmark share: inputs that are the same everywhere, fair timing, and rows.
import type { Row } from "@/bench/record.ts";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { LABEL_COUNT } from "@/model/regions.ts";
import { type Composer, createComposer } from "@/viewer/compose.ts";
import { type Grid, gridOf } from "@/viewer/grid.ts";

/** Least speed over plain JavaScript that is asked for. */
export const LEAST_GAIN = 3;
/** A conformed head's grid is about this large. */
export const SHAPE: Shape = [192, 224, 208];
const ROUNDS = 40;

/** What a part is given. A part is a file of bench/kernel_parts with `rows(kit)`. */
export interface Kit {
  module: WebAssembly.Module;
  grid: Grid;
  /** Holds `base` as t1w and `labels`. */
  composer: Composer;
  base: Uint8Array;
  labels: Uint8Array;
  /** ms that the part's kernels took, by name, for the comparison with native code. */
  times: Map<string, number>;
  /** Rows of the whole run so far. */
  rows: Row[];
}

/** One part of the benchmark. */
export interface Part {
  rows(kit: Kit): void | Promise<void>;
}

/** Inputs: waves with some noise, and 104 labels in runs with background between; native_times.rs has the same. */
export function makeKit(module: WebAssembly.Module): Kit {
  const voxels = SHAPE[0] * SHAPE[1] * SHAPE[2];
  const base = Uint8Array.from({ length: voxels }, (_, v) => 64 + (v >> 5) % 128 + v * 31 % 17);
  const labels = Uint8Array.from({ length: voxels }, (_, v) => {
    const label = (v / 9 | 0) % (LABEL_COUNT + 40);
    return label < LABEL_COUNT ? label : 0;
  });
  const composer = createComposer(module, SHAPE);
  composer.volume("t1w").set(base);
  composer.volume("labels").set(labels);
  const grid = gridOf(SHAPE, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  return { module, grid, composer, base, labels, times: new Map(), rows: [] };
}

/**
 * ms of calls, each the best of many turns taken one after the other: other programs only ever slow a turn down, and
 * slow all of them.
 */
export function timed(calls: readonly (() => unknown)[], rounds = ROUNDS): number[] {
  for (let n = 0; n < Math.min(4, rounds / 4); n++) for (const call of calls) call();
  const best = calls.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [at, call] of calls.entries()) {
      const start = performance.now();
      call();
      best[at] = Math.min(best[at]!, performance.now() - start);
    }
  }
  return best;
}

/**
 * Times a kernel by itself, as native code is: what runs between its turns takes its bytes out of the caches. A turn is
 * `calls` calls: of a kernel that takes microseconds the clock sees nothing else, and the engine has to make fast code
 * of it first, which needs many calls.
 */
export function timeAlone(kit: Kit, name: string, call: () => unknown, rounds = ROUNDS, calls = 1): void {
  const turn = () => {
    for (let n = 0; n < calls; n++) call();
  };
  kit.times.set(name, timed([turn], rounds)[0]! / calls);
}

/** Adds a row: `value` ms against `baseline` ms of the same run, and what their ratio may be at most. */
export function addRow(
  kit: Kit,
  name: string,
  value: number,
  baseline: number | null,
  { most = null, isRight = true, bar }: { most?: number | null; isRight?: boolean; bar?: string },
): void {
  const ratio = baseline === null ? null : value / baseline;
  kit.rows.push({
    suite: "kernels",
    name,
    value: Number(value.toFixed(4)),
    unit: "ms",
    baseline: baseline === null ? null : Number(baseline.toFixed(4)),
    ratio: ratio === null ? null : Number(ratio.toFixed(3)),
    bar: most === null ? "-" : bar ?? `right answer, ratio ≤ ${Number(most.toFixed(3))}`,
    ok: isRight && (most === null || ratio === null || ratio <= most),
  });
}

/** Adds a row of a kernel that must be three times as fast as the best plain JavaScript. */
export function addGain(kit: Kit, name: string, value: number, plainMs: number, isRight: boolean): void {
  addRow(kit, `${name}, against plain JS`, value, plainMs, { most: 1 / LEAST_GAIN, isRight });
}
