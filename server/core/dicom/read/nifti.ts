import { constants, gunzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import { type Affine, affineFromRows, invert, type Shape, spacingMm } from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";

/**
 * NIfTI-1 single files (.nii, .nii.gz), one 3D volume. Format: Cox et al., NIfTI-1 Data Format Standard (2004),
 * nifti1.h. World coordinates are RAS mm, as ours.
 */

const HEADER_BYTES = 352;
/** Packed bytes that surely hold the header; they unpack to 8 MB at most. */
const PACKED_HEADER_BYTES = 8192;
/** Header extensions before the voxels, and bytes after them, that are passed over. */
const SPARE_BYTES = 1 << 24;
/** What the engine's memory has room for: the voxels as they are read, and once more as 32-bit numbers. */
const MAX_BYTES = 900e6;
/** Voxel sides that an image of a head can have, mm. */
const MIN_SPACING_MM = 0.1, MAX_SPACING_MM = 10;

const unsupported = (what: string, reason = "nifti") =>
  new AppError("engine.unsupported_input", `Cannot read NIfTI file: ${what}`, { reason });

interface Datatype {
  bytes: number;
  read: (view: DataView, at: number, little: boolean) => number;
  make: (count: number) => VoxelArray;
}

const DATATYPES: Readonly<Record<number, Datatype>> = {
  2: { bytes: 1, read: (v, at) => v.getUint8(at), make: (n) => new Uint8Array(n) },
  256: { bytes: 1, read: (v, at) => v.getInt8(at), make: (n) => new Int8Array(n) },
  4: { bytes: 2, read: (v, at, le) => v.getInt16(at, le), make: (n) => new Int16Array(n) },
  512: { bytes: 2, read: (v, at, le) => v.getUint16(at, le), make: (n) => new Uint16Array(n) },
  8: { bytes: 4, read: (v, at, le) => v.getInt32(at, le), make: (n) => new Int32Array(n) },
  768: { bytes: 4, read: (v, at, le) => v.getUint32(at, le), make: (n) => new Float32Array(n) },
  16: { bytes: 4, read: (v, at, le) => v.getFloat32(at, le), make: (n) => new Float32Array(n) },
  64: { bytes: 8, read: (v, at, le) => v.getFloat64(at, le), make: (n) => new Float32Array(n) },
};

interface Header {
  view: DataView;
  little: boolean;
  shape: Shape;
  count: number;
  datatype: Datatype;
  /** where the voxels start */
  offset: number;
}

/**
 * Reads a NIfTI-1 file; gzip is recognised. Scaling (`scl_slope`, `scl_inter`) is applied, then voxels are
 * Float32Array. The sform wins over the qform. Never unpacks more than the header says.
 *
 * @param mayShare  The voxels may be a view of `bytes`, which is not used for anything else then.
 * @throws {AppError} `engine.unsupported_input` for another format, 4D data, colour or complex voxels, a file
 *   shorter or much longer than its header says, a file without an affine; with reason `volume size` when the engine
 *   has no room for it, `voxel size` when a side is not 0.1 to 10 mm; `volume.affine_singular`.
 */
export function decodeNifti(bytes: Uint8Array, mayShare = false): Volume {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let header = readHeader(isPacked ? unpackHeader(bytes) : bytes);
  const wanted = header.offset + header.count * header.datatype.bytes;
  if (isPacked) {
    bytes = unpack(bytes, wanted + SPARE_BYTES);
    header = readHeader(bytes);
  }
  if (wanted > bytes.length) throw unsupported("voxels are cut off");
  const { view, little, shape, count, datatype, offset } = header;
  const rasFromIjk = readAffine(view, little);
  if (!rasFromIjk.every(Number.isFinite)) {
    throw new AppError("volume.affine_singular", "Cannot read NIfTI file: affine is not finite");
  }
  invert(rasFromIjk);
  const sides = spacingMm(rasFromIjk);
  if (sides.some((mm) => !(mm >= MIN_SPACING_MM && mm <= MAX_SPACING_MM))) {
    throw unsupported(`voxels of ${sides.map((mm) => mm.toPrecision(3)).join(" × ")} mm`, "voxel size");
  }
  return {
    voxels: readVoxels(view, offset, count, datatype, little, scaleOf(view, little), mayShare),
    shape,
    rasFromIjk,
  };
}

/** Shape and place of a NIfTI-1 file from its beginning, packed or not. @throws {AppError} as {@link decodeNifti}. */
export function readNiftiGrid(head: Uint8Array): Pick<Volume, "shape" | "rasFromIjk"> {
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const { view, little, shape } = readHeader(isPacked ? unpackHeader(head) : head);
  const rasFromIjk = readAffine(view, little);
  invert(rasFromIjk);
  return { shape, rasFromIjk };
}

function readHeader(bytes: Uint8Array): Header {
  if (bytes.length < HEADER_BYTES - 4) throw unsupported("shorter than a header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = view.getInt32(0, true) === 348;
  if (!little && view.getInt32(0, false) !== 348) throw unsupported("header size is not 348");
  // Without it this is ANALYZE, which does not say left from right, or the header of a pair of files.
  if (view.getUint32(344, false) !== 0x6e2b3100) throw unsupported("not a single NIfTI-1 file");
  const dim = Array.from({ length: 8 }, (_, i) => view.getInt16(40 + 2 * i, little));
  const extra = dim.slice(4, 1 + dim[0]!).some((n) => n > 1);
  if (dim[0]! < 3 || dim[0]! > 7 || extra) throw unsupported(`dimensions are ${dim.slice(1)}`);
  const shape: Shape = [dim[1]!, dim[2]!, dim[3]!];
  if (shape.some((n) => n < 1)) throw unsupported(`dimensions are ${shape}`);
  const count = shape[0] * shape[1] * shape[2];
  const datatype = DATATYPES[view.getInt16(70, little)];
  if (!datatype) throw unsupported(`datatype ${view.getInt16(70, little)}`);
  const isScaled = scaleOf(view, little) !== undefined;
  if (count * ((isScaled ? 4 : Math.min(4, datatype.bytes)) + 4) > MAX_BYTES) {
    throw unsupported(`${count} voxels`, "volume size");
  }
  const start = view.getFloat32(108, little);
  if (!(start <= SPARE_BYTES)) throw unsupported("voxels have no place");
  return { view, little, shape, count, datatype, offset: Math.max(HEADER_BYTES, Math.trunc(start)) };
}

/** Slope and intercept that change the voxels. */
function scaleOf(view: DataView, little: boolean): [number, number] | undefined {
  const slope = view.getFloat32(112, little), inter = view.getFloat32(116, little);
  const isScaled = Number.isFinite(slope) && Number.isFinite(inter) && slope !== 0 &&
    (slope !== 1 || inter !== 0);
  return isScaled ? [slope, inter] : undefined;
}

function unpackHeader(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes.subarray(0, PACKED_HEADER_BYTES), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    throw unsupported("gzip data are damaged");
  }
}

function unpack(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength });
  } catch (error) {
    const isLong = error instanceof RangeError;
    throw unsupported(isLong ? "more data than its header says" : "gzip data are damaged");
  }
}

type DirectArray = new (buffer: ArrayBuffer, offset: number, length: number) => VoxelArray;

function readVoxels(
  view: DataView,
  offset: number,
  count: number,
  datatype: Datatype,
  little: boolean,
  scale: [number, number] | undefined,
  mayShare: boolean,
): VoxelArray {
  const native = datatype.make(0);
  const isDirect = little && native.BYTES_PER_ELEMENT === datatype.bytes && datatype !== DATATYPES[768];
  let voxels: VoxelArray;
  if (isDirect) {
    const start = view.byteOffset + offset, make = native.constructor as DirectArray;
    const isAligned = start % datatype.bytes === 0;
    voxels = mayShare && isAligned
      ? new make(view.buffer as ArrayBuffer, start, count)
      : new make(view.buffer.slice(start, start + count * datatype.bytes) as ArrayBuffer, 0, count);
  } else {
    voxels = datatype.make(count);
    for (let i = 0; i < count; i++) voxels[i] = datatype.read(view, offset + i * datatype.bytes, little);
  }
  if (!scale) return voxels;
  const out = new Float32Array(count);
  for (let i = 0; i < count; i++) out[i] = voxels[i]! * scale[0] + scale[1];
  return out;
}

function readAffine(view: DataView, little: boolean): Affine<"Ras", "Ijk"> {
  const float = (at: number) => view.getFloat32(at, little);
  if (view.getInt16(254, little) > 0) {
    const row = (r: number) => [0, 1, 2, 3].map((c) => float(280 + 16 * r + 4 * c));
    return affineFromRows([row(0), row(1), row(2), [0, 0, 0, 1]]);
  }
  if (view.getInt16(252, little) <= 0) throw unsupported("no affine");
  const [b, c, d] = [float(256), float(260), float(264)];
  const a = Math.sqrt(Math.max(0, 1 - b * b - c * c - d * d));
  const qfac = float(76) < 0 ? -1 : 1;
  const [px, py, pz] = [float(80), float(84), float(88) * qfac];
  return affineFromRows([
    [(a * a + b * b - c * c - d * d) * px, 2 * (b * c - a * d) * py, 2 * (b * d + a * c) * pz, float(268)],
    [2 * (b * c + a * d) * px, (a * a + c * c - b * b - d * d) * py, 2 * (c * d - a * b) * pz, float(272)],
    [2 * (b * d - a * c) * px, 2 * (c * d + a * b) * py, (a * a + d * d - c * c - b * b) * pz, float(276)],
    [0, 0, 0, 1],
  ]);
}

const DATATYPE_CODES: Readonly<Record<string, number>> = {
  Uint8Array: 2,
  Int16Array: 4,
  Int32Array: 8,
  Float32Array: 16,
  Int8Array: 256,
  Uint16Array: 512,
};

/** Writes a volume as an uncompressed NIfTI-1 file (.nii) with its affine as sform, code 1 (scanner). */
export function encodeNifti(volume: Volume): Uint8Array {
  const { voxels } = volume, out = new Uint8Array(HEADER_BYTES + voxels.byteLength);
  out.set(headerOf(volume));
  out.set(new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength), HEADER_BYTES);
  return out;
}

/** {@link encodeNifti} in pieces: the header, and views of the voxels, which are not copied. */
export function* niftiPieces(volume: Volume, pieceBytes: number): Generator<Uint8Array> {
  yield headerOf(volume);
  const { buffer, byteOffset, byteLength } = volume.voxels;
  for (let at = 0; at < byteLength; at += pieceBytes) {
    yield new Uint8Array(buffer, byteOffset + at, Math.min(pieceBytes, byteLength - at));
  }
}

function headerOf({ voxels, shape, rasFromIjk }: Volume): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES), view = new DataView(out.buffer);
  view.setInt32(0, 348, true);
  [3, ...shape, 1, 1, 1, 1].forEach((n, i) => view.setInt16(40 + 2 * i, n, true));
  view.setInt16(70, DATATYPE_CODES[voxels.constructor.name]!, true);
  view.setInt16(72, voxels.BYTES_PER_ELEMENT * 8, true);
  [1, ...spacingMm(rasFromIjk), 0, 0, 0, 0].forEach((p, i) => view.setFloat32(76 + 4 * i, p, true));
  view.setFloat32(108, HEADER_BYTES, true);
  view.setFloat32(112, 1, true);
  view.setUint8(123, 2); // mm
  view.setInt16(254, 1, true);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 4; c++) view.setFloat32(280 + 16 * r + 4 * c, rasFromIjk[c * 4 + r]!, true);
  }
  out.set([0x6e, 0x2b, 0x31, 0], 344);
  return out;
}
