import { KERNELS_WORKER_URL } from "@/client/kernels/assets.ts";
import type { LoadedSurface, LoaderMessage, LoaderRequest } from "@/client/kernels/meta.ts";
import { AppError } from "@/model/errors.ts";
import type { SurfaceFile } from "@/model/schema/studies/viewer_files.ts";

/** The given URL if it is on this site; otherwise the URL of the documented API. */
function fileUrl(pid: number, field: SurfaceFile, given: string | undefined): string {
  const documented = new URL(`/api/v1/secure/${field}.npy?pid=${pid}`, location.href);
  const url = given === undefined ? documented : new URL(given, location.href);
  return url.origin === location.origin && url.pathname.startsWith("/api/")
    ? url.href
    : documented.href;
}

interface SurfaceOptions {
  /** Compiled kernels, which the page has already loaded. */
  kernels: WebAssembly.Module;
  /** Receives the number of uncompressed bytes loaded. */
  onProgress: (receivedBytes: number) => void;
  signal: AbortSignal;
}

/**
 * Loads the surface of a patient in a worker that is terminated after the load.
 *
 * @param files URLs from the API; `null` if the API gives none.
 * @throws {AppError} `network.offline`, `engine.unsupported_input` for damaged arrays,
 * or the server's code (`entity.not_found` for a study without a surface).
 * An abort rejects with the signal's reason.
 */
export function loadSurface(
  pid: number,
  files: Record<SurfaceFile, string> | null,
  { kernels, onProgress, signal }: SurfaceOptions,
): Promise<LoadedSurface> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const worker = new Worker(KERNELS_WORKER_URL, { type: "module" });
  return new Promise<LoadedSurface>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    worker.onmessage = ({ data }: MessageEvent<LoaderMessage>) => {
      if (data.kind === "progress") onProgress(data.receivedBytes);
      else if (data.kind === "surface") resolve(data.surface);
      else if (data.kind === "failed") reject(new AppError(data.code, data.message, data.details));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(
        new AppError("internal", `Cannot run the image worker: ${event.message ?? "not loaded"}`),
      );
    };
    const send = (request: LoaderRequest) => worker.postMessage(request);
    send({ kind: "start", kernels });
    const url = (field: SurfaceFile) => fileUrl(pid, field, files?.[field]);
    const urls = {
      verts: url("verts"),
      faces: url("faces"),
      normals: url("normals"),
      values: url("values"),
    };
    send({ kind: "surface", id: 1, urls });
  }).finally(() => worker.terminate());
}
