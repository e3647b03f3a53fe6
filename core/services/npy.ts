import type { Shape } from "@/model/geometry.ts";

const PREFIX_BYTES = 10;

/**
 * Writes voxels as NPY v1.0, unsigned bytes, C order.
 *
 * @param voxels  i fastest.
 * @param shape   [nx, ny, nz]; the file says (nz, ny, nx). The data start at a multiple of 64 bytes.
 * @see NumPy enhancement proposal 1, "A Simple File Format for NumPy Arrays".
 */
export function encodeNpy(voxels: Uint8Array, [nx, ny, nz]: Shape): Uint8Array<ArrayBuffer> {
  if (voxels.length !== nx * ny * nz) {
    throw new RangeError(`Cannot write NPY: ${voxels.length} voxels for a shape of ${nx}×${ny}×${nz}`);
  }
  const dictionary = `{'descr': '|u1', 'fortran_order': False, 'shape': (${nz}, ${ny}, ${nx}), }`;
  const start = Math.ceil((PREFIX_BYTES + dictionary.length + 1) / 64) * 64;
  const out = new Uint8Array(start + voxels.length);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  new DataView(out.buffer).setUint16(8, start - PREFIX_BYTES, true);
  out.set(new TextEncoder().encode(dictionary.padEnd(start - PREFIX_BYTES - 1) + "\n"), PREFIX_BYTES);
  out.set(voxels, start);
  return out;
}

/** The voxels of a file of {@link encodeNpy}, without a copy; i fastest. */
export function npyVoxels(bytes: Uint8Array): Uint8Array {
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint16(8, true);
  return bytes.subarray(PREFIX_BYTES + headerBytes);
}
