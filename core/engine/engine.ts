import { AppError, isErrorCode } from "@/model/errors.ts";
import type { Volume, VoxelArray } from "@/model/volume.ts";
import type { EngineAnswer, EngineMessage, EngineRequest, TargetGrid } from "@/core/engine/messages.ts";
import type { EngineResult } from "@/core/engine/result.ts";

export interface EngineOptions {
  /** remove the smooth intensity drift of the coil */
  biasCorrection: boolean;
}

export interface EngineHooks {
  /** Called at the start of each stage; `percent` 0..100 never falls. */
  onProgress?: (percent: number, stage: string) => void;
  signal?: AbortSignal;
}

/** A worker that has not answered by then hangs: an analysis takes seconds. */
const TIMEOUT_MS = 15 * 60_000;

const WORKER = new URL("./worker.ts", import.meta.url);

/**
 * Segments a T1-weighted volume in a worker of its own, which is ended afterwards (WebAssembly memory never
 * shrinks).
 *
 * @param volume  Voxels of the series with their affine; oblique and left-handed grids are allowed. Copied.
 * @throws {AppError} `engine.unsupported_input` with `details.reason` `registration failed`, `contrast`,
 *   `field of view`, `empty` or `shape`; `volume.affine_singular`; `job.canceled` when the signal aborts;
 *   `engine.crashed` when the engine trapped (the server goes on).
 * @param script  The worker's module; tests pass one that traps.
 */
export async function runEngine(
  volume: Volume,
  options: EngineOptions,
  hooks: EngineHooks = {},
  script: URL = WORKER,
): Promise<EngineResult> {
  const answer = await askWorker(script, { kind: "analyze", volume, ...options }, hooks);
  return expectKind(answer, "analyzed").result;
}

/**
 * Brings a volume to the conformed grid: 256³, 1 mm, axes left, inferior, anterior, 0..255.
 * @throws {AppError} as {@link runEngine}.
 */
export async function conformVolume(volume: Volume, signal?: AbortSignal): Promise<Volume> {
  return expectKind(await askWorker(WORKER, { kind: "conform", volume }, { signal }), "conformed").volume;
}

/**
 * Nearest label of an integer label map at every voxel of another grid; 0 outside. Uint8Array and Uint16Array keep
 * their type, others become Int32Array.
 * @throws {AppError} `volume.affine_singular`; `job.canceled`; `engine.crashed`.
 */
export async function resampleLabels(
  labels: Volume,
  to: TargetGrid,
  signal?: AbortSignal,
): Promise<VoxelArray> {
  return expectKind(await askWorker(WORKER, { kind: "resample", labels, to }, { signal }), "resampled")
    .voxels;
}

function expectKind<K extends EngineAnswer["kind"]>(answer: EngineAnswer, kind: K) {
  if (answer.kind === kind) return answer as EngineAnswer & { kind: K };
  if (answer.kind === "failed") {
    const code = isErrorCode(answer.code) ? answer.code : "internal";
    throw new AppError(code, answer.message, { reason: answer.reason });
  }
  const message = answer.kind === "crashed" ? answer.message : `unexpected answer ${answer.kind}`;
  throw new AppError("engine.crashed", `Cannot finish analysis: ${message}`);
}

/** Starts a worker, sends it one request, and ends it after its answer, its death, the time limit or an abort. */
function askWorker(script: URL, request: EngineRequest, hooks: EngineHooks): Promise<EngineAnswer> {
  const { signal, onProgress } = hooks;
  const canceled = () => new AppError("job.canceled", "Cannot finish analysis: canceled");
  if (signal?.aborted) return Promise.reject(canceled());
  const worker = new Worker(script, { type: "module" });
  return new Promise<EngineAnswer>((resolve, reject) => {
    const timer = setTimeout(
      () => end(() => resolve({ kind: "crashed", message: "time limit" })),
      TIMEOUT_MS,
    );
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      worker.terminate();
      settle();
    };
    const abort = () => end(() => reject(canceled()));
    signal?.addEventListener("abort", abort, { once: true });
    worker.onmessage = ({ data }: MessageEvent<EngineMessage>) => {
      if (data.kind === "progress") onProgress?.(data.percent, data.stage);
      else end(() => resolve(data));
    };
    worker.onmessageerror = () => end(() => resolve({ kind: "crashed", message: "answer cannot be read" }));
    worker.onerror = (event) => {
      event.preventDefault();
      end(() => resolve({ kind: "crashed", message: event.message }));
    };
    worker.postMessage(request);
  });
}
