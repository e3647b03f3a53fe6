import { gunzipSync } from "node:zlib";
import { affineFromRows } from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";

const HEADER_BYTES = 284;
/** Functions that read a voxel, by type code of the format. */
const READERS: Record<
  number,
  [bytes: number, make: (n: number) => VoxelArray, get: (v: DataView, at: number) => number]
> = {
  0: [1, (n) => new Uint8Array(n), (v, at) => v.getUint8(at)],
  1: [4, (n) => new Int32Array(n), (v, at) => v.getInt32(at)],
  3: [4, (n) => new Float32Array(n), (v, at) => v.getFloat32(at)],
  4: [2, (n) => new Int16Array(n), (v, at) => v.getInt16(at)],
};

/**
 * Reads a FreeSurfer volume (.mgh, or .mgz compressed). The field of view's centre is at index n/2.
 *
 * @throws {RangeError} for another version or voxel type, several frames, or a truncated file.
 * @see FreeSurfer's MghFormat page: big-endian header of 284 bytes, then the voxels.
 */
export function readMgh(bytes: Uint8Array): Volume {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  const int = (at: number) => view.getInt32(at), float = (at: number) => view.getFloat32(at);
  const shape: [number, number, number] = [int(4), int(8), int(12)], reader = READERS[int(20)];
  const count = shape[0] * shape[1] * shape[2];
  if (int(0) !== 1 || int(16) !== 1 || !reader || plain.length < HEADER_BYTES + count * reader[0]) {
    throw new RangeError("Cannot read volume: not one frame of an MGH file of version 1");
  }
  const [size, make, get] = reader, voxels = make(count);
  for (let i = 0; i < count; i++) voxels[i] = get(view, HEADER_BYTES + i * size);
  const isOriented = view.getInt16(28) === 1;
  const spacing = [0, 1, 2].map((axis) => isOriented ? float(30 + 4 * axis) : 1);
  // default orientation of the format: coronal
  const cosines = isOriented
    ? [0, 1, 2].map((axis) => [0, 1, 2].map((row) => float(42 + 12 * axis + 4 * row)))
    : [[-1, 0, 0], [0, 0, -1], [0, 1, 0]];
  const rows = [0, 1, 2].map((row) => {
    const columns = [0, 1, 2].map((axis) => cosines[axis]![row]! * spacing[axis]!);
    const centre = isOriented ? float(78 + 4 * row) : 0;
    return [...columns, centre - columns.reduce((sum, c, axis) => sum + c * shape[axis]! / 2, 0)];
  });
  return { voxels, shape, rasFromIjk: affineFromRows(rows) };
}
