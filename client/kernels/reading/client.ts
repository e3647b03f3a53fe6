import { READING_WASM_URL, RESAMPLE_WORKER_URL } from "@/client/kernels/reading/assets.ts";
import type {
  ByteScale,
  ResampleMessage,
  ResampleRequest,
  ResampleStart,
} from "@/client/kernels/reading/meta.ts";
import { fetchFile } from "@/client/kernels/stream.ts";
import { AppError } from "@/model/errors.ts";

let compiling: Promise<WebAssembly.Module> | null = null;

/**
 * Compiled WebAssembly of the reading tools.
 * Fetched on first use, and again after a failure.
 *
 * @throws {AppError} `network.offline`, or the server's code.
 */
export function readingModule(): Promise<WebAssembly.Module> {
  if (!compiling) {
    compiling = fetchFile(READING_WASM_URL).then(async (file) =>
      WebAssembly.compile(await file.arrayBuffer())
    );
    compiling.catch(() => compiling = null);
  }
  return compiling;
}

/**
 * Resamples a volume onto another grid in a separate worker. The volume's buffer is transferred.
 *
 * @param onSlab Receives whole slices from voxel `offset` on, i fastest; 0 outside the volume.
 * @returns Mapping from stored values to bytes.
 * @throws {AppError} as {@link readingModule}; `engine.unsupported_input` if memory is short.
 * An abort rejects with the signal's reason.
 */
export async function resampleVolume(
  request: ResampleRequest,
  onSlab: (offset: number, voxels: Uint8Array) => void,
  signal: AbortSignal,
): Promise<ByteScale> {
  const start: ResampleStart = { ...request, module: await readingModule() };
  signal.throwIfAborted();
  const worker = new Worker(RESAMPLE_WORKER_URL, { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<ByteScale>();
  const refuse = (message: string) =>
    reject(
      new AppError("engine.unsupported_input", `Cannot resample: ${message}`, {
        reason: "viewer.volume_size",
      }),
    );
  worker.onmessage = ({ data }: MessageEvent<ResampleMessage>) => {
    if (data.kind === "slab") onSlab(data.offset, data.voxels);
    else if (data.kind === "done") resolve(data.scale);
    else refuse(data.message);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    refuse(event.message ?? "the worker did not start");
  };
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.postMessage(start, [request.voxels.buffer as ArrayBuffer]);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    worker.terminate();
  }
}
