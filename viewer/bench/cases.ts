import type { PairedTimes } from "@/viewer/bench/paired_timing.ts";

/** Benchmark cases in order. */
export const BENCH_CASES = [
  "axial",
  "coronal",
  "sagittal",
  "slice",
  "decode",
  "rasterise",
] as const;
export type BenchCase = (typeof BENCH_CASES)[number];

/** Times of one kernel and of the same work in plain JavaScript. */
export interface BenchResult extends PairedTimes {
  name: BenchCase;
  /** Whether both results agree: within 1 of 255, at the edges of triangles within rounding. */
  isRight: boolean;
}

/**
 * Sizes of the benchmark's inputs: volumes
 * and side lengths of the panes, surface and its image, file.
 */
export const BENCH_SIZES = {
  shape: [160, 192, 160] as [number, number, number],
  pane: 512,
  /** triangles of the surface: 20 · 4^times */
  times: 6,
  picture: { width: 640, height: 480 },
  file: 128 ** 3,
} as const;

const [NX, NY, NZ] = BENCH_SIZES.shape;
/** Size of a cache line, bytes. */
const CACHE_LINE = 64;
/** Two volumes of one byte per voxel are read, and a pane of four bytes per pixel is written. */
const paneBytes = (sliceVoxels: number) => 2 * sliceVoxels + 4 * BENCH_SIZES.pane ** 2;

/**
 * Minimum number of bytes that a call transfers: inputs read and outputs written, each counted
 * once. `null`: limited by arithmetic, so the bandwidth is meaningless.
 */
export const BENCH_BYTES: Record<BenchCase, number | null> = {
  axial: paneBytes(NX * NY),
  coronal: paneBytes(NX * NZ),
  // every voxel of a sagittal slice is in another cache line
  sagittal: paneBytes(NY * NZ * CACHE_LINE),
  slice: NY * NZ * (CACHE_LINE + 1),
  decode: 3 * BENCH_SIZES.file,
  rasterise: null,
};
