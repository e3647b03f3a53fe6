/// <reference lib="deno.worker" />
import type { EngineAnswer, EngineRequest, ProgressMessage } from "@/core/engine/messages.ts";

export type Report = (percent: number, stage: string) => void;

/** Large arrays of an answer, to be moved instead of copied. */
function buffersOf(answer: EngineAnswer): ArrayBuffer[] {
  const arrays = answer.kind === "analyzed"
    ? [answer.result.intensities, answer.result.labels]
    : answer.kind === "conformed"
    ? [answer.volume.voxels]
    : answer.kind === "resampled"
    ? [answer.voxels]
    : [];
  return arrays.map((array) => array.buffer as ArrayBuffer);
}

/**
 * Makes this worker answer requests with `handle`. Whatever `handle` throws becomes a `crashed` answer: typed
 * failures are answers already, so only a trap or a defect gets here.
 */
export function serve(handle: (request: EngineRequest, report: Report) => EngineAnswer): void {
  self.onmessage = (event: MessageEvent<EngineRequest>) => {
    const report: Report = (percent, stage) => {
      const message: ProgressMessage = { kind: "progress", percent, stage };
      self.postMessage(message);
    };
    let answer: EngineAnswer;
    try {
      answer = handle(event.data, report);
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      answer = { kind: "crashed", message };
    }
    self.postMessage(answer, buffersOf(answer));
  };
}
