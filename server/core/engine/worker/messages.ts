import type { Affine, Shape } from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";
import type {
  AnalysisOutcome,
  FlairChangeResult,
  LongitudinalResult,
} from "@/server/core/engine/result.ts";

/** A grid without voxels: where a label map is to be brought. */
export interface TargetGrid {
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** The series of one study; at least one is given. */
export interface AnalysisInput {
  t1: Volume | null;
  flair: Volume | null;
}

export interface AnalysisParameters {
  /** remove the smooth intensity drift of the coil */
  biasCorrection: boolean;
  /** weights of a second opinion's network, checked by the owner; `null` for none */
  modelWeights: Uint8Array<ArrayBuffer> | null;
  /** weights of our own network for deep structures of a T1w series; `null` to do without */
  deepWeights: Uint8Array<ArrayBuffer> | null;
  /**
   * a FLAIR series alone is read by our network for any contrast; its weights are loaded only then
   */
  deepStructures: boolean;
}

/** Requests to a worker; it answers one and is ended. */
export type EngineRequest =
  | { kind: "analyze"; input: AnalysisInput; parameters: AnalysisParameters }
  | {
    kind: "longitudinal";
    volumes: readonly Volume[];
    biasCorrection: boolean;
    deepWeights: Uint8Array<ArrayBuffer> | null;
  }
  | { kind: "flair_change"; series: readonly [Volume, Volume] }
  | { kind: "conform"; volume: Volume }
  | { kind: "resample"; labels: Volume; to: TargetGrid };

/** The first message of the worker that leads: the request, and one port to each helper thread. */
export interface LeadMessage {
  request: EngineRequest;
  helpers: MessagePort[];
  /** not 0 once the request is cancelled: `terminate()` does not reach a worker that is busy */
  isCanceled: Int32Array<SharedArrayBuffer>;
}

/** Messages of the leading worker through such a port. */
export interface TeamMessage {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
}

export interface ProgressMessage {
  kind: "progress";
  /** 0..100, never falls */
  percent: number;
  stage: string;
}

export type EngineAnswer =
  | { kind: "analyzed"; outcome: AnalysisOutcome }
  | { kind: "measured"; result: LongitudinalResult }
  | { kind: "flair_changed"; result: FlairChangeResult }
  | { kind: "conformed"; volume: Volume }
  | { kind: "resampled"; voxels: VoxelArray }
  | { kind: "failed"; code: string; reason: string; message: string }
  | { kind: "crashed"; message: string };

export type EngineMessage = ProgressMessage | EngineAnswer;
