import { KERNEL_BENCH_URL, KERNELS_WASM_URL } from "@/client/kernels/assets.ts";
import { AppError } from "@/model/errors.ts";
import type { BenchCase, BenchResult } from "@/viewer/bench/cases.ts";
import type { BenchChoice } from "@/viewer/bench/choice.ts";

/** A measurement request for the worker. */
export interface BenchRequest {
  wasmUrl: string;
  /** seed of the random numbers from which the inputs are made */
  seed: number;
  kernels: readonly BenchCase[];
  choice: BenchChoice;
}

/** Messages that the benchmark worker sends. */
export type BenchMessage =
  | { kind: "result"; result: BenchResult }
  | { kind: "done"; copyBytesPerSecond: number }
  | { kind: "failed"; message: string };

/** File name of the kernels, which contains a hash of the kernels' content. */
export const kernelFile = (): string =>
  new URL(KERNELS_WASM_URL, location.href).pathname.split("/").at(-1)!;

/**
 * Measures kernels in a worker, which is terminated afterwards.
 *
 * @param onResult Receives each benchmark case when the case is finished.
 * @returns memory bandwidth of a plain copy, bytes per second.
 * @throws {AppError} `internal` if the kernels do not run in this browser.
 */
export function measureInWorker(
  request: Omit<BenchRequest, "wasmUrl">,
  onResult: (result: BenchResult) => void,
  signal: AbortSignal,
): Promise<number> {
  const worker = new Worker(KERNEL_BENCH_URL, { type: "module" });
  return new Promise<number>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    const refuse = (why: string) =>
      reject(new AppError("internal", `Cannot run the kernels' benchmark: ${why}`));
    worker.onmessage = ({ data }: MessageEvent<BenchMessage>) => {
      if (data.kind === "result") onResult(data.result);
      else if (data.kind === "done") resolve(data.copyBytesPerSecond);
      else refuse(data.message);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      refuse(event.message ?? "not loaded");
    };
    const wasmUrl = new URL(KERNELS_WASM_URL, location.href).href;
    worker.postMessage({ ...request, wasmUrl } satisfies BenchRequest);
  }).finally(() => worker.terminate());
}
