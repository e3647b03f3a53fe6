import { VolumeDecoder } from "@/wasm/pkg/kernels/bind_browser.js";
import type { Shape, Vec3 } from "@/model/geometry.ts";
import type { CrossedSlices } from "@/server/edge/first_picture/picture_view.ts";
import { headBox } from "@/viewer/slices/head_box.ts";

/** Volume kinds by the decoder's numbers, and the values of a label map. */
const KINDS = { labels: 0, intensity: 1 } as const, LABEL_VALUES = 256;
export type PicturedKind = keyof typeof KINDS;

/**
 * Copies of the slices at index `at[axis]` across each axis of a volume [nx, ny, nz], i fastest.
 */
export function slicesThrough(
  volume: Uint8Array,
  [nx, ny, nz]: Shape,
  at: Readonly<Vec3>,
): CrossedSlices["slices"] {
  const sagittal = new Uint8Array(ny * nz), coronal = new Uint8Array(nx * nz);
  for (let row = 0, from = at[0]; row < sagittal.length; row++, from += nx) {
    sagittal[row] = volume[from]!;
  }
  for (let k = 0; k < nz; k++) {
    const from = nx * (at[1] + ny * k);
    coronal.set(volume.subarray(from, from + nx), nx * k);
  }
  const axial = new Uint8Array(volume.subarray(nx * ny * at[2], nx * ny * (at[2] + 1)));
  return [sagittal, coronal, axial];
}

/**
 * Decodes a volume file like the browser's image worker, and keeps three slices.
 * The kernels must be initialised.
 *
 * @param at Voxel indices within `shape`.
 * @throws {RangeError} for a damaged file, a different volume, or insufficient memory.
 */
export async function readCrossed(
  file: AsyncIterable<Uint8Array>,
  memory: WebAssembly.Memory,
  { kind, shape, at }: { kind: PicturedKind; shape: Shape; at: Readonly<Vec3> },
): Promise<CrossedSlices> {
  const decoder = VolumeDecoder.create(KINDS[kind], ...shape);
  if (!decoder) throw new RangeError("Cannot read a volume: its shape is none");
  const check = (refusal: number) => {
    if (refusal !== 0) throw new RangeError(`Cannot read a volume: refusal ${refusal}`);
  };
  try {
    for await (const chunk of file) {
      for (let done = 0; done < chunk.length;) {
        const length = Math.min(decoder.input_bytes(), chunk.length - done);
        if (length === 0) break;
        const input = new Uint8Array(memory.buffer, decoder.input_address(), length);
        input.set(chunk.subarray(done, done + length));
        check(decoder.advance(length));
        done += length;
      }
    }
    check(decoder.finish());
    const voxels = shape[0] * shape[1] * shape[2];
    const volume = new Uint8Array(memory.buffer, decoder.volume(), voxels);
    const slices = slicesThrough(volume, shape, at);
    if (kind === "intensity") {
      const box = headBox(volume, shape);
      return { slices, bounds: box && [...box] };
    }
    const places = decoder.places();
    return {
      slices,
      bounds: places.length > LABEL_VALUES ? [...places.subarray(LABEL_VALUES)] : null,
    };
  } finally {
    decoder.free();
  }
}
