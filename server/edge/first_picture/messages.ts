import type { Shape, Vec3 } from "@/model/geometry.ts";
import type { PicturedKind } from "@/server/edge/first_picture/crossed_slices.ts";
import type {
  CrossedSlices,
  DrawnPane,
  PictureOrder,
} from "@/server/edge/first_picture/picture_view.ts";

/** Announces a volume file to the worker; the file follows in chunks. */
export interface CrossRequest {
  kind: PicturedKind;
  shape: Shape;
  /** voxel indices of the slices to be cut */
  at: Vec3;
  isGzip: boolean;
}

/** Messages to the worker; the file of a `cross` follows in chunks, then `null`. */
export type WorkerRequest =
  | { id: number; cross: CrossRequest }
  | { id: number; part: Uint8Array<ArrayBuffer> | null }
  | { id: number; draw: PictureOrder };

/** Messages from the picture worker. */
export type WorkerAnswer =
  | { id: number; slices: CrossedSlices }
  | { id: number; panes: DrawnPane[] }
  | { id: number; error: string };
