import type { ErrorCode, ErrorDetails } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { SurfaceFile, ViewerFile } from "@/model/schema/studies/viewer_files.ts";

/** Meaning of the numbers in a file; the kernels use the same order. */
export const VOXEL_KINDS = ["labels", "intensity", "thickness"] as const;
export type VoxelKind = (typeof VOXEL_KINDS)[number];

export const VOXEL_KIND_OF: Readonly<Record<ViewerFile, VoxelKind>> = {
  t1w_file: "intensity",
  t1w_mask_file: "labels",
  thick_mask_file: "thickness",
  t1w_np_mask_file: "labels",
  icv_mask_file: "labels",
  t2w_file: "intensity",
  t2w_mask_file: "labels",
  t2w_region_mask_file: "labels",
};

/** Where the labels of a volume are. */
export interface LabelLocations {
  /**
   * Index of a voxel in the middle of each of the 256 label values; 2^32 − 1 where it does not
   * occur.
   */
  centres: Uint32Array;
  /**
   * First and last index of all labels on each axis, [i0, i1, j0, j1, k0, k1]; `null` without
   * labels.
   */
  bounds: Uint32Array | null;
}

/** A surface of n vertices and m faces, in RAS. */
export interface LoadedSurface {
  /** n × 3, mm. */
  positions: Float32Array<ArrayBuffer>;
  /** n × 3, unit, outward. */
  normals: Float32Array<ArrayBuffer>;
  /** m × 3 indices below n. */
  faces: Uint32Array<ArrayBuffer>;
  /** n, cortical thickness in mm; 0 where no cortex is near. */
  values: Float32Array<ArrayBuffer>;
}

/** Messages from the page to the worker. The first one is `start`. */
export type LoaderRequest =
  | { kind: "start"; kernels: WebAssembly.Module | string }
  | { kind: "load"; id: number; url: string; shape: Shape; voxelKind: VoxelKind }
  | { kind: "surface"; id: number; urls: Record<SurfaceFile, string> }
  | { kind: "abort"; id: number };

/** A failure as it crosses from the worker; `id` is null when the kernels could not be started. */
interface LoadFailure {
  kind: "failed";
  id: number | null;
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

/** Messages from the worker. */
export type LoaderMessage =
  | { kind: "started"; module: WebAssembly.Module }
  /** Whole slices, from a voxel on. */
  | { kind: "slab"; id: number; offset: number; voxels: Uint8Array<ArrayBuffer> }
  | { kind: "progress"; id: number; receivedBytes: number; totalBytes: number | null }
  | { kind: "loaded"; id: number; places: LabelLocations | null }
  | { kind: "surface"; id: number; surface: LoadedSurface }
  | LoadFailure;

/** Refusals of the NPY reader by number; the kernels' `npy.rs` has the same table. */
export const NPY_ERRORS = [
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
