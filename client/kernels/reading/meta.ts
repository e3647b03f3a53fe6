import type { Shape } from "@/model/geometry.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";

/** Linear mapping to bytes: byte = (value − low) · gain. */
export interface ByteScale {
  low: number;
  gain: number;
}

/**
 * Mapping of stored values to bytes: nearest neighbour with values unchanged,
 * or linear interpolation with byte = (value − low) · gain.
 */
export type ResampleScale = "nearest" | ByteScale | "shown";

/** A volume and the target grid for resampling. */
export interface ResampleRequest {
  /** voxels, i fastest; the buffer is transferred */
  voxels: VoxelArray;
  shape: Shape;
  /** 3 × 4 matrix that maps a voxel index of the target grid to one of the volume */
  fromTarget: readonly number[];
  /** dimensions of the target grid */
  target: Shape;
  /**
   * `shown`: window from the 1st to the 99.5th percentile, inverted for a negative rescale slope
   */
  scale: ResampleScale;
  isTurned: boolean;
}

/** The only request from the page to the worker. */
export type ResampleStart = ResampleRequest & { module: WebAssembly.Module };

/** Responses of the worker: whole slices from a voxel offset on, then the end. */
export type ResampleMessage =
  | { kind: "slab"; offset: number; voxels: Uint8Array<ArrayBuffer> }
  | { kind: "done"; scale: ByteScale }
  | { kind: "failed"; message: string };
