import type { Volume } from "@/model/viewer/volume.ts";
import { askWorker, type EngineHooks, type EngineOptions, expectKind, WORKER } from "@/core/engine/engine.ts";
import type { EngineRequest } from "@/core/engine/worker/messages.ts";
import type { StageRecord } from "@/core/engine/result.ts";

/** Visits of one patient that are measured together. */
export const MIN_VISITS = 2, MOST_VISITS = 8;

/** One visit, measured in the space in the middle of all. */
export interface VisitResult {
  /** index = label, 105 numbers; background is 0 */
  volumesMm3: number[];
  /** mean cortical thickness by label; 0 where a label is not cortex or too small to measure */
  thicknessMm: number[];
  leftMm: number;
  rightMm: number;
  hasConverged: boolean;
}

/** Several visits of one patient, measured alike. */
export interface LongitudinalResult {
  /** name and version of the engine */
  version: string;
  /** of the mean of all visits: one figure */
  icvMm3: number;
  /** in the order given */
  visits: VisitResult[];
  stages: StageRecord[];
}

/**
 * Measures several T1w series of one patient in one space, in workers of its own. The order of the visits does not
 * matter.
 *
 * @param volumes  2 to 8 volumes with their affines. Copied.
 * @throws {RangeError} for another number of visits.
 * @throws {AppError} as {@link runEngine}; one visit that cannot be analysed fails all.
 */
export async function runLongitudinal(
  volumes: readonly Volume[],
  options: Pick<EngineOptions, "biasCorrection" | "threads">,
  hooks: EngineHooks = {},
): Promise<LongitudinalResult> {
  if (volumes.length < MIN_VISITS || volumes.length > MOST_VISITS) {
    throw new RangeError(`Cannot compare visits: ${volumes.length} of ${MIN_VISITS} to ${MOST_VISITS}`);
  }
  const { biasCorrection, threads = navigator.hardwareConcurrency } = options;
  const request: EngineRequest = { kind: "longitudinal", volumes, biasCorrection };
  return expectKind(await askWorker(WORKER, request, hooks, threads - 1), "measured").result;
}
