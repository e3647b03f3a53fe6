import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";

/** A volume from the user's file on which the kernels are measured, stored as a NumPy file. */
export interface OwnVolume {
  /** shape of the volume, [nx, ny, nz], i fastest */
  shape: Shape;
  /** NumPy's name of the voxels' type, e.g. "<i2" */
  dtype: string;
  npy: Uint8Array<ArrayBuffer>;
  /** offset of the first voxel in `npy` */
  headBytes: number;
}

/**
 * Maximum number of voxels, 512 × 512 × 256: measuring needs five bytes of memory for each voxel.
 */
export const MAX_VOXELS = 2 ** 26;
/** Maximum size of the uncompressed file, bytes: the largest voxel type has eight bytes. */
const MAX_BYTES = 8 * MAX_VOXELS + 4096;
/** NumPy names, without the byte order, of NIfTI-1 voxel types (nifti1.h, `datatype`). */
const NIFTI_TYPES: Readonly<Record<number, keyof typeof TYPED>> = {
  2: "u1",
  4: "i2",
  8: "i4",
  16: "f4",
  64: "f8",
  256: "i1",
  512: "u2",
  768: "u4",
};
/** First bytes of a NumPy file: 0x93 and "NUMPY". */
const NUMPY = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const NIFTI_HEADER = 348, DATATYPE = 70, VOX_OFFSET = 108, MAGIC = 344;
const DTYPE = /'descr':\s*'([<>|=]?)([uif][1248])'/,
  SHAPE = /'shape':\s*\((\d+),\s*(\d+),\s*(\d+)\)/;

const TYPED = {
  u1: Uint8Array,
  i1: Int8Array,
  u2: Uint16Array,
  i2: Int16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
} as const;
const isType = (type: string): type is keyof typeof TYPED => Object.hasOwn(TYPED, type);
const dtypeOf = (type: string, isLittle: boolean) =>
  `${type.endsWith("1") ? "|" : isLittle ? "<" : ">"}${type}`;

const refusal = (why: string) =>
  new AppError("input.invalid", `Cannot measure with the file: ${why}`);

/** Reads a stream, and throws if it has more than {@link MAX_BYTES}. */
async function readBounded(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream as unknown as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > MAX_BYTES) throw refusal("it is too large");
    pieces.push(piece);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function checkedShape(sides: readonly number[]): Shape {
  const voxels = sides.reduce((product, side) => product * side, 1);
  if (!sides.every((side) => Number.isSafeInteger(side) && side > 0) || voxels > MAX_VOXELS) {
    throw refusal(`its shape is ${sides.join(" × ")}`);
  }
  return sides as [number, number, number];
}

/** Makes a NumPy header (version 1) for a volume, padded to a multiple of 64 bytes. */
export function npyHead(dtype: string, [nx, ny, nz]: Shape): Uint8Array {
  const text = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${nz}, ${ny}, ${nx}), }`
    .padEnd(117) + "\n";
  return Uint8Array.from([
    ...NUMPY,
    1,
    0,
    text.length,
    0,
    ...new TextEncoder().encode(text),
  ]);
}

function fromNifti(bytes: Uint8Array<ArrayBuffer>): OwnVolume {
  const view = new DataView(bytes.buffer), isLittle = view.getInt32(0, true) === NIFTI_HEADER;
  const side = (axis: number) => view.getInt16(40 + 2 * axis, isLittle);
  const axes = side(0), later = [4, 5, 6, 7].filter((axis) => axis <= axes);
  if (axes < 3 || later.some((axis) => side(axis) > 1)) throw refusal("it is not one volume");
  const shape = checkedShape([side(1), side(2), side(3)]);
  const type = NIFTI_TYPES[view.getInt16(DATATYPE, isLittle)];
  if (type === undefined) throw refusal("the type of its voxels is unknown");
  const start = view.getFloat32(VOX_OFFSET, isLittle);
  const size = shape[0] * shape[1] * shape[2] * Number(type[1]);
  if (!(start >= NIFTI_HEADER) || !Number.isInteger(start) || start + size > bytes.length) {
    throw refusal("it ends before its last voxel");
  }
  const dtype = dtypeOf(type, isLittle);
  const head = npyHead(dtype, shape), npy = new Uint8Array(head.length + size);
  npy.set(head);
  npy.set(bytes.subarray(start, start + size), head.length);
  return { shape, dtype, npy, headBytes: head.length };
}

function fromNpy(npy: Uint8Array<ArrayBuffer>): OwnVolume {
  const view = new DataView(npy.buffer), isFirst = npy[6] === 1;
  const headBytes = isFirst ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
  const text = new TextDecoder("latin1").decode(npy.subarray(0, Math.min(headBytes, 1024)));
  const [, order, type] = DTYPE.exec(text) ?? [], sides = SHAPE.exec(text);
  if (type === undefined || sides === null || /'fortran_order':\s*True/.test(text)) {
    throw refusal("it is not a NumPy file of one volume in C order");
  }
  if (!isType(type)) throw refusal("the type of its voxels is unknown");
  const shape = checkedShape([Number(sides[3]), Number(sides[2]), Number(sides[1])]);
  if (headBytes + shape[0] * shape[1] * shape[2] * Number(type[1]) !== npy.length) {
    throw refusal("its length is not that of its shape");
  }
  return { shape, dtype: dtypeOf(type, order !== ">"), npy, headBytes };
}

/**
 * Reads a volume from a NumPy (.npy) or NIfTI-1 (.nii) file, compressed with gzip or not.
 * Scaling and orientation of NIfTI are ignored: they do not change the time that a kernel takes.
 *
 * @throws {AppError} `input.invalid` for another file or voxel type, or too many voxels.
 */
export async function readOwnVolume(file: Blob): Promise<OwnVolume> {
  if (file.size > MAX_BYTES) throw refusal("it is too large");
  const start = await file.slice(0, 2).bytes();
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    const stream = file.stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
    bytes = await readBounded(
      isGzip ? stream.pipeThrough(new DecompressionStream("gzip")) : stream,
    );
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refusal("it cannot be decompressed");
  }
  if (NUMPY.every((byte, at) => bytes[at] === byte) && bytes.length > 12) return fromNpy(bytes);
  const magic = new TextDecoder("latin1").decode(bytes.subarray(MAGIC, MAGIC + 3));
  if (bytes.length > NIFTI_HEADER && magic === "n+1") return fromNifti(bytes);
  throw refusal("it is neither NumPy nor NIfTI-1");
}

/**
 * Converts a volume to bytes in plain JavaScript, as for a label map: values outside 0..255 are
 * clamped, fractions are rounded, and NaN becomes 0. The returned function writes into `out`.
 */
export function plainDecoder(
  { npy, headBytes, shape, dtype }: OwnVolume,
  out: Uint8ClampedArray,
): () => void {
  const count = shape[0] * shape[1] * shape[2], size = Number(dtype[2]);
  if (dtype.startsWith(">")) {
    const view = new DataView(npy.buffer, headBytes);
    const read = DATA_VIEW[dtype.slice(1)]!;
    return () => {
      for (let v = 0; v < count; v++) out[v] = read(view, v * size);
    };
  }
  // a typed array must begin at a multiple of the element's size
  const from = headBytes % size === 0 ? npy.buffer : npy.slice(headBytes).buffer;
  const at = headBytes % size === 0 ? headBytes : 0;
  const values = new TYPED[dtype.slice(1) as keyof typeof TYPED](from, at, count);
  return () => out.set(values as Uint8Array);
}

const DATA_VIEW: Readonly<Record<string, (view: DataView, at: number) => number>> = {
  u2: (view, at) => view.getUint16(at),
  i2: (view, at) => view.getInt16(at),
  u4: (view, at) => view.getUint32(at),
  i4: (view, at) => view.getInt32(at),
  f4: (view, at) => view.getFloat32(at),
  f8: (view, at) => view.getFloat64(at),
};
