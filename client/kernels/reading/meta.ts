import type { Shape } from "@/model/geometry.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";

/** How bytes were made: byte = (value − low) · gain. */
export interface ByteScale {
  low: number;
  gain: number;
}

/** How stored values become bytes: by the nearest voxel as they are, or as byte = (value − low) · gain between voxels. */
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
  /** `shown`: from the 1st to the 99.5th percentile, turned round for a series whose slope is negative. */
  scale: ResampleScale;
  isTurned: boolean;
}

/** What the page asks of the worker, once. */
export type ResampleStart = ResampleRequest & { module: WebAssembly.Module };

/** What the worker says: whole slices from a voxel on, and the end. */
export type ResampleMessage =
  | { kind: "slab"; offset: number; voxels: Uint8Array<ArrayBuffer> }
  | { kind: "done"; scale: ByteScale }
  | { kind: "failed"; message: string };
