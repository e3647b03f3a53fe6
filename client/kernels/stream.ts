import { VolumeDecoder } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError, type ErrorDetails, isErrorCode } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import {
  type LabelLocations,
  NPY_ERRORS,
  VOXEL_KINDS,
  type VoxelKind,
} from "@/client/kernels/meta.ts";

/**
 * Slices are handed on when they are as many bytes; no slab is much larger, so that the page copies
 * it in no time.
 */
const SLAB_BYTES = 1 << 18;
/** Values of an 8-bit label map. */
const LABEL_VALUES = 256;

/** One volume to be streamed. */
interface VolumeSource {
  url: string;
  shape: Shape;
  voxelKind: VoxelKind;
  /** WASM memory of the kernels, once they have started; the file is on its way meanwhile. */
  memory: Promise<WebAssembly.Memory>;
  /** Whole slices from voxel `offset` on; the array is the receiver's. */
  onSlab(offset: number, voxels: Uint8Array<ArrayBuffer>): void;
  /** Bytes of the file before compression; the total is `null` until the header is there. */
  onProgress(receivedBytes: number, totalBytes: number | null): void;
  signal: AbortSignal;
}

/**
 * Fetches a file.
 *
 * @throws {AppError} `network.offline`, or the server's code; the signal's reason after an abort.
 */
export async function fetchFile(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (cause) {
    throw offline(cause, init.signal);
  }
  if (response.ok) return response;
  const problem: { code?: unknown; details?: ErrorDetails } = await response.json().catch(
    () => ({}),
  );
  const code = isErrorCode(problem.code) ? problem.code : "internal";
  throw new AppError(
    code,
    `Cannot load a viewer file: answer ${response.status}`,
    problem.details ?? {},
  );
}

const offline = (cause: unknown, signal?: AbortSignal | null): unknown =>
  signal?.aborted
    ? signal.reason
    : new AppError("network.offline", "Cannot reach the server for a viewer file", {}, { cause });

/** @throws {AppError} `engine.unsupported_input` for the number of a refusal; 0 is none. */
function check(refusal: number): void {
  if (refusal === 0) return;
  const reason = NPY_ERRORS[refusal] ?? "npy.header";
  throw new AppError("engine.unsupported_input", `Cannot read NPY file: ${reason}`, { reason });
}

/**
 * Streams a volume: its slices are handed on while the rest still arrives, the middle axial one of
 * an image before all others when the server sends parts of files.
 *
 * @returns Where the labels are, for a volume of labels.
 * @throws {AppError} As {@link fetchFile}; `engine.unsupported_input` with the refusal in
 *   `details.reason` for a file that is damaged or another volume.
 */
export async function streamVolume(source: VolumeSource): Promise<LabelLocations | null> {
  const { shape, voxelKind, signal } = source;
  const [response, memory] = await Promise.all([fetchFile(source.url, { signal }), source.memory]);
  const decoder = VolumeDecoder.create(VOXEL_KINDS.indexOf(voxelKind), ...shape);
  if (!decoder) throw new RangeError(`No such kind of voxels: ${voxelKind}`);
  const middle = new AbortController();
  try {
    const sliceVoxels = shape[0] * shape[1];
    let handed = 0, received = 0, told = 0, isMiddleAsked = voxelKind !== "intensity";
    const handOn = (least: number) => {
      const fullSlices = decoder.ready() - decoder.ready() % sliceVoxels;
      const most = Math.max(Math.floor(SLAB_BYTES / sliceVoxels), 1) * sliceVoxels;
      while (fullSlices - handed >= Math.max(least, 1)) {
        const count = Math.min(fullSlices - handed, most);
        const slab = new Uint8Array(memory.buffer, decoder.volume() + handed, count).slice();
        source.onSlab(handed, slab);
        handed += count;
      }
    };
    const tell = () => source.onProgress(told = received, decoder.total_bytes() || null);
    for await (const chunk of chunksOf(response, signal)) {
      let at = 0;
      for (;;) {
        const length = Math.min(decoder.input_bytes(), chunk.length - at);
        if (length === 0) break;
        // asked for each time: memory that grew has moved
        const address = decoder.input_address();
        new Uint8Array(memory.buffer, address, length).set(chunk.subarray(at, at + length));
        check(decoder.advance(length));
        at += length;
      }
      received += chunk.length;
      if (!isMiddleAsked && decoder.total_bytes() > 0) {
        isMiddleAsked = true;
        void middleSlice(source, decoder, middle.signal).then((voxels) => {
          const offset = Math.floor(shape[2] / 2) * sliceVoxels;
          if (voxels && !middle.signal.aborted && handed <= offset) source.onSlab(offset, voxels);
        });
      }
      handOn(SLAB_BYTES);
      if (received - told >= SLAB_BYTES) tell();
    }
    check(decoder.finish());
    handOn(0);
    tell();
    return voxelKind === "labels" ? placesOf(decoder.places()) : null;
  } finally {
    middle.abort();
    decoder.free();
  }
}

/** Pieces of a body as they arrive; breaking off cancels it. */
async function* chunksOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw offline(cause, signal);
      });
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/**
 * The middle axial slice by a request of its own; `null` when it cannot be had, for whatever
 * reason: the file brings it anyway. Not through the browser's cache, where a part would stand in
 * the way of the whole.
 */
async function middleSlice(
  { url, shape }: VolumeSource,
  decoder: VolumeDecoder,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const [first, bytes] = decoder.slice_range(Math.floor(shape[2] / 2));
  if (first === undefined || bytes === undefined) return null;
  const range = `${first}-${first + bytes - 1}`;
  try {
    const response = await fetch(url, {
      credentials: "same-origin",
      cache: "no-store",
      headers: { range: `bytes=${range}` },
      signal,
    });
    if (
      response.status !== 206 ||
      !response.headers.get("content-range")?.startsWith(`bytes ${range}/`)
    ) {
      void response.body?.cancel();
      return null;
    }
    const part = new Uint8Array(await response.arrayBuffer());
    if (signal.aborted) return null;
    const voxels = decoder.slice(part);
    return voxels.length > 0 ? voxels as Uint8Array<ArrayBuffer> : null;
  } catch {
    return null;
  }
}

function placesOf(places: Uint32Array): LabelLocations {
  return {
    centres: places.slice(0, LABEL_VALUES),
    bounds: places.length > LABEL_VALUES ? places.slice(LABEL_VALUES) : null,
  };
}
