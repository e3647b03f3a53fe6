/// <reference lib="webworker" />
// Runs in a worker: fetches the volumes with progress, reads their NPY headers and finds the labels' centres, so
// that the page stays free while megabytes arrive.
import { initSync, label_places } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError, type ErrorDetails, isErrorCode } from "@/model/errors.ts";
import type { LoadMessage, LoadRequest } from "@/client/kernels/meta.ts";
import { decodeNpy } from "@/client/kernels/npy.ts";

/** Values of an 8-bit label map. */
const LABEL_VALUES = 256;

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: LoadMessage, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

async function fetchFrom(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin" });
  } catch (cause) {
    throw new AppError("network.offline", "Cannot reach the server for a viewer file", {}, { cause });
  }
  if (response.ok) return response;
  const problem: { code?: unknown; details?: ErrorDetails } = await response.json().catch(() => ({}));
  const code = isErrorCode(problem.code) ? problem.code : "internal";
  throw new AppError(code, `Cannot load a viewer file: answer ${response.status}`, problem.details ?? {});
}

/** Reads a body whole; `expected` is its size before compression, as far as it is known. */
async function readAll(
  response: Response,
  expected: number,
  onBytes: (count: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(expected), length = 0;
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    if (length + value.length > bytes.length) {
      const grown = new Uint8Array(Math.max(bytes.length * 2, length + value.length));
      grown.set(bytes.subarray(0, length));
      bytes = grown;
    }
    bytes.set(value, length);
    length += value.length;
    onBytes(value.length);
  }
}

async function load({ wasmUrl, baseUrl, labelsUrl, shape }: LoadRequest): Promise<void> {
  const voxels = shape[0] * shape[1] * shape[2], expected = voxels + 128;
  let received = 0, told = 0;
  const onBytes = (count: number) => {
    received += count;
    const fraction = Math.min(received / (2 * expected), 1);
    if (fraction - told < 0.01) return;
    told = fraction;
    post({ kind: "progress", fraction });
  };
  const file = async (url: string) => readAll(await fetchFrom(url), expected, onBytes);
  const kernels = async () => WebAssembly.compile(await (await fetchFrom(wasmUrl)).arrayBuffer());
  const [module, baseBytes, labelBytes] = await Promise.all([kernels(), file(baseUrl), file(labelsUrl)]);
  initSync({ module });
  const base = decodeNpy(baseBytes, shape), labels = decodeNpy(labelBytes, shape);
  const places = label_places(labels, ...shape);
  const bounds = places.length > LABEL_VALUES ? places.slice(LABEL_VALUES) : null;
  const loaded = {
    kind: "loaded",
    module,
    base,
    labels,
    centres: places.slice(0, LABEL_VALUES),
    bounds,
  } as const;
  post(loaded, [base.buffer, labels.buffer]);
}

scope.onmessage = ({ data }: MessageEvent<LoadRequest>) => {
  load(data).catch((error: unknown) => {
    const known = error instanceof AppError ? error : new AppError("internal", String(error));
    post({ kind: "failed", code: known.code, message: known.message, details: known.details });
  });
};
