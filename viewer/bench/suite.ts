import { VOXEL_KINDS, type VoxelKind } from "@/client/kernels/meta.ts";
import { affineFromRows } from "@/model/geometry.ts";
import { Random } from "@/model/random.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import {
  BENCH_CASES,
  type BenchCase,
  type BenchResult,
  type BenchSizes,
  SURFACE,
  USUAL_SIZES,
} from "@/viewer/bench/cases.ts";
import { type BenchChoice, sizesOf, USUAL_CHOICE } from "@/viewer/bench/choice.ts";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import { npyHead, type OwnVolume, plainDecoder } from "@/viewer/bench/own_volume.ts";
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

/** Buffer size for the bandwidth, much larger than any cache. */
const COPY_BYTES = 32 << 20, COPIES = 12;

/** Fraction of pixels with a colour channel that differs by more than `slack` (0..255). */
function partThatDiffers(a: Uint8ClampedArray, b: Uint8ClampedArray, slack: number): number {
  let count = 0;
  for (let at = 0; at < a.length; at += 4) {
    if ([0, 1, 2].some((c) => Math.abs(a[at + c]! - b[at + c]!) > slack)) count++;
  }
  return count / (a.length / 4);
}

function composeResult(
  { composer, sizes: { shape, pane } }: Inputs,
  plane: (typeof PLANES)[number],
): BenchResult {
  const grid = gridOf(shape, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const scene = createScene(grid), mapping = createPaneMapping(plane);
  scene.overlays.parcellation = { isVisible: true, opacityPercent: 60 };
  composer.sizePane(0, pane, pane);
  mapPane(mapping, scene, grid, pane, pane);
  const base = composer.volume("t1w").slice(), labels = composer.volume("labels").slice();
  const table = composer.table("parcellation").slice(), out = new Uint32Array(pane * pane);
  const times = pairedTimes(
    () => composer.compose(0, mapping, scene),
    () => plainCompose(shape, base, labels, table, mapping, scene, out),
  );
  const isRight = partThatDiffers(composer.pixels(0), new Uint8ClampedArray(out.buffer), 1) === 0;
  return { name: plane, ...times, isRight };
}

/** Takes a slice across the storage order: each of its voxels is in a different row of memory. */
function sliceResult({ composer, sizes: { shape } }: Inputs): BenchResult {
  const base = composer.volume("t1w").slice(),
    [nx, ny, nz] = shape,
    i = nx >> 1,
    out = new Uint8Array(ny * nz);
  const times = pairedTimes(() => void sliceOf(composer, "t1w", 0, i), () => {
    for (let at = 0, v = i; at < out.length; at++, v += nx) out[at] = base[v]!;
  });
  const slice = sliceOf(composer, "t1w", 0, i);
  const isRight = slice.length === out.length && out.every((v, at) => v === slice[at]);
  return { name: "slice", ...times, isRight };
}

/** Decodes a whole image file in chunks with the viewer's streaming decoder. */
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

/** Decodes a whole image file, calls `use` with the decoder, and frees the decoder. */
function decodeFile(
  { memory }: Composer,
  { npy, shape }: OwnVolume,
  kind: VoxelKind,
  use?: (decoder: VolumeDecoder) => void,
): void {
  const decoder = VolumeDecoder.create(VOXEL_KINDS.indexOf(kind), ...shape)!;
  try {
    decodePieces(decoder, memory, npy);
    use?.(decoder);
  } finally {
    decoder.free();
  }
}

/** Makes random 16-bit integers, many of which do not fit into a byte. */
function randomFile(random: Random): OwnVolume {
  const { file: shape, dtype } = USUAL_SIZES, count = shape[0] * shape[1] * shape[2];
  const head = npyHead(dtype, shape), npy = new Uint8Array(head.length + 2 * count);
  npy.set(head);
  const values = Int16Array.from({ length: count }, () => random.between(-200, 500));
  npy.set(new Uint8Array(values.buffer), head.length);
  return { shape, dtype, npy, headBytes: head.length };
}

/** Measures how an image file is decoded; its voxels are clamped to bytes. */
function decodeResult({ composer, own, random }: Inputs): BenchResult {
  const file = own ?? randomFile(random), out = new Uint8ClampedArray(file.npy.length);
  const plain = plainDecoder(file, out);
  const times = pairedTimes(() => decodeFile(composer, file, "labels"), plain);
  let isRight = false;
  decodeFile(composer, file, "labels", (decoder) => {
    const count = file.shape[0] * file.shape[1] * file.shape[2];
    const bytes = new Uint8Array(composer.memory.buffer, decoder.volume(), count);
    // the kernel rounds halves up, the typed array rounds halves to even numbers
    const slack = file.dtype[1] === "f" ? 1 : 0;
    isRight = bytes.every((value, v) => Math.abs(value - out[v]!) <= slack);
  });
  return { name: "decode", ...times, isRight };
}

function rasteriseResult(random: Random): BenchResult {
  const { width, height } = SURFACE.picture,
    mesh = foldedBall(SURFACE.times),
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

/** Inputs that all kernels of a benchmark run share. */
interface Inputs {
  composer: Composer;
  sizes: BenchSizes;
  /** volume from the user's file; `null`: inputs are made from random numbers */
  own: OwnVolume | null;
  random: Random;
}

function inputsOf(
  module: WebAssembly.Module,
  random: Random,
  { own, pane }: BenchChoice,
): Inputs {
  const sizes = sizesOf({ own, pane }), composer = createComposer(module, sizes.shape);
  const voxels = sizes.shape[0] * sizes.shape[1] * sizes.shape[2];
  if (own === null) {
    const base = composer.volume("t1w");
    for (let v = 0; v < voxels; v++) {
      base[v] = 110 + 100 * Math.sin(v / 37) + random.between(0, 30);
    }
  } else {
    decodeFile(composer, own, "intensity", (decoder) => {
      // growing the WASM memory for the volume may replace the memory's buffer
      const base = composer.volume("t1w");
      base.set(new Uint8Array(composer.memory.buffer, decoder.volume(), voxels));
    });
  }
  // the synthetic label map has runs of nine voxels that alternate between regions and background
  const labels = composer.volume("labels");
  for (let v = 0; v < voxels; v += 9) {
    const value = Math.floor(random.between(0, LABEL_COUNT + 40));
    labels.fill(value < LABEL_COUNT ? value : 0, v, v + 9);
  }
  return { composer, sizes, own, random };
}

function measure(name: BenchCase, inputs: Inputs): BenchResult {
  switch (name) {
    case "slice":
      return sliceResult(inputs);
    case "decode":
      return decodeResult(inputs);
    case "rasterise":
      return rasteriseResult(inputs.random);
    default:
      return composeResult(inputs, name);
  }
}

/**
 * Memory bandwidth of this machine: bytes per second read and written by a plain copy.
 * This is the upper limit for most kernels.
 */
export function measureCopy(): number {
  const from = new Float64Array(COPY_BYTES / 8).fill(1), to = new Float64Array(COPY_BYTES / 8);
  let bestMs = Infinity;
  // the best of several copies, because other programs can only slow copies down
  for (let n = 0; n < COPIES; n++) {
    const start = performance.now();
    to.set(from);
    bestMs = Math.min(bestMs, Math.max(performance.now() - start, tickMs(() => performance.now())));
  }
  return 2 * COPY_BYTES / bestMs * 1000;
}

/**
 * Measures the kernels in this browser one by one.
 * Yields between kernels, so that the page can render.
 *
 * @param module The compiled kernels.
 * @param seed Seed of the inputs; runs have different seeds.
 * @param names Names of the kernels to measure.
 */
export async function* measureKernels(
  module: WebAssembly.Module,
  seed: number,
  names: readonly BenchCase[] = BENCH_CASES,
  choice: BenchChoice = USUAL_CHOICE,
): AsyncGenerator<BenchResult> {
  const pause = () => new Promise<void>((done) => setTimeout(done, 30));
  await pause();
  const inputs = inputsOf(module, new Random(seed), choice);
  try {
    for (const name of names) {
      await pause();
      yield measure(name, inputs);
    }
  } finally {
    inputs.composer.close();
  }
}
