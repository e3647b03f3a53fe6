/// <reference lib="webworker" />
// Worker that runs the kernel benchmark, so that the page stays responsive.
import type { BenchMessage, BenchRequest } from "@/viewer/bench/bench_client.ts";
import { measureCopy, measureKernels } from "@/viewer/bench/suite.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: BenchMessage) => scope.postMessage(message);

async function measure({ wasmUrl, seed, kernels, choice }: BenchRequest): Promise<void> {
  const response = await fetch(wasmUrl);
  if (!response.ok) throw new Error(`Cannot load the kernels: answer ${response.status}`);
  const module = await WebAssembly.compile(await response.arrayBuffer());
  for await (const result of measureKernels(module, seed, kernels, choice)) {
    post({ kind: "result", result });
  }
  post({ kind: "done", copyBytesPerSecond: measureCopy() });
}

scope.onmessage = ({ data }: MessageEvent<BenchRequest>) => {
  measure(data).catch((error: unknown) => post({ kind: "failed", message: String(error) }));
};
