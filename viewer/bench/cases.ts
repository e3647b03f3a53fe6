import type { PairedTimes } from "@/viewer/bench/paired_timing.ts";

/** Names of the benchmark cases, in the order of the page. */
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
  /** Whether both results agree: values within 1 of 255, triangle edges within rounding. */
  isRight: boolean;
}

/** Sizes of the inputs of a run. Two runs are compared only if these sizes are equal. */
export interface BenchSizes {
  /** shape of the volume that slices and panes are taken from */
  shape: [nx: number, ny: number, nz: number];
  /** side of the square panes, pixels */
  pane: number;
  /** shape of the volume that is decoded from a file */
  file: [nx: number, ny: number, nz: number];
  /** NumPy's name of the voxel type in the file, e.g. "<i2" */
  dtype: string;
}
/** Pane sizes that the page offers: side of a square, pixels. */
export const PANE_SIDES = [256, 512, 1024] as const;
/** Input sizes of a run that the user gives no file for. */
export const USUAL_SIZES: BenchSizes = {
  shape: [160, 192, 160],
  pane: 512,
  file: [128, 128, 128],
  dtype: "<i2",
};

/** Size of the pane in which the benchmark renders a surface, pixels. */
export const SURFACE = {
  /** triangles of the surface: 20 · 4^times */
  times: 6,
  picture: { width: 640, height: 480 },
} as const;

/** Size of a cache line of the processor, bytes. */
const CACHE_LINE = 64;

/**
 * Minimum number of bytes that a call transfers: inputs read and outputs written, counted once.
 * `null`: the kernel is limited by arithmetic, so that a bandwidth is meaningless.
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
