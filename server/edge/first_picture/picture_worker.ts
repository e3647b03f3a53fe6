/// <reference lib="webworker" />
// Worker that decodes slices of volumes and renders panes, so that requests are not blocked.
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";
import { readCrossed } from "@/server/edge/first_picture/crossed_slices.ts";
import { drawPanes } from "@/server/edge/first_picture/draw_panes.ts";
import type {
  CrossRequest,
  WorkerAnswer,
  WorkerRequest,
} from "@/server/edge/first_picture/messages.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const KERNELS = new URL("../../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);

const started = Deno.readFile(KERNELS).then(async (bytes) => {
  const module = await WebAssembly.compile(bytes);
  return { module, memory: initSync({ module }).memory };
});
// errors are reported in the response to each request
started.catch(() => {});

/** Writers of the streams through which files arrive. */
const files = new Map<number, ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>();

async function cross(id: number, { isGzip, ...request }: CrossRequest): Promise<WorkerAnswer> {
  const parts = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void files.set(id, controller),
  });
  try {
    const file = isGzip ? parts.pipeThrough(new DecompressionStream("gzip")) : parts;
    return { id, slices: await readCrossed(file, (await started).memory, request) };
  } finally {
    files.delete(id);
  }
}

async function answerTo(request: WorkerRequest): Promise<WorkerAnswer | null> {
  const { id } = request;
  if ("cross" in request) return await cross(id, request.cross);
  if ("draw" in request) return { id, panes: drawPanes((await started).module, request.draw) };
  const file = files.get(id);
  if (request.part) file?.enqueue(request.part);
  else file?.close();
  return null;
}

scope.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  answerTo(data).then(
    (answer) => answer && scope.postMessage(answer),
    (error: unknown) => scope.postMessage({ id: data.id, error: String(error) }),
  );
};
