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

/** Sizes of the inputs of a run, which are compared with those of equal sizes alone. */
export interface BenchSizes {
  /** volume that slices and panes are taken from */
  shape: [nx: number, ny: number, nz: number];
  /** side of the square panes, pixels */
  pane: number;
  /** volume that is read from a file */
  file: [nx: number, ny: number, nz: number];
  /** NumPy's name of the file's type */
  dtype: string;
}
/** Sides of panes that can be chosen, pixels. */
export const PANE_SIDES = [256, 512, 1024] as const;
/** Sizes without a file of the user's own. */
export const USUAL_SIZES: BenchSizes = {
  shape: [160, 192, 160],
  pane: 512,
  file: [128, 128, 128],
  dtype: "<i2",
};

/** Size of the benchmark's surface, and of the picture of the surface. */
export const SURFACE = {
  /** triangles of the surface: 20 · 4^times */
  times: 6,
  picture: { width: 640, height: 480 },
} as const;

/** Size of a cache line, bytes. */
const CACHE_LINE = 64;

/**
 * Minimum number of bytes that a call transfers: inputs read and outputs written, counted once.
 * `null`: limited by arithmetic, so that a bandwidth is meaningless.
 */
export function benchBytes(
  name: BenchCase,
  { shape, pane, file, dtype }: BenchSizes,
): number | null {
  const [nx, ny, nz] = shape;
  // two volumes of one byte per voxel are read, and a pane of four bytes per pixel is written
  const paneBytes = (sliceVoxels: number) => 2 * sliceVoxels + 4 * pane ** 2;
  switch (name) {
    case "axial":
      return paneBytes(nx * ny);
    case "coronal":
      return paneBytes(nx * nz);
    case "sagittal":
      // every voxel of a sagittal slice is in another cache line
      return paneBytes(ny * nz * CACHE_LINE);
    case "slice":
      return ny * nz * (CACHE_LINE + 1);
    case "decode":
      return (Number(dtype[2]) + 1) * file[0] * file[1] * file[2];
    case "rasterise":
      return null;
  }
}
