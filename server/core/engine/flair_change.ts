import type { Volume } from "@/model/viewer/volume.ts";
import { askWorker, type EngineHooks, expectKind, WORKER } from "@/server/core/engine/engine.ts";
import type { FlairChangeResult } from "@/server/core/engine/result.ts";
import type { EngineRequest } from "@/server/core/engine/worker/messages.ts";

/**
 * Compares two FLAIR series of one patient in dedicated workers.
 *
 * @param series  Copied to the workers, the older series first.
 * @throws {AppError} as `runEngine`; `engine.unsupported_input` with `details.reason`
 * `flair registration` for series that cannot be registered.
 */
export async function runFlairChange(
  series: readonly [Volume, Volume],
  { threads = navigator.hardwareConcurrency }: { threads?: number },
  hooks: EngineHooks = {},
): Promise<FlairChangeResult> {
  const request: EngineRequest = { kind: "flair_change", series };
  return expectKind(await askWorker(WORKER, request, hooks, threads - 1), "flair_changed").result;
}
