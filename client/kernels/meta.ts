import type { ErrorCode, ErrorDetails } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { SurfaceFile, ViewerFile } from "@/model/schema/studies/viewer_files.ts";

/** Kinds of voxel values in a file; the kernels use the same order. */
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

/** Label positions of a volume. */
export interface LabelLocations {
  /**
   * Index of a voxel in the middle of each of the 256 label values.
   * 2^32 − 1 for a label value without voxels.
   */
  centres: Uint32Array;
  /**
   * Bounding box of all labels as first and last index on each axis, [i0, i1, j0, j1, k0, k1];
   * `null` without labels.
   */
  bounds: Uint32Array | null;
}

/** Surface mesh of n vertices and m faces, in RAS coordinates. */
export interface LoadedSurface {
  /** positions of the vertices, n × 3, mm */
  positions: Float32Array<ArrayBuffer>;
  /** vertex normals, n × 3, unit length, outward */
  normals: Float32Array<ArrayBuffer>;
  /** faces, m × 3 vertex indices below n */
  faces: Uint32Array<ArrayBuffer>;
  /** cortical thickness of n vertices in mm; 0 for a vertex without cortex nearby */
  values: Float32Array<ArrayBuffer>;
}

/** Messages from the page to the worker, beginning with `start`. */
export type LoaderRequest =
  | { kind: "start"; kernels: WebAssembly.Module | string }
  | {
    kind: "load";
    id: number;
    url: string;
    shape: Shape;
    voxelKind: VoxelKind;
    from: number;
    missing: readonly number[];
  }
  | { kind: "surface"; id: number; urls: Record<SurfaceFile, string> }
  | { kind: "abort"; id: number };

/** An error sent by the worker; `id` is null if the kernels could not be started. */
interface LoadFailure {
  kind: "failed";
  id: number | null;
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

/** Messages from the worker to the page. */
export type LoaderMessage =
  | { kind: "started"; module: WebAssembly.Module }
  /** Whole slices, starting at a voxel offset. */
  | { kind: "slab"; id: number; offset: number; voxels: Uint8Array<ArrayBuffer> }
  /** The whole volume follows, so that earlier slices are invalid. */
  | { kind: "restart"; id: number }
  | { kind: "progress"; id: number; receivedBytes: number; totalBytes: number | null }
  | { kind: "loaded"; id: number; places: LabelLocations | null }
  | { kind: "surface"; id: number; surface: LoadedSurface }
  | LoadFailure;

/** Error codes of the NPY reader by number; `npy.rs` of the kernels has the same table. */
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
