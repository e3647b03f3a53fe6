/// <reference lib="webworker" />
// Resamples one volume onto another grid, then terminates,
// which frees the memory of a volume of up to hundreds of megabytes.
import { initSync, Resampler } from "@/wasm/pkg/reading/bind_reading.js";
import type {
  ResampleMessage,
  ResampleScale,
  ResampleStart,
} from "@/client/kernels/reading/meta.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: ResampleMessage, transfer: Transferable[] = []) =>
  scope.postMessage(message, transfer);

/** Approximate size of a message with slices, bytes. */
const SLAB_BYTES = 1 << 20;

/** Kernel number of an array type; unsupported types are converted to floats. */
const kindOf = (voxels: VoxelArray): number =>
  voxels instanceof Uint8Array
    ? 0
    : voxels instanceof Int16Array
    ? 1
    : voxels instanceof Uint16Array
    ? 2
    : 3;
const ARRAYS = [Uint8Array, Int16Array, Uint16Array, Float32Array] as const;

/** Value mapping in the kernel's form; nearest neighbour has no gain. */
function scaleOf(
  resampler: Resampler,
  scale: ResampleScale,
  isTurned: boolean,
): [low: number, gain: number | undefined] {
  if (scale === "nearest") return [0, undefined];
  if (scale !== "shown") return [scale.low, scale.gain];
  const [low = 0, high = 0] = resampler.shown_range(), gain = high === low ? 1 : 255 / (high - low);
  return isTurned ? [high, -gain] : [low, gain];
}

function resample(
  { module, voxels, shape, fromTarget, target, scale, isTurned }: ResampleStart,
): void {
  const { memory } = initSync({ module }), kind = kindOf(voxels);
  const resampler = Resampler.create(kind, ...shape);
  if (!resampler) throw new RangeError(`Cannot hold ${shape.join(" × ")} voxels`);
  new ARRAYS[kind]!(memory.buffer, resampler.address(), voxels.length).set(voxels);
  const [low, gain] = scaleOf(resampler, scale, isTurned), rows = Float64Array.from(fromTarget);
  const [width, height, depth] = target,
    count = Math.max(Math.floor(SLAB_BYTES / (width * height)), 1);
  for (let first = 0; first < depth; first += count) {
    const many = Math.min(count, depth - first);
    const slab = resampler.slices(rows, width, height, first, many, low, gain) as Uint8Array<
      ArrayBuffer
    >;
    if (slab.length !== width * height * many) {
      throw new RangeError("Cannot resample: memory is short");
    }
    post({ kind: "slab", offset: first * width * height, voxels: slab }, [slab.buffer]);
  }
  post({ kind: "done", scale: { low, gain: gain ?? 1 } });
}

scope.onmessage = ({ data }: MessageEvent<ResampleStart>) => {
  try {
    resample(data);
  } catch (error) {
    post({ kind: "failed", message: String(error) });
  }
};
