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
  /** remove the smooth intensity drift of the coil */
  biasCorrection: boolean;
  /** ask a published network about the labels, and use its answer where both agree */
  secondOpinion: boolean;
  /** ask our own network about the deep structures */
  deepStructures: boolean;
  /** threads of the analysis; the machine's cores by default. The result does not depend on it. */
  threads?: number;
}

export interface EngineHooks {
  /** Called at the start of each stage; `percent` 0..100 never falls. */
  onProgress?: (percent: number, stage: string) => void;
  signal?: AbortSignal;
}

/** Module of the leading worker. */
export const WORKER = new URL("./worker/worker.ts", import.meta.url);
const TEAM_WORKER = new URL("./worker/team_worker.ts", import.meta.url);

/**
 * Analyses the series of one study in workers of its own, which are ended afterwards (WebAssembly
 * memory never shrinks).
 *
 * @param input Voxels of the series with their affines; oblique and left-handed grids are allowed.
 *   Copied.
 * @returns A result or a failure for each series that was given.
 * @throws {AppError} When no series has a result: `engine.unsupported_input` with `details.reason`
 *   `registration failed`, `contrast`, `field of view`, `empty` or `shape`;
 *   `volume.affine_singular`. Also `job.canceled` when the signal aborts and `engine.crashed` when
 *   the engine trapped (the server goes on).
 * @param script  The leading worker's module; tests pass one that traps.
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
 * Brings a volume to the conformed grid: 256³, 1 mm, axes left, inferior, anterior, 0..255.
 * @throws {AppError} as {@link runEngine}.
 */
export async function conformVolume(volume: Volume, signal?: AbortSignal): Promise<Volume> {
  return expectKind(await askWorker(WORKER, { kind: "conform", volume }, { signal }), "conformed")
    .volume;
}

/**
 * Nearest label of an integer label map at every voxel of another grid; 0 outside. Uint8Array and
 * Uint16Array keep their type, others become Int32Array.
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

/** The typed error of a failure that came as a value. */
export function errorOf({ code, reason, message }: EngineFailureRecord): AppError {
  return new AppError(isErrorCode(code) ? code : "internal", message, { reason });
}

/**
 * Narrows a worker's answer to the kind that was requested.
 * @throws {AppError} the failure that the worker reported; `engine.crashed` for any other kind.
 */
export function expectKind<K extends EngineAnswer["kind"]>(answer: EngineAnswer, kind: K) {
  if (answer.kind === kind) return answer as EngineAnswer & { kind: K };
  if (answer.kind === "failed") throw errorOf(answer);
  const message = answer.kind === "crashed" ? answer.message : `unexpected answer ${answer.kind}`;
  throw new AppError("engine.crashed", `Cannot finish analysis: ${message}`);
}

/**
 * Starts a worker and its helper threads, sends it one request, and ends them after its answer, a
 * death, the limit of a stage or an abort.
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
    // the module and the memory go from the leading worker to its helpers directly: this thread
    // must not keep them
    const channels = team.map((helper) => {
      const { port1, port2 } = new MessageChannel();
      helper.postMessage(port2, [port2]);
      return port1;
    });
    const message: LeadMessage = { request, helpers: channels, isCanceled };
    worker.postMessage(message, channels);
  });
}
