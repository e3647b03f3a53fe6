import { affineFromRows } from "@/model/geometry.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import {
  BENCH_CASES,
  BENCH_SIZES,
  type BenchCase,
  type BenchResult,
} from "@/viewer/bench/cases.ts";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import { plainCompose } from "@/viewer/bench/plain_compose.ts";
import { plainRasteriser } from "@/viewer/bench/plain_rasterise.ts";
import { type Composer, createComposer } from "@/viewer/slices/compose.ts";
import { isWithinThreshold } from "@/viewer/colours.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";
import { createCamera, orbit } from "@/viewer/surface/camera.ts";
import { createSurfaceKernel } from "@/viewer/surface/kernel.ts";
import { maskPercentiles, sliceOf } from "@/viewer/voxel_kernels.ts";
import { npy_to_u8 } from "@/wasm/pkg/kernels/bind_browser.js";

const { shape: SHAPE, pane: PANE } = BENCH_SIZES;
/** Far more than any cache holds. */
const COPY_BYTES = 32 << 20;
const ROUNDS = 12, WARM_UP = 5, ROUND_MS = 8;

/**
 * ms of a call. Other programs only ever slow it down, so the best round counts; a round is long
 * enough for clocks that browsers make coarse.
 */
function bestMs(call: () => void): number {
  for (let n = 0; n < WARM_UP; n++) call();
  const began = performance.now();
  call();
  const calls = Math.min(
    Math.ceil(ROUND_MS / Math.max(performance.now() - began, 0.1)),
    ROUND_MS * 10,
  );
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let n = 0; n < calls; n++) call();
    best = Math.min(best, (performance.now() - start) / calls);
  }
  return Math.max(best, 1e-6);
}

const result = (
  name: BenchCase,
  kernelMs: number,
  plainMs: number,
  isRight: boolean,
): BenchResult => ({
  name,
  kernelMs,
  plainMs,
  ratio: kernelMs / plainMs,
  isRight,
});

/** Part of the pixels that differ by more than `slack` of 255 in a channel. */
function partThatDiffers(a: Uint8ClampedArray, b: Uint8ClampedArray, slack: number): number {
  let count = 0;
  for (let at = 0; at < a.length; at += 4) {
    if ([0, 1, 2].some((c) => Math.abs(a[at + c]! - b[at + c]!) > slack)) count++;
  }
  return count / (a.length / 4);
}

function composeResult(composer: Composer, plane: (typeof PLANES)[number]): BenchResult {
  const grid = gridOf(SHAPE, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const scene = createScene(grid), mapping = createPaneMapping(plane);
  scene.overlays.parcellation = { isVisible: true, opacityPercent: 60 };
  composer.sizePane(0, PANE, PANE);
  mapPane(mapping, scene, grid, PANE, PANE);
  const base = composer.volume("t1w").slice(), labels = composer.volume("labels").slice();
  const table = composer.table("parcellation").slice(), out = new Uint32Array(PANE * PANE);
  const kernelMs = bestMs(() => composer.compose(0, mapping, scene));
  const plainMs = bestMs(() => plainCompose(SHAPE, base, labels, table, mapping, scene, out));
  const isRight = partThatDiffers(composer.pixels(0), new Uint8ClampedArray(out.buffer), 1) === 0;
  return result(plane, kernelMs, plainMs, isRight);
}

/** Voxels of the labels with a percentile of at most 20. */
function thresholdResult(composer: Composer): BenchResult {
  const labels = composer.volume("labels").slice(), out = new Uint8Array(labels.length);
  const percentiles = Float32Array.from({ length: 256 }, (_, label) => label * 7 % 101),
    flags = new Uint8Array(256);
  let mask = { count: 0, voxels: out }, count = 0;
  const kernelMs = bestMs(() =>
    mask = maskPercentiles(composer, "labels", percentiles, 20) as typeof mask
  );
  const plainMs = bestMs(() => {
    for (let label = 1; label < 256; label++) {
      flags[label] = isWithinThreshold(label, percentiles[label]!, 20) ? 255 : 0;
    }
    count = 0;
    for (let v = 0; v < labels.length; v++) {
      const flag = flags[labels[v]!]!;
      out[v] = flag;
      count += flag;
    }
  });
  mask = maskPercentiles(composer, "labels", percentiles, 20) as typeof mask;
  const isRight = mask.count === count / 255 && out.every((value, v) => value === mask.voxels[v]);
  return result("threshold", kernelMs, plainMs, isRight);
}

/** A stored slice across the rows: every voxel is in another row. */
function sliceResult(composer: Composer): BenchResult {
  const base = composer.volume("t1w").slice(),
    [nx, ny, nz] = SHAPE,
    i = nx >> 1,
    out = new Uint8Array(ny * nz);
  const kernelMs = bestMs(() => sliceOf(composer, "t1w", 0, i));
  const plainMs = bestMs(() => {
    for (let at = 0, v = i; at < out.length; at++, v += nx) out[at] = base[v]!;
  });
  const slice = sliceOf(composer, "t1w", 0, i);
  return result(
    "slice",
    kernelMs,
    plainMs,
    slice.length === out.length && out.every((v, at) => v === slice[at]),
  );
}

/** 16-bit integers of a file, clamped to bytes. */
function decodeResult(): BenchResult {
  const count = BENCH_SIZES.file,
    values = Int16Array.from({ length: count }, (_, v) => (v * 31 % 700) - 200);
  const text = "{'descr': '<i2', 'fortran_order': False, 'shape': (128, 128, 128), }".padEnd(117) +
    "\n";
  const file = new Uint8Array(10 + text.length + 2 * count), out = new Uint8ClampedArray(count);
  file.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, text.length, 0]);
  file.set(new TextEncoder().encode(text), 10);
  file.set(new Uint8Array(values.buffer), 10 + text.length);
  let bytes = new Uint8Array();
  const kernelMs = bestMs(() => bytes = npy_to_u8(file) as Uint8Array<ArrayBuffer>);
  const plainMs = bestMs(() => out.set(new Int16Array(file.buffer, 10 + text.length, count)));
  return result(
    "decode",
    kernelMs,
    plainMs,
    bytes.length === count && bytes.every((value, v) => value === out[v]),
  );
}

function rasteriseResult(): BenchResult {
  const { width, height } = BENCH_SIZES.picture,
    mesh = foldedBall(BENCH_SIZES.times),
    camera = createCamera(mesh.positions);
  const colours = Uint32Array.from(
    mesh.values,
    (_, v) => 0xff000000 | (v * 2654435761 >>> 8 & 0x3f3f3f) + 0x808080,
  );
  const kernel = createSurfaceKernel(mesh), plain = plainRasteriser(mesh, colours, width * height);
  try {
    kernel.colours().set(colours);
    const turn = () => orbit(camera, 4, 1, 720, 720);
    const kernelMs = bestMs(() => (turn(), kernel.draw(camera, width, height, false)));
    const plainMs = bestMs(() => (turn(), plain.draw(camera, width, height)));
    kernel.draw(camera, width, height, false);
    const differing = partThatDiffers(kernel.pixels(), new Uint8ClampedArray(plain.out.buffer), 2);
    return result("rasterise", kernelMs, plainMs, differing < 0.002);
  } finally {
    kernel.close();
  }
}

function composerOf(module: WebAssembly.Module): Composer {
  const composer = createComposer(module, SHAPE);
  const base = composer.volume("t1w"), labels = composer.volume("labels");
  for (let v = 0; v < base.length; v++) base[v] = 128 + 100 * Math.sin(v / 37) + v * 31 % 17;
  const values = LABEL_COUNT + 40;
  for (let v = 0; v < labels.length; v++) {
    const value = Math.floor(v / 9) % values;
    labels[v] = value < LABEL_COUNT ? value : 0;
  }
  return composer;
}

function measure(name: BenchCase, composer: Composer): BenchResult {
  switch (name) {
    case "threshold":
      return thresholdResult(composer);
    case "slice":
      return sliceResult(composer);
    case "decode":
      return decodeResult();
    case "rasterise":
      return rasteriseResult();
    default:
      return composeResult(composer, name);
  }
}

/**
 * Bytes that this machine's memory moves in a second, read and written, in a plain copy: the roof
 * of most kernels.
 */
export function measureCopy(): number {
  const from = new Float64Array(COPY_BYTES / 8).fill(1), to = new Float64Array(COPY_BYTES / 8);
  return 2 * COPY_BYTES / bestMs(() => to.set(from)) * 1000;
}

/**
 * Measures the kernels in this browser, one case after the other; between them the page can draw.
 *
 * @param module The compiled kernels.
 */
export async function* measureKernels(module: WebAssembly.Module): AsyncGenerator<BenchResult> {
  const pause = () => new Promise<void>((done) => setTimeout(done, 30));
  await pause();
  const composer = composerOf(module);
  try {
    for (const name of BENCH_CASES) {
      await pause();
      yield measure(name, composer);
    }
  } finally {
    composer.close();
  }
}
