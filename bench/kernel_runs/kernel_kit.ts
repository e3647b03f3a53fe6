// Shared code of the kernel benchmark's parts: equal inputs, paired timing, and result rows.
import type { Native } from "@/bench/kernel_runs/kernel_native.ts";
import type { Row } from "@/bench/record.ts";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import { type Composer, createComposer, type Slot } from "@/viewer/slices/compose.ts";
import {
  alternateRounds,
  BLOCK_ROUNDS,
  callsOfRound,
  medianOf,
  MOST_BLOCKS,
  pairsOf,
  roundMs,
  timesOf,
} from "@/viewer/bench/paired_timing.ts";
import { type Grid, gridOf } from "@/viewer/grid.ts";

/** Minimum speed of a kernel relative to plain JavaScript. */
const MIN_GAIN = 3;
/** Typical grid of a conformed head. */
export const SHAPE: Shape = [192, 224, 208];
/** Maximum duration in WASM relative to native code. */
const MAX_OF_NATIVE = 1.6;

/** Inputs and results for a part: a file of bench/kernels that exports `rows(kit)`. */
export interface Kit {
  module: WebAssembly.Module;
  /** Module with the image processing of the reading tools. */
  reading: WebAssembly.Module;
  grid: Grid;
  /** Contains `base` as T1w and FLAIR, `labels`, a thickness map and lesions. */
  composer: Composer;
  base: Uint8Array;
  labels: Uint8Array;
  /** `null` without cargo. */
  native: Native | null;
  /** All rows measured so far. */
  rows: Row[];
}

/** One part of the benchmark. */
export interface Part {
  rows(kit: Kit): void | Promise<void>;
}

/** Inputs as in native_times.rs: a wave with noise, and overlays in runs between background. */
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

/** Time per call in each round, ms. */
export type Samples = readonly number[];

/**
 * Times of functions called in alternate rounds: ms per call, by function and round.
 *
 * @param mostBlocks Maximum number of blocks of rounds, if the default is not needed.
 */
export const timed = (calls: readonly (() => unknown)[], mostBlocks?: number): Samples[] =>
  alternateRounds(calls, () => performance.now(), mostBlocks);

/** Adds a row that compares a kernel in WASM with native code, in alternate rounds. */
export async function addNative(kit: Kit, name: string, call: () => unknown): Promise<void> {
  if (!kit.native) return;
  const calls = callsOfRound(call), ms: number[] = [], nativeMs: number[] = [];
  for (let block = 0; block < MOST_BLOCKS; block++) {
    for (let round = 0; round < BLOCK_ROUNDS; round++) {
      ms.push(roundMs(call, calls) / calls);
      const answer = await kit.native.roundMs(name, calls);
      if (answer === null) throw new Error(`native_times has no ${name}`);
      nativeMs.push(answer);
    }
    if (!timesOf(pairsOf(ms, nativeMs)).isNoisy) break;
  }
  addRow(kit, `${name}, against native`, ms, nativeMs, { most: MAX_OF_NATIVE });
}

/**
 * Adds a row: rounds of a kernel and its baseline, with a maximum ratio. The ratio is the median of
 * the rounds' ratios; absent if its 95 % interval is wider than a fifth of the ratio.
 */
export function addRow(
  kit: Kit,
  name: string,
  ms: Samples,
  baseline: Samples | null,
  { most = null, isRight = true, bar }: { most?: number | null; isRight?: boolean; bar?: string },
): void {
  const times = baseline === null ? null : timesOf(pairsOf(ms, baseline));
  const ratio = times === null || times.isNoisy ? null : times.ratio;
  const given = most === null ? "-" : bar ?? `right answer, ratio ≤ ${Number(most.toFixed(3))}`;
  kit.rows.push({
    suite: "kernels",
    name,
    value: Number(medianOf(ms).toFixed(4)),
    unit: "ms",
    baseline: times && Number(times.plainMs.toFixed(4)),
    ratio: ratio === null ? null : Number(ratio.toFixed(3)),
    interval: times && [Number(times.interval[0].toFixed(3)), Number(times.interval[1].toFixed(3))],
    bar: times?.isNoisy ? "too noisy: repeat" : given,
    ok: isRight && (most === null || ratio === null || ratio <= most),
    samples: baseline === null ? [ms] : [ms, baseline],
  });
}

/** Adds a row of a kernel that must be three times as fast as the best plain JavaScript. */
export function addGain(
  kit: Kit,
  name: string,
  ms: Samples,
  plainMs: Samples,
  isRight: boolean,
): void {
  addRow(kit, `${name}, against plain JS`, ms, plainMs, { most: 1 / MIN_GAIN, isRight });
}
