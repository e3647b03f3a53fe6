/** What is measured, in this order. */
export const BENCH_CASES = [
  "axial",
  "coronal",
  "sagittal",
  "threshold",
  "slice",
  "decode",
  "rasterise",
] as const;
export type BenchCase = (typeof BENCH_CASES)[number];

/** One kernel beside the same work in plain JavaScript. */
export interface BenchResult {
  name: BenchCase;
  /** Best time of a call, ms. */
  kernelMs: number;
  plainMs: number;
  /** kernelMs / plainMs */
  ratio: number;
  /** Both gave the same answer: within 1 of 255, at the edges of triangles within rounding. */
  isRight: boolean;
}
