import type { Shape } from "@/model/geometry.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";

/** How bytes were made: byte = (value − low) · gain. */
export interface ByteScale {
  low: number;
  gain: number;
}

/**
 * How stored values become bytes: by the nearest voxel as they are, or as byte = (value − low) ·
 * gain between voxels.
 */
export type ResampleScale = "nearest" | ByteScale | "shown";

/** A volume and the grid that it is brought onto. */
export interface ResampleRequest {
  /** i fastest; its buffer is handed over. */
  voxels: VoxelArray;
  shape: Shape;
  /** Three rows of four numbers: voxel index of the volume from that of the grid. */
  fromTarget: readonly number[];
  /** Of the grid. */
  target: Shape;
  /**
   * `shown`: from the 1st to the 99.5th percentile, inverted for a series with a negative slope.
   */
  scale: ResampleScale;
  isTurned: boolean;
}

/** The page's only request to the worker. */
export type ResampleStart = ResampleRequest & { module: WebAssembly.Module };

/** Answers of the worker: whole slices from a voxel on, and the end. */
export type ResampleMessage =
  | { kind: "slab"; offset: number; voxels: Uint8Array<ArrayBuffer> }
  | { kind: "done"; scale: ByteScale }
  | { kind: "failed"; message: string };
