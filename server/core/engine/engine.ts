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
  /** correct the smooth intensity bias field of the coil */
  biasCorrection: boolean;
  /** use a published network as second opinion on the labels, in regions where it agrees */
  secondOpinion: boolean;
  /** use our own network for the deep structures */
  deepStructures: boolean;
  /** number of threads, which does not change the result; default: the number of cores */
  threads?: number;
}

export interface EngineHooks {
  /** Called at the start of each stage; `percent` 0..100 never decreases. */
  onProgress?: (percent: number, stage: string) => void;
  signal?: AbortSignal;
}

/** Module of the main worker. */
export const WORKER = new URL("./worker/worker.ts", import.meta.url);
const TEAM_WORKER = new URL("./worker/team_worker.ts", import.meta.url);

/**
 * Analyses the series of one study in dedicated workers.
 * These are terminated afterwards, because WebAssembly memory never shrinks.
 *
 * @param input Voxels of the series with affines; oblique and left-handed grids too. Copied.
 * @returns A result or a failure for each given series.
 * @throws {AppError} without a result: `engine.unsupported_input` with `details.reason`
 * `registration failed`, `contrast`, `field of view`, `empty` or `shape`;
 * `volume.affine_singular`; `job.canceled` when the signal aborts;
 * `engine.crashed` for a trap in the engine, after which the server continues.
 * @param script  Module of the main worker; tests pass one that traps.
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
 * Resamples a volume onto the conformed grid: 256³, 1 mm, axes left, inferior, anterior, 0..255.
 * @throws {AppError} as {@link runEngine}.
 */
export async function conformVolume(volume: Volume, signal?: AbortSignal): Promise<Volume> {
  return expectKind(await askWorker(WORKER, { kind: "conform", volume }, { signal }), "conformed")
    .volume;
}

/**
 * Resamples an integer label map onto another grid, nearest label; 0 outside.
 * Uint8Array and Uint16Array keep the type, all others become Int32Array.
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

/** Converts a returned failure to an `AppError`. */
export function errorOf({ code, reason, message }: EngineFailureRecord): AppError {
  return new AppError(isErrorCode(code) ? code : "internal", message, { reason });
}

/**
 * Narrows a worker's response to the requested kind.
 * @throws {AppError} the failure reported by the worker; `engine.crashed` for any other kind.
 */
export function expectKind<K extends EngineAnswer["kind"]>(answer: EngineAnswer, kind: K) {
  if (answer.kind === kind) return answer as EngineAnswer & { kind: K };
  if (answer.kind === "failed") throw errorOf(answer);
  const message = answer.kind === "crashed" ? answer.message : `unexpected answer ${answer.kind}`;
  throw new AppError("engine.crashed", `Cannot finish analysis: ${message}`);
}

/**
 * Starts a worker and helper threads, sends one request, and terminates all of them.
 * Ends after the response, a crash, an exceeded stage limit or an abort.
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
    // module and memory are passed directly between the workers
    // this thread must not keep a reference, which would keep the memory
    const channels = team.map((helper) => {
      const { port1, port2 } = new MessageChannel();
      helper.postMessage(port2, [port2]);
      return port1;
    });
    const message: LeadMessage = { request, helpers: channels, isCanceled };
    worker.postMessage(message, channels);
  });
}
