/// <reference lib="deno.worker" />
import type {
  EngineAnswer,
  EngineRequest,
  LeadMessage,
  ProgressMessage,
} from "@/server/core/engine/worker/messages.ts";

export type Report = (percent: number, stage: string) => void;

/** Large arrays of a response, which are transferred to the other thread instead of copied. */
function buffersOf(answer: EngineAnswer): ArrayBufferLike[] {
  const buffers = new Set<ArrayBufferLike>();
  const collect = (value: unknown) => {
    if (ArrayBuffer.isView(value)) {
      if (value.byteLength > 4096) buffers.add(value.buffer);
    } else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      Object.values(value).forEach(collect);
    }
  };
  collect(answer);
  return [...buffers];
}

/**
 * Makes this worker handle requests with `handle`. An exception becomes a `crashed` response,
 * because only a trap or a programming error throws: typed failures are returned as values.
 * A cancelled request ends at the next progress report.
 */
export function serve(
  handle: (
    request: EngineRequest,
    report: Report,
    helpers: MessagePort[],
  ) => EngineAnswer | Promise<EngineAnswer>,
): void {
  self.onmessage = async (event: MessageEvent<LeadMessage>) => {
    const report: Report = (percent, stage) => {
      if (Atomics.load(event.data.isCanceled, 0) !== 0) throw new Error("canceled");
      const message: ProgressMessage = { kind: "progress", percent, stage };
      self.postMessage(message);
    };
    let answer: EngineAnswer;
    try {
      answer = await handle(event.data.request, report, event.data.helpers);
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      answer = { kind: "crashed", message };
    }
    self.postMessage(answer, buffersOf(answer) as ArrayBuffer[]);
  };
}
