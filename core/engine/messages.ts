import type { Affine, Shape } from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/volume.ts";
import type { EngineResult } from "@/core/engine/result.ts";

/** A grid without voxels: where a label map is to be brought. */
export interface TargetGrid {
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** What a worker can be asked; it answers once and is ended. */
export type EngineRequest =
  | { kind: "analyze"; volume: Volume; biasCorrection: boolean }
  | { kind: "conform"; volume: Volume }
  | { kind: "resample"; labels: Volume; to: TargetGrid };

export interface ProgressMessage {
  kind: "progress";
  /** 0..100, never falls */
  percent: number;
  stage: string;
}

export type EngineAnswer =
  | { kind: "analyzed"; result: EngineResult }
  | { kind: "conformed"; volume: Volume }
  | { kind: "resampled"; voxels: VoxelArray }
  | { kind: "failed"; code: string; reason: string; message: string }
  | { kind: "crashed"; message: string };

export type EngineMessage = ProgressMessage | EngineAnswer;
