import { KERNEL_BENCH_URL, KERNELS_WASM_URL } from "@/client/kernels/assets.ts";
import { AppError } from "@/model/errors.ts";
import type { BenchResult } from "@/viewer/bench/cases.ts";

/** Messages of the worker. */
export type BenchMessage =
  | { kind: "result"; result: BenchResult }
  | { kind: "done"; copyBytesPerSecond: number }
  | { kind: "failed"; message: string };

/**
 * Measures the kernels in a worker, which ends with the measurement.
 *
 * @param onResult Receives each case as it is done.
 * @returns bytes that the memory moves in a second in a plain copy.
 * @throws {AppError} `internal` when the kernels do not run in this browser.
 */
export function measureInWorker(
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
    worker.postMessage(new URL(KERNELS_WASM_URL, location.href).href);
  }).finally(() => worker.terminate());
}
