import type { Shape } from "@/model/geometry.ts";

const PREFIX_BYTES = 10;

/** NumPy code of an element type, little-endian. */
function descrOf(values: Uint8Array | Uint32Array | Float32Array): string {
  if (values instanceof Uint8Array) return "|u1";
  return values instanceof Uint32Array ? "<u4" : "<f4";
}

/**
 * Writes an array as NPY v1.0, C order; data are aligned to 64 bytes.
 *
 * @param values Last axis fastest; written little-endian, the byte order of all supported machines.
 * @see NumPy enhancement proposal 1, "A Simple File Format for NumPy Arrays".
 */
export function encodeArray(
  values: Uint8Array | Uint32Array | Float32Array,
  sizes: readonly number[],
): Uint8Array<ArrayBuffer> {
  if (values.length !== sizes.reduce((product, size) => product * size, 1)) {
    throw new RangeError(
      `Cannot write NPY: ${values.length} values for a shape of ${sizes.join("×")}`,
    );
  }
  const shape = sizes.length === 1 ? `(${sizes[0]},)` : `(${sizes.join(", ")})`;
  const dictionary = `{'descr': '${descrOf(values)}', 'fortran_order': False, 'shape': ${shape}, }`;
  const start = Math.ceil((PREFIX_BYTES + dictionary.length + 1) / 64) * 64;
  const out = new Uint8Array(start + values.byteLength);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  new DataView(out.buffer).setUint16(8, start - PREFIX_BYTES, true);
  out.set(
    new TextEncoder().encode(dictionary.padEnd(start - PREFIX_BYTES - 1) + "\n"),
    PREFIX_BYTES,
  );
  out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), start);
  return out;
}

/**
 * Writes voxels as NPY of unsigned bytes.
 *
 * @param voxels  i fastest.
 * @param shape   [nx, ny, nz]; the file header has (nz, ny, nx).
 */
export const encodeNpy = (voxels: Uint8Array, [nx, ny, nz]: Shape): Uint8Array<ArrayBuffer> =>
  encodeArray(voxels, [nz, ny, nx]);

/** Voxels of a file made by {@link encodeNpy}, without copying; i fastest. */
export function npyVoxels(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint16(
    8,
    true,
  );
  return bytes.subarray(PREFIX_BYTES + headerBytes);
}
