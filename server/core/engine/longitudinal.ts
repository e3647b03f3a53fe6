import type { Volume } from "@/model/viewer/volume.ts";
import { DEEP_STRUCTURES } from "@/server/core/engine/deep_structures.ts";
import {
  askWorker,
  type EngineHooks,
  type EngineOptions,
  expectKind,
  WORKER,
} from "@/server/core/engine/engine.ts";
import type { EngineRequest } from "@/server/core/engine/worker/messages.ts";
import { readNetworkWeights } from "@/server/core/engine/network_weights.ts";
import type { LongitudinalResult } from "@/server/core/engine/result.ts";

/** T1w series of one patient's visits, which are measured together. */
export const MIN_VISITS = 2, MAX_VISITS = 8;

/**
 * Measures several T1w series of one patient in a common space, in dedicated workers.
 * The result does not depend on the order of the series.
 *
 * @param volumes  2 to 8 volumes with affines, which are copied to the workers.
 * @throws {RangeError} for fewer than 2 or more than 8 volumes.
 * @throws {AppError} as {@link runEngine}, also if a single visit cannot be analysed.
 */
export async function runLongitudinal(
  volumes: readonly Volume[],
  options: Pick<EngineOptions, "biasCorrection" | "deepStructures" | "threads">,
  hooks: EngineHooks = {},
): Promise<LongitudinalResult> {
  if (volumes.length < MIN_VISITS || volumes.length > MAX_VISITS) {
    throw new RangeError(
      `Cannot compare visits: ${volumes.length} of ${MIN_VISITS} to ${MAX_VISITS}`,
    );
  }
  const { biasCorrection, deepStructures, threads = navigator.hardwareConcurrency } = options;
  const deepWeights = deepStructures ? await readNetworkWeights(DEEP_STRUCTURES) : null;
  const request: EngineRequest = { kind: "longitudinal", volumes, biasCorrection, deepWeights };
  return expectKind(await askWorker(WORKER, request, hooks, threads - 1), "measured").result;
}
