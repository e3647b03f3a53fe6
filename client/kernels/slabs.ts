import { AppError } from "@/model/errors.ts";
import { SLICES_HEADER } from "@/model/schema/studies/viewer_files.ts";
import type { LabelLocations } from "@/client/kernels/meta.ts";
import { missingSlabs, type Slab, slabsOf } from "@/model/viewer/slab_plan.ts";
import {
  createDecoder,
  decodeAll,
  fetchFile,
  streamVolume,
  type VolumeSource,
} from "@/client/kernels/stream.ts";

/** Number of slabs requested at a time: on a fast network, latency exceeds the transfer time. */
const TOGETHER = 3;
/** Pauses before a slab is requested again after a broken connection, ms. */
const RETRY_MS = [250, 1000];

/** Request for the missing slices of a volume, those around a slice first. */
export interface SlabbedSource extends VolumeSource {
  /** index of the slice that the viewer shows first */
  from: number;
  /** indices of the slices that are not in memory */
  missing: readonly number[];
  /** Resolves when the outer half of an image may be requested, after smaller volumes. */
  beforeTail(): Promise<unknown>;
  /** called when the server sends the whole volume, so that earlier slices are invalid */
  onRestart(): void;
}

/**
 * Streams an image in slabs, from the crosshair outwards. The following are streamed whole: label
 * maps, addresses without a content hash, and volumes of a server that cannot send slabs.
 *
 * @returns Label positions of a label volume.
 * @throws {AppError} As {@link streamVolume}. Slabs that arrived before an error stay valid.
 */
export async function streamSlabs(source: SlabbedSource): Promise<LabelLocations | null> {
  const isSlabbed = source.voxelKind === "intensity" && slabsOf(source.shape).length > 1 &&
    new URL(source.url).searchParams.has("v");
  if (!isSlabbed) return await streamWhole(source);
  const slabs = missingSlabs(source.shape, source.missing, source.from), [first] = slabs;
  if (!first) return null;
  let early = await firstSlab(source, first);
  if (early === null) return await streamWhole(source);
  const memory = await source.memory, [nx, ny, nz] = source.shape, total = nx * ny * nz;
  let received = total -
    nx * ny * slabs.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  await inTurn(source, slabs, async (slab, signal) => {
    const response = slab === first && early || await fetchSlab({ ...source, signal }, slab);
    if (slab === first) early = null;
    // the volume on the server has changed since the first slab was sent
    if (response === null) throw notThese(slab);
    let handed = 0;
    const onVoxels = (count: number) => {
      handed += count;
      source.onProgress(received += count, total);
    };
    try {
      await decodeSlab({ ...source, signal }, { slab, response, memory, onVoxels });
    } catch (error) {
      received -= handed;
      throw error;
    }
  });
  return null;
}

/** Response to the first request for slabs; `null` if the server cannot send slabs. */
async function firstSlab(source: SlabbedSource, slab: Slab): Promise<Response | null> {
  try {
    return await fetchSlab(source, slab);
  } catch (error) {
    // the server refuses the parameter `slices`; any other error would affect the whole volume too
    const code = error instanceof AppError ? error.code : null;
    if (code === "input.invalid" || code === "internal") return null;
    throw error;
  }
}

/** Requests a slab; `null` if the server sends the whole volume instead. */
async function fetchSlab(
  { url, shape, signal }: SlabbedSource,
  slab: Slab,
): Promise<Response | null> {
  const address = new URL(url), slices = `${slab.first}-${slab.last}`;
  address.searchParams.set("slices", slices);
  const response = await fetchFile(address.href, { signal });
  const sent = response.headers.get(SLICES_HEADER);
  if (sent === `${slices}/${shape[2]}`) return response;
  void response.body?.cancel().catch(() => undefined);
  if (sent === null) return null;
  throw notThese(slab);
}

interface ArrivingSlab {
  slab: Slab;
  response: Response;
  memory: WebAssembly.Memory;
  onVoxels(count: number): void;
}

async function decodeSlab(
  { shape: [nx, ny], voxelKind, signal, onSlab }: SlabbedSource,
  { slab, response, memory, onVoxels }: ArrivingSlab,
): Promise<void> {
  const decoder = createDecoder([nx, ny, slab.last - slab.first + 1], voxelKind);
  const sliceVoxels = nx * ny;
  try {
    await decodeAll({
      response,
      decoder,
      memory,
      sliceVoxels,
      signal,
      onSlab(offset, voxels) {
        // scaling to bytes would need the range of the whole volume, which slabs do not give
        if (decoder.slice_range(0).length === 0) throw notThese(slab);
        onSlab(slab.first * sliceVoxels + offset, voxels);
        onVoxels(voxels.length);
      },
      onChunk() {},
    });
  } finally {
    decoder.free();
  }
}

const notThese = ({ first, last }: Slab) =>
  new AppError("engine.unsupported_input", `Cannot read slices ${first} to ${last}: others came`, {
    reason: "npy.shape",
  });

async function streamWhole(source: SlabbedSource): Promise<LabelLocations | null> {
  if (source.missing.length < source.shape[2]) source.onRestart();
  return await streamVolume(source);
}

/** Requests slabs in order, {@link TOGETHER} at a time; an error ends all requests. */
async function inTurn(
  { signal, beforeTail }: SlabbedSource,
  slabs: readonly Slab[],
  take: (slab: Slab, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController(), end = () => ended.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  let at = 0;
  const run = async () => {
    while (at < slabs.length) {
      const n = at++;
      if (n >= slabs.length / 2) await beforeTail();
      ended.signal.throwIfAborted();
      await again(() => take(slabs[n]!, ended.signal), ended.signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: TOGETHER }, run));
  } finally {
    signal.removeEventListener("abort", end);
    ended.abort();
  }
}

/** Repeats a request after breaks of the connection. */
async function again(take: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (const pauseMs of RETRY_MS) {
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "network.offline") throw error;
      await pause(pauseMs, signal);
    }
  }
  return await take();
}

/** Waits for a time. @throws the signal's reason as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal.reason);
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  });
}
