import type { PairedTimes } from "@/viewer/bench/paired_timing.ts";

/** Benchmark cases, in this order. */
export const BENCH_CASES = [
  "axial",
  "coronal",
  "sagittal",
  "slice",
  "decode",
  "rasterise",
] as const;
export type BenchCase = (typeof BENCH_CASES)[number];

/** One kernel beside the same work in plain JavaScript. */
export interface BenchResult extends PairedTimes {
  name: BenchCase;
  /** Both gave the same answer: within 1 of 255, at the edges of triangles within rounding. */
  isRight: boolean;
}

/**
 * Sizes of the benchmark's inputs: the panes' volumes and the sides of a pane, the surface and its
 * picture, the file.
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
/** A processor fetches memory in lines of so many bytes. */
const CACHE_LINE = 64;
/** Two volumes of a byte a voxel are read and a pane of four bytes a pixel is written. */
const paneBytes = (sliceVoxels: number) => 2 * sliceVoxels + 4 * BENCH_SIZES.pane ** 2;

/**
 * Bytes that a call must move at least, each counted once: inputs read, outputs written. `null`:
 * the work is bound by arithmetic, and the bytes say nothing.
 */
export const BENCH_BYTES: Record<BenchCase, number | null> = {
  axial: paneBytes(NX * NY),
  coronal: paneBytes(NX * NZ),
  // each voxel of a sagittal slice is in another cache line
  sagittal: paneBytes(NY * NZ * CACHE_LINE),
  slice: NY * NZ * (CACHE_LINE + 1),
  decode: 3 * BENCH_SIZES.file,
  rasterise: null,
};
