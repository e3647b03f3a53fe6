import { KERNELS_WASM_URL, KERNELS_WORKER_URL } from "@/client/kernels/assets.ts";
import type { LoadedVolumes, LoadMessage, LoadRequest } from "@/client/kernels/meta.ts";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerFile } from "@/model/schema/patients.ts";

const fileUrl = (pid: number, file: ViewerFile) =>
  new URL(`/api/v1/patients/image/viewer/${pid}?file=${file}`, location.href).href;

/**
 * Loads the T1w volume and the label map of a patient in a worker, which ends with the load.
 *
 * @param onProgress Part of the bytes that have arrived, 0..1.
 * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a damaged file;
 *   an abort rejects with the signal's reason.
 */
export function loadVolumes(
  pid: number,
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
      baseUrl: fileUrl(pid, "t1w_file"),
      labelsUrl: fileUrl(pid, "t1w_mask_file"),
      shape,
    };
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
