// What the parts of the kernels' benchmark share: inputs that are the same everywhere, fair timing, and rows.
import type { Native } from "@/bench/kernel_runs/kernel_native.ts";
import type { Row } from "@/bench/record.ts";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import { type Composer, createComposer, type Slot } from "@/viewer/slices/compose.ts";
import { type Grid, gridOf } from "@/viewer/grid.ts";

/** Least speed over plain JavaScript that is asked for. */
const MIN_GAIN = 3;
/** A conformed head's grid is about this large. */
export const SHAPE: Shape = [192, 224, 208];
/** WASM may take as much of native code's time. */
const MAX_OF_NATIVE = 1.6;
const ROUNDS = 40, TURN_MS = 0.5, WARM_UP_MS = 60, MIN_WARM_UPS = 4;
/** Turns of each in a block, and blocks, when a kernel is compared with native code. */
const TURNS = 8, BLOCKS = 5;
/** Rounds and blocks go on for as long: short ones may all fall into another program's time. */
const MIN_MEASURED_MS = 400;

/** Means of a part, which is a file of bench/kernels with `rows(kit)`. */
export interface Kit {
  module: WebAssembly.Module;
  /** The image work of reading. */
  reading: WebAssembly.Module;
  grid: Grid;
  /** Holds `base` as t1w and flair, `labels`, a thickness and lesions. */
  composer: Composer;
  base: Uint8Array;
  labels: Uint8Array;
  /** Null without cargo. */
  native: Native | null;
  /** Rows of the whole run so far. */
  rows: Row[];
}

/** One part of the benchmark. */
export interface Part {
  rows(kit: Kit): void | Promise<void>;
}

/** Inputs: waves with some noise, and overlays in runs with background between; native_times.rs has the same. */
export function makeKit(
  module: WebAssembly.Module,
  reading: WebAssembly.Module,
  native: Native | null,
): Kit {
  const voxels = SHAPE[0] * SHAPE[1] * SHAPE[2];
  const volume = (value: (v: number) => number) =>
    Uint8Array.from({ length: voxels }, (_, v) => value(v));
  const base = volume((v) => 64 + (v >> 5) % 128 + v * 31 % 17);
  const labels = volume((v) => {
    const label = (v / 9 | 0) % (LABEL_COUNT + 40);
    return label < LABEL_COUNT ? label : 0;
  });
  const thickness = volume((v) => (v / 7 | 0) % 5 === 0 ? (v / 7 | 0) % 256 : 0);
  const lesions = volume((v) => Math.max((v / 11 | 0) % 40 - 37, 0));
  const composer = createComposer(module, SHAPE);
  for (
    const [slot, values] of Object.entries({ t1w: base, flair: base, labels, thickness, lesions })
  ) {
    composer.volume(slot as Slot).set(values);
  }
  const grid = gridOf(SHAPE, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  return { module, reading, grid, composer, base, labels, native, rows: [] };
}

/** ms of a call in a turn of `calls` calls. */
function turnMs(call: () => unknown, calls: number): number {
  const start = performance.now();
  for (let n = 0; n < calls; n++) call();
  return (performance.now() - start) / calls;
}

/** Calls until the engine has made fast code of it; gives how many calls a turn takes. */
function callsOf(call: () => unknown): number {
  const end = performance.now() + WARM_UP_MS;
  let best = turnMs(call, 1);
  for (let n = 1; n < MIN_WARM_UPS || performance.now() < end; n++) {
    best = Math.min(best, turnMs(call, 1));
  }
  return Math.max(Math.ceil(TURN_MS / Math.max(best, 1e-4)), 1);
}

/**
 * ms of calls, each the best of many turns taken one after the other: other programs only ever slow a turn down, and
 * slow all of them. What takes microseconds is called many times a turn.
 */
export function timed(calls: readonly (() => unknown)[], rounds = ROUNDS): number[] {
  const counts = calls.map(callsOf);
  const best = calls.map(() => Infinity), end = performance.now() + MIN_MEASURED_MS;
  for (let round = 0; round < rounds || performance.now() < end; round++) {
    for (const [at, call] of calls.entries()) {
      best[at] = Math.min(best[at]!, turnMs(call, counts[at]!));
    }
  }
  return best;
}

/**
 * Adds a row of a kernel against the same one compiled for this machine: blocks of turns, as many calls each, of one and
 * of the other, one after the other. In each block they are by themselves, as what runs in between takes bytes out of the
 * caches.
 */
export async function addNative(kit: Kit, name: string, call: () => unknown): Promise<void> {
  if (!kit.native) return;
  const calls = callsOf(call);
  let ms = Infinity, nativeMs = Infinity;
  const end = performance.now() + MIN_MEASURED_MS;
  for (let block = 0; block < BLOCKS || performance.now() < end; block++) {
    for (let turn = 0; turn < TURNS; turn++) ms = Math.min(ms, turnMs(call, calls));
    const answer = await kit.native.bestMs(name, TURNS, calls);
    if (answer === null) throw new Error(`native_times has no ${name}`);
    nativeMs = Math.min(nativeMs, answer);
  }
  addRow(kit, `${name}, against native`, ms, nativeMs, { most: MAX_OF_NATIVE });
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
export function addGain(
  kit: Kit,
  name: string,
  value: number,
  plainMs: number,
  isRight: boolean,
): void {
  addRow(kit, `${name}, against plain JS`, value, plainMs, { most: 1 / MIN_GAIN, isRight });
}
