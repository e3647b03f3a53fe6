/// <reference lib="webworker" />
// Worker that downloads volumes and surfaces, decodes the data as they arrive and locates labels.
// The main thread of the page stays free during large downloads.
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";
import { asAppError } from "@/model/errors.ts";
import type { LoaderMessage, LoaderRequest } from "@/client/kernels/meta.ts";
import { streamSlabs } from "@/client/kernels/slabs.ts";
import { fetchFile } from "@/client/kernels/stream.ts";
import { fetchSurface } from "@/client/kernels/surface.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: LoaderMessage, transfer: Transferable[] = []) =>
  scope.postMessage(message, transfer);

/** WebAssembly memory of the started kernels. */
let memory: Promise<WebAssembly.Memory> | null = null;
const loads = new Map<number, AbortController>();
/** Loads of label maps and overlays in progress; such a file has a twentieth of an image's size. */
const smallLoads = new Set<Promise<unknown>>();

async function start(kernels: WebAssembly.Module | string): Promise<WebAssembly.Memory> {
  const module = typeof kernels === "string"
    ? await WebAssembly.compile(await (await fetchFile(kernels)).arrayBuffer())
    : kernels;
  const { memory } = initSync({ module });
  post({ kind: "started", module });
  return memory;
}

async function load(
  { id, url, shape, voxelKind, from, missing }: LoaderRequest & { kind: "load" },
): Promise<void> {
  const controller = new AbortController();
  loads.set(id, controller);
  try {
    const loading = streamSlabs({
      url,
      shape,
      voxelKind,
      from,
      missing,
      memory: memory!,
      beforeTail: () => Promise.allSettled(smallLoads),
      onRestart: () => post({ kind: "restart", id }),
      onSlab: (offset, voxels) => post({ kind: "slab", id, offset, voxels }, [voxels.buffer]),
      onProgress: (receivedBytes, totalBytes) =>
        post({ kind: "progress", id, receivedBytes, totalBytes }),
      signal: controller.signal,
    });
    if (voxelKind !== "intensity") {
      smallLoads.add(loading);
      const end = () => void smallLoads.delete(loading);
      loading.then(end, end);
    }
    const places = await loading;
    post({ kind: "loaded", id, places });
  } finally {
    loads.delete(id);
  }
}

async function loadSurface({ id, urls }: LoaderRequest & { kind: "surface" }): Promise<void> {
  const surface = await fetchSurface(
    urls,
    memory!,
    (receivedBytes) => post({ kind: "progress", id, receivedBytes, totalBytes: null }),
  );
  post({ kind: "surface", id, surface }, Object.values(surface).map((array) => array.buffer));
}

function fail(id: number | null, error: unknown): void {
  const appError = asAppError(error);
  post({
    kind: "failed",
    id,
    code: appError.code,
    message: appError.message,
    details: appError.details,
  });
}

scope.onmessage = ({ data }: MessageEvent<LoaderRequest>) => {
  if (data.kind === "abort") loads.get(data.id)?.abort();
  else if (data.kind === "load") load(data).catch((error: unknown) => fail(data.id, error));
  else if (data.kind === "surface") {
    loadSurface(data).catch((error: unknown) => fail(data.id, error));
  } else (memory = start(data.kernels)).catch((error: unknown) => fail(null, error));
};
