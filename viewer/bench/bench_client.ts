import { KERNEL_BENCH_URL, KERNELS_WASM_URL } from "@/client/kernels/assets.ts";
import { AppError } from "@/model/errors.ts";
import type { BenchCase, BenchResult } from "@/viewer/bench/cases.ts";

/** A measurement for the worker. */
export interface BenchRequest {
  wasmUrl: string;
  /** of the inputs */
  seed: number;
  kernels: readonly BenchCase[];
}

/** Messages of the worker. */
export type BenchMessage =
  | { kind: "result"; result: BenchResult }
  | { kind: "done"; copyBytesPerSecond: number }
  | { kind: "failed"; message: string };

/** Name of the file of the kernels, which contains the hash of its content. */
export const kernelFile = (): string =>
  new URL(KERNELS_WASM_URL, location.href).pathname.split("/").at(-1)!;

/**
 * Measures kernels in a worker, which ends with the measurement.
 *
 * @param onResult Receives each case as it is done.
 * @returns bytes that the memory moves in a second in a plain copy.
 * @throws {AppError} `internal` when the kernels do not run in this browser.
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
