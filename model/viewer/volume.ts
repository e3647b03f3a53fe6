import type { Affine, Shape } from "@/model/geometry.ts";

export type VoxelArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Int32Array
  | Float32Array;

/**
 * Voxels of one series with their position in the patient.
 * Index = i + nx·(j + ny·k). Units are arbitrary (MR).
 */
export interface Volume {
  voxels: VoxelArray;
  shape: Shape;
  /** Affine from voxel index to RAS mm. Oblique and left-handed grids are allowed. */
  rasFromIjk: Affine<"Ras", "Ijk">;
}
