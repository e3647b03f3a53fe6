import type { ErrorCode, ErrorDetails } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";

/** Asks the worker for the volumes of one patient. */
export interface LoadRequest {
  wasmUrl: string;
  baseUrl: string;
  labelsUrl: string;
  /** Grid of both files, from `GET /patients/{pid}/volume`. */
  shape: Shape;
}

/** Volumes ready for the viewer; both [nx, ny, nz], i fastest. */
export interface LoadedVolumes {
  /** The compiled kernels. */
  module: WebAssembly.Module;
  /** Intensities 0..255. */
  base: Uint8Array;
  /** Label map, 0..104. */
  labels: Uint8Array;
  /** Index of a voxel in the middle of each label value; 2^32 − 1 where it does not occur. */
  centres: Uint32Array;
  /** First and last index of all labels on each axis, [i0, i1, j0, j1, k0, k1]; `null` without labels. */
  bounds: Uint32Array | null;
}

/** What the worker says. */
export type LoadMessage =
  | { kind: "progress"; fraction: number }
  | ({ kind: "loaded" } & LoadedVolumes)
  | { kind: "failed"; code: ErrorCode; message: string; details: ErrorDetails };

/** Refusals of the NPY reader by number; the kernels' `npy.rs` has the same table. */
export const NPY_REFUSALS = [
  "",
  "npy.not_npy",
  "npy.version",
  "npy.header",
  "npy.element_type",
  "npy.order",
  "npy.shape",
  "npy.truncated",
  "npy.too_large",
] as const;
