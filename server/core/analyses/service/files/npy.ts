import type { Shape } from "@/model/geometry.ts";

const PREFIX_BYTES = 10;
/** First bytes of an NPY file: magic string and version 1.0. */
const BYTES_OF_VERSION_1 = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0];
const VOLUME_DICTIONARY =
  /^\{'descr': '\|u1', 'fortran_order': False, 'shape': \((\d{1,5}), (\d{1,5}), (\d{1,5})\), \} *\n$/;

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
  const head = encodeHead(descrOf(values), sizes);
  const out = new Uint8Array(head.length + values.byteLength);
  out.set(head);
  out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), head.length);
  return out;
}

/** Header of an NPY file, C order: all bytes before the first element. */
function encodeHead(descr: string, sizes: readonly number[]): Uint8Array<ArrayBuffer> {
  const shape = sizes.length === 1 ? `(${sizes[0]},)` : `(${sizes.join(", ")})`;
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  const head = new Uint8Array(Math.ceil((PREFIX_BYTES + dictionary.length + 1) / 64) * 64);
  head.set(BYTES_OF_VERSION_1);
  new DataView(head.buffer).setUint16(8, head.length - PREFIX_BYTES, true);
  head.set(
    new TextEncoder().encode(dictionary.padEnd(head.length - PREFIX_BYTES - 1) + "\n"),
    PREFIX_BYTES,
  );
  return head;
}

/** Header of the NPY file of a volume of unsigned bytes. @param shape [nx, ny, nz]. */
export const encodeVolumeHead = ([nx, ny, nz]: Shape): Uint8Array<ArrayBuffer> =>
  encodeHead("|u1", [nz, ny, nx]);

/**
 * Header size (bytes) and shape [nx, ny, nz] of a file made by {@link encodeNpy};
 * `null` for files of another layout.
 */
export function readVolumeHead(start: Uint8Array): { headBytes: number; shape: Shape } | null {
  if (start.length < PREFIX_BYTES || BYTES_OF_VERSION_1.some((byte, n) => start[n] !== byte)) {
    return null;
  }
  const headBytes = PREFIX_BYTES + start[8]! + 256 * start[9]!;
  if (headBytes > start.length) return null;
  const [, nz, ny, nx] = VOLUME_DICTIONARY.exec(
    new TextDecoder("latin1").decode(start.subarray(PREFIX_BYTES, headBytes)),
  ) ?? [];
  return nx === undefined ? null : { headBytes, shape: [Number(nx), Number(ny), Number(nz)] };
}

/**
 * Writes voxels as NPY of unsigned bytes.
 *
 * @param voxels  Voxels in memory order: i varies fastest.
 * @param shape   [nx, ny, nz]; the file header has (nz, ny, nx).
 */
export const encodeNpy = (voxels: Uint8Array, [nx, ny, nz]: Shape): Uint8Array<ArrayBuffer> =>
  encodeArray(voxels, [nz, ny, nx]);

/** Voxels of a file made by {@link encodeNpy}, as a view without copying; i varies fastest. */
export function npyVoxels(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint16(
    8,
    true,
  );
  return bytes.subarray(PREFIX_BYTES + headerBytes);
}
