import { fileURLToPath } from "node:url";
import type { MeasureName } from "@/model/norms/local_norms.ts";
import type { FitPrior } from "@/model/norms/indirect/healthy_fit.ts";
import type { IndirectNorm } from "@/model/norms/indirect/indirect_norm.ts";
import type { SparseHistogram } from "@/model/norms/indirect/pooling.ts";
import { AppError } from "@/model/errors.ts";
import { rightsToFiles } from "@/server/wire/worker_rights.ts";

/** Worker input for one measure: counts of this site and of other sites, and the prior. */
export interface FitTask {
  name: MeasureName;
  counts: SparseHistogram;
  others: SparseHistogram[];
  prior: FitPrior;
}
export type FitAnswer = [name: MeasureName, norm: IndirectNorm][];

/** Time limit for all fits (some two hundred); one fit takes 0.25 s on a busy machine. */
const TIMEOUT_MS = 15 * 60_000;
const PROGRAM = ["../../../", "../../../../model/", "../../../../chunks/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url))
);

/**
 * Estimates the healthy part of each measure, in a worker that may only read the program's files.
 * @throws {AppError} `internal` if the worker fails, is aborted or exceeds the time limit.
 */
export async function fitInWorker(
  tasks: readonly FitTask[],
  signal: AbortSignal,
): Promise<FitAnswer> {
  if (tasks.length === 0) return [];
  const worker = new Worker(new URL("./routine_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: rightsToFiles(PROGRAM) },
  });
  const { promise, resolve, reject } = Promise.withResolvers<FitAnswer>();
  const fail = (reason: string) =>
    reject(new AppError("internal", `Cannot estimate norms of routine studies: ${reason}`));
  const timer = setTimeout(() => fail("no answer in time"), TIMEOUT_MS);
  worker.onmessage = ({ data }: MessageEvent<FitAnswer>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  const stop = () => fail("the server ends");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  worker.postMessage(tasks);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    worker.terminate();
  }
}
