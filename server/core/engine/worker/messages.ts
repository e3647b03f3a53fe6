import type { Affine, Shape } from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";
import type {
  AnalysisOutcome,
  FlairChangeResult,
  LongitudinalResult,
} from "@/server/core/engine/result.ts";

/** Shape and affine of a grid onto which a label map is resampled. */
export interface TargetGrid {
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** The series of one study to analyse: T1w, FLAIR or both. */
export interface AnalysisInput {
  t1: Volume | null;
  flair: Volume | null;
}

export interface AnalysisParameters {
  /** whether to correct the smooth intensity bias field of the receiving coil */
  biasCorrection: boolean;
  /** weights of the second opinion's network, verified by the sender; `null`: network not used */
  modelWeights: Uint8Array<ArrayBuffer> | null;
  /** weights of the product's network for deep structures in T1w; `null`: network not used */
  deepWeights: Uint8Array<ArrayBuffer> | null;
  /** weights of the product's contrast-agnostic network, loaded only for a FLAIR series alone */
  deepStructures: boolean;
}

/** Requests to a worker; each worker handles one request and is then terminated. */
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

/** First message to the main worker: the request, and one port per helper thread. */
export interface LeadMessage {
  request: EngineRequest;
  helpers: MessagePort[];
  /** becomes non-zero when the request is cancelled: `terminate()` does not stop a busy worker */
  isCanceled: Int32Array<SharedArrayBuffer>;
}

/** Messages of the main worker to a helper thread, through the thread's port. */
export interface TeamMessage {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
}

export interface ProgressMessage {
  kind: "progress";
  /** progress of the analysis 0..100, which never decreases */
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
