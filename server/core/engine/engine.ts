import { AppError, isErrorCode } from "@/model/errors.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";
import type {
  AnalysisInput,
  EngineAnswer,
  EngineMessage,
  EngineRequest,
  LeadMessage,
  TargetGrid,
} from "@/server/core/engine/worker/messages.ts";
import { DEEP_STRUCTURES } from "@/server/core/engine/deep_structures.ts";
import { readNetworkWeights } from "@/server/core/engine/network_weights.ts";
import { MODEL } from "@/server/core/engine/second_opinion.ts";
import {
  STAGE_LIMITS,
  type StageLimits,
  StageWatch,
} from "@/server/core/engine/worker/stage_limit.ts";
import type { AnalysisOutcome, EngineFailureRecord } from "@/server/core/engine/result.ts";

export interface EngineOptions {
  /** whether to correct the smooth intensity bias field of the receiving coil */
  biasCorrection: boolean;
  /** whether to use a published network for the labels of regions where it agrees with the atlas */
  secondOpinion: boolean;
  /** whether to use the product's network for the deep structures */
  deepStructures: boolean;
  /** number of threads, which does not change the result; default: the number of cores */
  threads?: number;
}

export interface EngineHooks {
  /** Called at the start of each stage with progress in percent, which never decreases. */
  onProgress?: (percent: number, stage: string) => void;
  signal?: AbortSignal;
}

/** Module that the main worker of an analysis runs. */
export const WORKER = new URL("./worker/worker.ts", import.meta.url);
const TEAM_WORKER = new URL("./worker/team_worker.ts", import.meta.url);

/**
 * Analyses the series of one study in dedicated workers.
 * The workers are terminated afterwards, because WebAssembly memory never shrinks.
 *
 * @param input Volumes with affines, copied to the workers; oblique and left-handed grids too.
 * @returns A result or a failure for each given series.
 * @throws {AppError} if no series has a result: `engine.unsupported_input` with `details.reason`
 * `registration failed`, `contrast`, `field of view`, `empty` or `shape`;
 * `volume.affine_singular`; `job.canceled` when the signal aborts;
 * `engine.crashed` for a WebAssembly trap, after which the server continues.
 * @param script  Module that the main worker runs; tests pass a module that traps.
 */
export async function runEngine(
  input: AnalysisInput,
  options: EngineOptions,
  hooks: EngineHooks = {},
  script: URL = WORKER,
): Promise<AnalysisOutcome> {
  const { biasCorrection, secondOpinion, deepStructures, threads = navigator.hardwareConcurrency } =
    options;
  const modelWeights = secondOpinion && input.t1 ? await readNetworkWeights(MODEL) : null;
  const deepWeights = deepStructures && input.t1 ? await readNetworkWeights(DEEP_STRUCTURES) : null;
  const parameters = { biasCorrection, modelWeights, deepWeights, deepStructures };
  const request: EngineRequest = { kind: "analyze", input, parameters };
  const { outcome } = expectKind(await askWorker(script, request, hooks, threads - 1), "analyzed");
  const failure = outcome.failures.t1 ?? outcome.failures.flair;
  if (!outcome.t1 && !outcome.flair && failure) throw errorOf(failure);
  return outcome;
}

/**
 * Resamples a volume onto the conformed grid: 256³ voxels of 1 mm, intensities 0..255, with axes
 * toward left, inferior and anterior.
 * @throws {AppError} as {@link runEngine}.
 */
export async function conformVolume(volume: Volume, signal?: AbortSignal): Promise<Volume> {
  return expectKind(await askWorker(WORKER, { kind: "conform", volume }, { signal }), "conformed")
    .volume;
}

/**
 * Resamples a label map onto the grid of another volume by the nearest voxel; 0 outside the map.
 * Label maps in Uint8Array or Uint16Array keep that type; other types become Int32Array.
 * @throws {AppError} `volume.affine_singular`; `job.canceled`; `engine.crashed`.
 */
export async function resampleLabels(
  labels: Volume,
  to: TargetGrid,
  signal?: AbortSignal,
): Promise<VoxelArray> {
  return expectKind(
    await askWorker(WORKER, { kind: "resample", labels, to }, { signal }),
    "resampled",
  )
    .voxels;
}

/** Converts a failure that a worker returned to an `AppError`. */
export function errorOf({ code, reason, message }: EngineFailureRecord): AppError {
  return new AppError(isErrorCode(code) ? code : "internal", message, { reason });
}

/**
 * Checks that a worker's response is of the requested kind.
 * @throws {AppError} the failure reported by the worker; `engine.crashed` for any other kind.
 */
export function expectKind<K extends EngineAnswer["kind"]>(answer: EngineAnswer, kind: K) {
  if (answer.kind === kind) return answer as EngineAnswer & { kind: K };
  if (answer.kind === "failed") throw errorOf(answer);
  const message = answer.kind === "crashed" ? answer.message : `unexpected answer ${answer.kind}`;
  throw new AppError("engine.crashed", `Cannot finish analysis: ${message}`);
}

/**
 * Starts a worker and helper threads, sends a request, and terminates all of them at the end:
 * after the response, a crash, an exceeded time limit of a stage, or an abort by the caller.
 */
export function askWorker(
  script: URL,
  request: EngineRequest,
  hooks: EngineHooks,
  helperCount = 0,
  limits: StageLimits = STAGE_LIMITS,
): Promise<EngineAnswer> {
  const { signal, onProgress } = hooks;
  const canceled = () => new AppError("job.canceled", "Cannot finish analysis: canceled");
  if (signal?.aborted) return Promise.reject(canceled());
  const worker = new Worker(script, { type: "module" });
  const isCanceled = new Int32Array(new SharedArrayBuffer(4));
  const team = Array.from(
    { length: helperCount },
    () => new Worker(TEAM_WORKER, { type: "module" }),
  );
  return new Promise<EngineAnswer>((resolve, reject) => {
    const watch = new StageWatch(
      limits,
      (message) => end(() => resolve({ kind: "crashed", message })),
    );
    const end = (settle: () => void) => {
      watch.close();
      signal?.removeEventListener("abort", abort);
      Atomics.store(isCanceled, 0, 1);
      for (const thread of [worker, ...team]) thread.terminate();
      settle();
    };
    const abort = () => end(() => reject(canceled()));
    signal?.addEventListener("abort", abort, { once: true });
    worker.onmessage = ({ data }: MessageEvent<EngineMessage>) => {
      if (data.kind === "progress") {
        watch.heard(data.stage);
        onProgress?.(data.percent, data.stage);
      } else end(() => resolve(data));
    };
    worker.onmessageerror = () =>
      end(() => resolve({ kind: "crashed", message: "answer cannot be read" }));
    for (const thread of [worker, ...team]) {
      thread.onerror = (event) => {
        event.preventDefault();
        end(() => resolve({ kind: "crashed", message: event.message }));
      };
    }
    // module and memory are passed directly between the workers,
    // because a reference in this thread would keep the memory allocated
    const channels = team.map((helper) => {
      const { port1, port2 } = new MessageChannel();
      helper.postMessage(port2, [port2]);
      return port1;
    });
    const message: LeadMessage = { request, helpers: channels, isCanceled };
    worker.postMessage(message, channels);
  });
}
