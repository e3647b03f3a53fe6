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
 * Minimum size of a slab of slices in bytes.
 * Slabs are hardly larger, so that the page copies each slab quickly.
 */
const SLAB_BYTES = 1 << 18;
/** Number of possible values of an 8-bit label map. */
const LABEL_VALUES = 256;

/** Request to stream one volume. */
export interface VolumeSource {
  url: string;
  shape: Shape;
  voxelKind: VoxelKind;
  /** WebAssembly memory of the started kernels, which start during the download */
  memory: Promise<WebAssembly.Memory>;
  /** Receives whole slices from voxel `offset` on; the receiver owns the array. */
  onSlab(offset: number, voxels: Uint8Array<ArrayBuffer>): void;
  /** Receives uncompressed bytes loaded; the total is `null` until the header is read. */
  onProgress(receivedBytes: number, totalBytes: number | null): void;
  signal: AbortSignal;
}

/**
 * Fetches a file.
 *
 * @throws {AppError} `network.offline`, or the server's code; after an abort, the signal's reason.
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

/** @throws {AppError} `engine.unsupported_input` for a nonzero error code of the decoder. */
function check(refusal: number): void {
  if (refusal === 0) return;
  const reason = NPY_ERRORS[refusal] ?? "npy.header";
  throw new AppError("engine.unsupported_input", `Cannot read NPY file: ${reason}`, { reason });
}

/** Buffers the bytes of a response, and passes whole slices on as they arrive. */
interface Decoding {
  response: Response;
  decoder: VolumeDecoder;
  memory: WebAssembly.Memory;
  sliceVoxels: number;
  signal: AbortSignal;
  onSlab(offset: number, voxels: Uint8Array<ArrayBuffer>): void;
  /** Called with the size in bytes of each chunk, before the slices in the chunk are passed on. */
  onChunk(bytes: number): void;
}

/** Decodes a whole response. @throws {AppError} as {@link streamVolume}. */
export async function decodeAll(decoding: Decoding): Promise<void> {
  const { decoder, memory, sliceVoxels, onSlab } = decoding;
  let handed = 0;
  const handOn = (least: number) => {
    const fullSlices = decoder.ready() - decoder.ready() % sliceVoxels;
    const most = Math.max(Math.floor(SLAB_BYTES / sliceVoxels), 1) * sliceVoxels;
    while (fullSlices - handed >= Math.max(least, 1)) {
      const count = Math.min(fullSlices - handed, most);
      onSlab(handed, new Uint8Array(memory.buffer, decoder.volume() + handed, count).slice());
      handed += count;
    }
  };
  for await (const chunk of chunksOf(decoding.response, decoding.signal)) {
    let at = 0;
    for (;;) {
      const length = Math.min(decoder.input_bytes(), chunk.length - at);
      if (length === 0) break;
      // reads the buffer's address on each use, because WASM memory moves when it grows
      const address = decoder.input_address();
      new Uint8Array(memory.buffer, address, length).set(chunk.subarray(at, at + length));
      check(decoder.advance(length));
      at += length;
    }
    decoding.onChunk(chunk.length);
    handOn(SLAB_BYTES);
  }
  check(decoder.finish());
  handOn(0);
}

/**
 * Streams a volume: slices are delivered while later slices are still downloaded.
 * The middle axial slice of an image comes first if the server supports range requests.
 *
 * @returns Label positions of a label volume.
 * @throws {AppError} As {@link fetchFile}; `engine.unsupported_input` with the reader's error in
 * `details.reason`, for a damaged file or a file of another volume.
 */
export async function streamVolume(source: VolumeSource): Promise<LabelLocations | null> {
  const { shape, voxelKind, signal } = source;
  const [response, memory] = await Promise.all([fetchFile(source.url, { signal }), source.memory]);
  const decoder = createDecoder(shape, voxelKind);
  const middle = new AbortController(), sliceVoxels = shape[0] * shape[1];
  try {
    let handed = 0, received = 0, told = 0, isMiddleAsked = voxelKind !== "intensity";
    const tell = () => source.onProgress(told = received, decoder.total_bytes() || null);
    await decodeAll({
      response,
      decoder,
      memory,
      sliceVoxels,
      signal,
      onSlab(offset, voxels) {
        source.onSlab(offset, voxels);
        handed = offset + voxels.length;
      },
      onChunk(length) {
        received += length;
        if (received - told >= SLAB_BYTES) tell();
        if (isMiddleAsked || decoder.total_bytes() === 0) return;
        isMiddleAsked = true;
        void middleSlice(source, decoder, middle.signal).then((voxels) => {
          const offset = Math.floor(shape[2] / 2) * sliceVoxels;
          if (voxels && !middle.signal.aborted && handed <= offset) source.onSlab(offset, voxels);
        });
      },
    });
    tell();
    return voxelKind === "labels" ? placesOf(decoder.places()) : null;
  } finally {
    middle.abort();
    decoder.free();
  }
}

/** Makes a decoder for a file of a given shape. @throws {RangeError} for an unknown value type. */
export function createDecoder(shape: Shape, voxelKind: VoxelKind): VolumeDecoder {
  const decoder = VolumeDecoder.create(VOXEL_KINDS.indexOf(voxelKind), ...shape);
  if (!decoder) throw new RangeError(`No such kind of voxels: ${voxelKind}`);
  return decoder;
}

/** Chunks of a response body as they arrive; ending the loop cancels the download. */
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
 * Fetches the middle axial slice with a separate range request.
 * `null` on any failure, since the whole file also contains the slice.
 * Bypasses the browser cache: a partial entry would block the request for the whole file.
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
