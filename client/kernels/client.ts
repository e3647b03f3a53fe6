import { KERNELS_WASM_URL, KERNELS_WORKER_URL } from "@/client/kernels/assets.ts";
import type { LoadedVolumes, LoadMessage, LoadRequest } from "@/client/kernels/meta.ts";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerFile } from "@/model/schema/patients.ts";

/** Addresses of a patient's files as the API gives them; they name the content, so that the browser keeps them. */
export interface VolumeFiles {
  base: string;
  labels: string;
}

/** The address given, when it is on this site; else the documented one. */
function fileUrl(pid: number, field: ViewerFile, given: string): string {
  const url = new URL(given, location.href);
  const isOurs = url.origin === location.origin && url.pathname.startsWith("/api/");
  return isOurs
    ? url.href
    : new URL(`/api/v1/patients/image/viewer/${pid}?file=${field}`, location.href).href;
}

/**
 * Loads the T1w volume and the label map of a patient in a worker, which ends with the load.
 *
 * @param onProgress Part of the bytes that have arrived, 0..1.
 * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a damaged file;
 *   an abort rejects with the signal's reason.
 */
export function loadVolumes(
  pid: number,
  files: VolumeFiles,
  shape: Shape,
  { onProgress, signal }: { onProgress: (fraction: number) => void; signal: AbortSignal },
): Promise<LoadedVolumes> {
  const worker = new Worker(KERNELS_WORKER_URL, { type: "module" });
  return new Promise<LoadedVolumes>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    worker.onmessage = ({ data }: MessageEvent<LoadMessage>) => {
      if (data.kind === "progress") onProgress(data.fraction);
      else if (data.kind === "loaded") resolve(data);
      else reject(new AppError(data.code, data.message, data.details));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new AppError("internal", `Cannot run the image worker: ${event.message ?? "not loaded"}`));
    };
    const request: LoadRequest = {
      wasmUrl: new URL(KERNELS_WASM_URL, location.href).href,
      baseUrl: fileUrl(pid, "t1w_file", files.base),
      labelsUrl: fileUrl(pid, "t1w_mask_file", files.labels),
      shape,
    };
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
