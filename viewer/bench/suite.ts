import { VOXEL_KINDS } from "@/client/kernels/meta.ts";
import { affineFromRows } from "@/model/geometry.ts";
import { Random } from "@/model/random.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import {
  BENCH_CASES,
  BENCH_SIZES,
  type BenchCase,
  type BenchResult,
} from "@/viewer/bench/cases.ts";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import { pairedTimes, tickMs } from "@/viewer/bench/paired_timing.ts";
import { plainCompose } from "@/viewer/bench/plain_compose.ts";
import { plainRasteriser } from "@/viewer/bench/plain_rasterise.ts";
import { type Composer, createComposer } from "@/viewer/slices/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";
import { createCamera, orbit } from "@/viewer/surface/camera.ts";
import { createSurfaceKernel } from "@/viewer/surface/kernel.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";
import { VolumeDecoder } from "@/wasm/pkg/kernels/bind_browser.js";

const { shape: SHAPE, pane: PANE } = BENCH_SIZES;
/** Buffer size for the bandwidth, much larger than any cache. */
const COPY_BYTES = 32 << 20, COPIES = 12;

/** Fraction of pixels that differ by more than `slack` of 255 in a channel. */
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
  const times = pairedTimes(
    () => composer.compose(0, mapping, scene),
    () => plainCompose(SHAPE, base, labels, table, mapping, scene, out),
  );
  const isRight = partThatDiffers(composer.pixels(0), new Uint8ClampedArray(out.buffer), 1) === 0;
  return { name: plane, ...times, isRight };
}

/** A slice across the storage order: each voxel is in a different row. */
function sliceResult(composer: Composer): BenchResult {
  const base = composer.volume("t1w").slice(),
    [nx, ny, nz] = SHAPE,
    i = nx >> 1,
    out = new Uint8Array(ny * nz);
  const times = pairedTimes(() => void sliceOf(composer, "t1w", 0, i), () => {
    for (let at = 0, v = i; at < out.length; at++, v += nx) out[at] = base[v]!;
  });
  const slice = sliceOf(composer, "t1w", 0, i);
  const isRight = slice.length === out.length && out.every((v, at) => v === slice[at]);
  return { name: "slice", ...times, isRight };
}

/** Decodes a whole file in chunks with the decoder that the viewer uses for streaming. */
function decodePieces(decoder: VolumeDecoder, memory: WebAssembly.Memory, file: Uint8Array): void {
  for (let at = 0; at < file.length;) {
    const length = Math.min(decoder.input_bytes(), file.length - at);
    new Uint8Array(memory.buffer, decoder.input_address(), length).set(
      file.subarray(at, at + length),
    );
    if (length === 0 || decoder.advance(length) !== 0) throw new Error("The file is refused");
    at += length;
  }
  if (decoder.finish() !== 0) throw new Error("The file is refused");
}

/** 16-bit integers of a file, clamped to bytes. */
function decodeResult({ memory }: Composer, random: Random): BenchResult {
  const side = Math.cbrt(BENCH_SIZES.file),
    count = BENCH_SIZES.file,
    values = Int16Array.from({ length: count }, () => random.between(-200, 500));
  const text = `{'descr': '<i2', 'fortran_order': False, 'shape': (${side}, ${side}, ${side}), }`
    .padEnd(117) + "\n";
  const file = new Uint8Array(10 + text.length + 2 * count), out = new Uint8ClampedArray(count);
  file.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, text.length, 0]);
  file.set(new TextEncoder().encode(text), 10);
  file.set(new Uint8Array(values.buffer), 10 + text.length);
  const kernel = (use?: (decoder: VolumeDecoder) => void) => {
    const decoder = VolumeDecoder.create(VOXEL_KINDS.indexOf("labels"), side, side, side)!;
    try {
      decodePieces(decoder, memory, file);
      use?.(decoder);
    } finally {
      decoder.free();
    }
  };
  const times = pairedTimes(
    () => kernel(),
    () => out.set(new Int16Array(file.buffer, 10 + text.length, count)),
  );
  let isRight = false;
  kernel((decoder) => {
    const bytes = new Uint8Array(memory.buffer, decoder.volume(), count);
    isRight = bytes.every((value, v) => value === out[v]);
  });
  return { name: "decode", ...times, isRight };
}

function rasteriseResult(random: Random): BenchResult {
  const { width, height } = BENCH_SIZES.picture,
    mesh = foldedBall(BENCH_SIZES.times),
    camera = createCamera(mesh.positions);
  const colours = Uint32Array.from(
    mesh.values,
    () => 0xff000000 | (random.bits() & 0x3f3f3f) + 0x808080,
  );
  const kernel = createSurfaceKernel(mesh), plain = plainRasteriser(mesh, colours, width * height);
  try {
    kernel.colours().set(colours);
    const turn = () => orbit(camera, 4, 1, 720, 720);
    const times = pairedTimes(
      () => (turn(), kernel.draw(camera, width, height, false)),
      () => (turn(), plain.draw(camera, width, height)),
    );
    kernel.draw(camera, width, height, false);
    plain.draw(camera, width, height);
    const differing = partThatDiffers(kernel.pixels(), new Uint8ClampedArray(plain.out.buffer), 2);
    return { name: "rasterise", ...times, isRight: differing < 0.002 };
  } finally {
    kernel.close();
  }
}

function composerOf(module: WebAssembly.Module, random: Random): Composer {
  const composer = createComposer(module, SHAPE);
  const base = composer.volume("t1w"), labels = composer.volume("labels");
  for (let v = 0; v < base.length; v++) {
    base[v] = 110 + 100 * Math.sin(v / 37) + random.between(0, 30);
  }
  // runs of nine voxels, alternating between regions and background
  for (let v = 0; v < labels.length; v += 9) {
    const value = Math.floor(random.between(0, LABEL_COUNT + 40));
    labels.fill(value < LABEL_COUNT ? value : 0, v, v + 9);
  }
  return composer;
}

function measure(name: BenchCase, composer: Composer, random: Random): BenchResult {
  switch (name) {
    case "slice":
      return sliceResult(composer);
    case "decode":
      return decodeResult(composer, random);
    case "rasterise":
      return rasteriseResult(random);
    default:
      return composeResult(composer, name);
  }
}

/**
 * Memory bandwidth of this machine, bytes per second read
 * and written by a plain copy: upper limit for most kernels.
 */
export function measureCopy(): number {
  const from = new Float64Array(COPY_BYTES / 8).fill(1), to = new Float64Array(COPY_BYTES / 8);
  let bestMs = Infinity;
  // the best of several copies, because other programs only slow them down
  for (let n = 0; n < COPIES; n++) {
    const start = performance.now();
    to.set(from);
    bestMs = Math.min(bestMs, Math.max(performance.now() - start, tickMs(() => performance.now())));
  }
  return 2 * COPY_BYTES / bestMs * 1000;
}

/**
 * Measures the kernels in this browser one by one,
 * yielding between them so that the page can render.
 *
 * @param module The compiled kernels.
 * @param seed Seed of the inputs, which differ between runs.
 * @param names Names of the kernels to measure.
 */
export async function* measureKernels(
  module: WebAssembly.Module,
  seed: number,
  names: readonly BenchCase[] = BENCH_CASES,
): AsyncGenerator<BenchResult> {
  const pause = () => new Promise<void>((done) => setTimeout(done, 30));
  await pause();
  const random = new Random(seed), composer = composerOf(module, random);
  try {
    for (const name of names) {
      await pause();
      yield measure(name, composer, random);
    }
  } finally {
    composer.close();
  }
}
