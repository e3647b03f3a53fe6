import { constants, gunzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import {
  type Affine,
  affineFromRows,
  determinant,
  invert,
  type Shape,
  spacingMm,
  type Vec3,
} from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";

/**
 * Reads NIfTI files of versions 1 and 2 (.nii, .nii.gz) with a 3D volume; writes version 1.
 * Format: Cox et al., NIfTI-1 Data Format Standard (2004), nifti1.h; nifti2.h (2011).
 * World coordinates are RAS mm, as everywhere in this program.
 */

const HEADER_BYTES = 352;
/** Compressed bytes that always contain the NIfTI header, and that unpack to at most 8 MB. */
const PACKED_HEADER_BYTES = 8192;
/** Maximum size of header extensions, and of trailing bytes, that are skipped. */
const SPARE_BYTES = 1 << 24;
/** Maximum volume size, by the engine's memory: the voxels as stored, plus a copy in 32 bits. */
const MAX_BYTES = 900e6;
/** Plausible voxel sizes of a head image, mm. */
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
  1024: {
    bytes: 8,
    read: (v, at, le) => Number(v.getBigInt64(at, le)),
    make: (n) => new Float32Array(n),
  },
  1280: {
    bytes: 8,
    read: (v, at, le) => Number(v.getBigUint64(at, le)),
    make: (n) => new Float32Array(n),
  },
  64: { bytes: 8, read: (v, at, le) => v.getFloat64(at, le), make: (n) => new Float32Array(n) },
};

/** NIfTI data types that MR voxels never have: colour and complex numbers. */
const DATATYPE_NAMES: Readonly<Record<number, string>> = {
  1: "single bits",
  32: "complex numbers",
  128: "colours",
  1536: "128-bit numbers",
  1792: "complex numbers",
  2048: "complex numbers",
  2304: "colours",
};

/** Offset and type of each header field, which differ between the versions of the format. */
interface Layout {
  headerBytes: number;
  datatype: number;
  dim: number;
  pixdim: number;
  voxOffset: number;
  slope: number;
  qformCode: number;
  sformCode: number;
  quaternion: number;
  qoffset: number;
  srow: number;
  /** a byte in version 1, 32 bits in version 2; the lowest three bits are the unit of length */
  units: number;
  floatBytes: 4 | 8;
  /** reads a field with the number of dimensions or an offset, as an integer */
  whole(view: DataView, at: number, little: boolean): number;
  wholeBytes: 2 | 8;
}

/** Header layouts of NIfTI-1 (nifti1.h) and NIfTI-2 (nifti2.h). */
const NIFTI_1: Layout = {
  headerBytes: 348,
  datatype: 70,
  dim: 40,
  pixdim: 76,
  voxOffset: 108,
  slope: 112,
  qformCode: 252,
  sformCode: 254,
  quaternion: 256,
  qoffset: 268,
  srow: 280,
  units: 123,
  floatBytes: 4,
  whole: (view, at, little) => view.getInt16(at, little),
  wholeBytes: 2,
};
const NIFTI_2: Layout = {
  headerBytes: 540,
  datatype: 12,
  dim: 16,
  pixdim: 104,
  voxOffset: 168,
  slope: 176,
  qformCode: 344,
  sformCode: 348,
  quaternion: 352,
  qoffset: 376,
  srow: 400,
  units: 500,
  floatBytes: 8,
  whole: (view, at, little) => Number(view.getBigInt64(at, little)),
  wholeBytes: 8,
};
/** Magic number: `n+1`, or `n+2` followed by bytes that a transfer in text mode would change. */
const MAGIC_1 = 0x6e2b3100, MAGIC_2 = [0x6e2b3200, 0x0d0a1a0a];

interface Fields {
  view: DataView;
  little: boolean;
  layout: Layout;
}

const floatAt = ({ view, little, layout }: Fields, at: number, index = 0): number =>
  layout.floatBytes === 8
    ? view.getFloat64(at + 8 * index, little)
    : view.getFloat32(at + 4 * index, little);

/** Codes of the two affines, sform and qform: 16 bits in version 1, 32 bits in version 2. */
const codeAt = ({ view, little, layout }: Fields, at: number): number =>
  layout === NIFTI_1 ? view.getInt16(at, little) : view.getInt32(at, little);

interface Header extends Fields {
  shape: Shape;
  count: number;
  datatype: Datatype;
  /** offset of the voxels in the file, bytes */
  offset: number;
}

/**
 * Reads a NIfTI-1 or NIfTI-2 file, also gzipped. The sform takes precedence over the qform.
 * Scaling (`scl_slope`, `scl_inter`) is applied and gives Float32Array, as do 64-bit integers.
 * Never unpacks more bytes than the header states.
 *
 * @param mayShare  Whether the voxels may be a view of `bytes`, which must then not be reused.
 * @throws {AppError} `engine.unsupported_input` for another format, 4D data, colour or complex
 * voxels, a file shorter or much longer than the header states, a missing affine, two affines that
 * are mirror images, two voxel sizes, or sizes that are not in mm. Reason `volume size`: exceeds
 * the engine's memory. Reason `voxel size`: a side is not 0.1 to 10 mm. `volume.affine_singular`.
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
  const rasFromIjk = readAffine(header);
  if (!rasFromIjk.every(Number.isFinite)) {
    throw new AppError("volume.affine_singular", "Cannot read NIfTI file: affine is not finite");
  }
  invert(rasFromIjk);
  const sides = spacingMm(rasFromIjk);
  if (sides.some((mm) => !(mm >= MIN_SPACING_MM && mm <= MAX_SPACING_MM))) {
    throw unsupported(
      `voxels of ${sides.map((mm) => mm.toPrecision(3)).join(" × ")} mm`,
      "voxel size",
    );
  }
  return {
    voxels: readVoxels(view, offset, count, datatype, little, scaleOf(header), mayShare),
    shape,
    rasFromIjk,
  };
}

/**
 * Shape and affine from the first bytes of a NIfTI file, gzipped or not.
 * @throws {AppError} as {@link decodeNifti}.
 */
export function readNiftiGrid(head: Uint8Array): Pick<Volume, "shape" | "rasFromIjk"> {
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const header = readHeader(isPacked ? unpackHeader(head) : head), rasFromIjk = readAffine(header);
  invert(rasFromIjk);
  return { shape: header.shape, rasFromIjk };
}

/** Version of the NIfTI format, by the size of the header. */
function fieldsOf(bytes: Uint8Array): Fields {
  if (bytes.length < NIFTI_1.headerBytes) throw unsupported("shorter than a header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = [348, 540].includes(view.getInt32(0, true)), size = view.getInt32(0, little);
  if (size !== 348 && size !== 540) {
    throw unsupported("its header has the size of neither NIfTI-1 nor NIfTI-2");
  }
  const layout = size === 348 ? NIFTI_1 : NIFTI_2;
  if (bytes.length < layout.headerBytes) throw unsupported("shorter than a header");
  // files without magic number are ANALYZE, without left and right, or pairs of header and image
  const isSingle = layout === NIFTI_1
    ? view.getUint32(344, false) === MAGIC_1
    : MAGIC_2.every((word, at) => view.getUint32(4 + 4 * at, false) === word);
  if (!isSingle) throw unsupported("not a single NIfTI file");
  return { view, little, layout };
}

function readHeader(bytes: Uint8Array): Header {
  const fields = fieldsOf(bytes), { view, little, layout } = fields;
  const dim = Array.from(
    { length: 8 },
    (_, i) => layout.whole(view, layout.dim + layout.wholeBytes * i, little),
  );
  const extra = dim.slice(4, 1 + dim[0]!).some((n) => n > 1);
  if (dim[0]! < 3 || dim[0]! > 7 || extra) throw unsupported(`dimensions are ${dim.slice(1)}`);
  const shape: Shape = [dim[1]!, dim[2]!, dim[3]!];
  if (shape.some((n) => n < 1)) throw unsupported(`dimensions are ${shape}`);
  const count = shape[0] * shape[1] * shape[2], code = view.getInt16(layout.datatype, little);
  const datatype = DATATYPES[code];
  if (!datatype) {
    throw unsupported(`voxels are ${DATATYPE_NAMES[code] ?? `of the unknown type ${code}`}`);
  }
  const isScaled = scaleOf(fields) !== undefined;
  if (count * ((isScaled ? 4 : Math.min(4, datatype.bytes)) + 4) > MAX_BYTES) {
    throw unsupported(`${count} voxels`, "volume size");
  }
  const start = layout === NIFTI_1
    ? floatAt(fields, layout.voxOffset)
    : layout.whole(view, layout.voxOffset, little);
  if (!(start <= SPARE_BYTES)) throw unsupported("voxels have no place");
  // four bytes after the header state whether extensions follow
  return {
    ...fields,
    shape,
    count,
    datatype,
    offset: Math.max(layout.headerBytes + 4, Math.trunc(start)),
  };
}

/** Slope and intercept of a NIfTI file; `null` if they leave the voxels unchanged. */
function scaleOf(fields: Fields): [number, number] | undefined {
  const slope = floatAt(fields, fields.layout.slope),
    inter = floatAt(fields, fields.layout.slope, 1);
  const isScaled = Number.isFinite(slope) && Number.isFinite(inter) && slope !== 0 &&
    (slope !== 1 || inter !== 0);
  return isScaled ? [slope, inter] : undefined;
}

function unpackHeader(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes.subarray(0, PACKED_HEADER_BYTES), {
      finishFlush: constants.Z_SYNC_FLUSH,
    });
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
  const isDirect = little && native.BYTES_PER_ELEMENT === datatype.bytes &&
    datatype !== DATATYPES[768];
  let voxels: VoxelArray;
  if (isDirect) {
    const start = view.byteOffset + offset, make = native.constructor as DirectArray;
    const isAligned = start % datatype.bytes === 0;
    voxels = mayShare && isAligned
      ? new make(view.buffer as ArrayBuffer, start, count)
      : new make(view.buffer.slice(start, start + count * datatype.bytes) as ArrayBuffer, 0, count);
  } else {
    voxels = datatype.make(count);
    for (let i = 0; i < count; i++) {
      voxels[i] = datatype.read(view, offset + i * datatype.bytes, little);
    }
  }
  if (!scale) return voxels;
  const out = new Float32Array(count);
  for (let i = 0; i < count; i++) out[i] = voxels[i]! * scale[0] + scale[1];
  return out;
}

const quaternionOf = (fields: Fields): Vec3 =>
  [0, 1, 2].map((n) => floatAt(fields, fields.layout.quaternion, n)) as Vec3;

/** Tolerance for the length of a rotation's quaternion, which is rounded. */
const QUATERNION_ROUNDING = 1e-3;

/**
 * Checks a qform that is the file's only affine.
 * @throws {AppError} for negative voxel sizes, which would exchange left and right, and for a
 * quaternion that is no rotation.
 */
function checkQform(fields: Fields): void {
  const sizes = [1, 2, 3].map((n) => floatAt(fields, fields.layout.pixdim, n));
  if (sizes.some((mm) => mm < 0)) throw unsupported(`its qform has voxels of ${sizes.join(" × ")}`);
  if (Math.hypot(...quaternionOf(fields)) > 1 + QUATERNION_ROUNDING) {
    throw unsupported("its qform is no rotation");
  }
}

/** Affine by the qform; `null` if the file has no qform. */
function readQform(fields: Fields): Affine<"Ras", "Ijk"> | null {
  const { layout } = fields;
  if (codeAt(fields, layout.qformCode) <= 0) return null;
  const quaternion = quaternionOf(fields), length = Math.max(1, Math.hypot(...quaternion));
  const [b, c, d] = quaternion.map((part) => part / length) as Vec3;
  const [x, y, z] = [0, 1, 2].map((n) => floatAt(fields, layout.qoffset, n)) as Vec3;
  const a = Math.sqrt(Math.max(0, 1 - b * b - c * c - d * d));
  const qfac = floatAt(fields, layout.pixdim) < 0 ? -1 : 1;
  const [px, py, pz] = [1, 2, 3].map((n) =>
    floatAt(fields, layout.pixdim, n) * (n === 3 ? qfac : 1)
  ) as Vec3;
  return affineFromRows([
    [(a * a + b * b - c * c - d * d) * px, 2 * (b * c - a * d) * py, 2 * (b * d + a * c) * pz, x],
    [2 * (b * c + a * d) * px, (a * a + c * c - b * b - d * d) * py, 2 * (c * d - a * b) * pz, y],
    [2 * (b * d - a * c) * px, 2 * (c * d + a * b) * py, (a * a + d * d - c * c - b * b) * pz, z],
    [0, 0, 0, 1],
  ]);
}

function readSform(fields: Fields): Affine<"Ras", "Ijk"> | null {
  const { layout } = fields;
  if (codeAt(fields, layout.sformCode) <= 0) return null;
  const row = (r: number) => [0, 1, 2, 3].map((c) => floatAt(fields, layout.srow, 4 * r + c));
  return affineFromRows([row(0), row(1), row(2), [0, 0, 0, 1]]);
}

/** Orientation of the voxel axes as three letters, for example RAS. */
const directionsOf = (affine: Affine<"Ras", "Ijk">): string =>
  [0, 1, 2].map((axis) => {
    const column = [0, 1, 2].map((r) => affine[4 * axis + r]!);
    const along = column.reduce(
      (most, x, at) => Math.abs(x) > Math.abs(column[most]!) ? at : most,
      0,
    );
    return ["LR", "PA", "IS"][along]![column[along]! > 0 ? 1 : 0];
  }).join("");

/** Offset of the byte with the unit of length: in version 2 the lowest byte of 32 bits. */
const unitsAt = ({ layout, little }: Fields): number =>
  layout.units + (layout === NIFTI_2 && !little ? 3 : 0);

/** Units of length other than mm, by their NIfTI code. */
const OTHER_UNITS: Readonly<Record<number, string>> = { 1: "metres", 3: "micrometres" };

/** Tolerance for the ratio of two voxel sizes of one file, which are rounded. */
const SIZE_ROUNDING = 0.005;

const sizesIn = (sizes: readonly number[]): string =>
  `${sizes.map((mm) => mm.toPrecision(3)).join(" × ")} mm`;

/**
 * Checks that the voxel sizes of an sform are those of `pixdim`: a registration with scaling, for
 * example to a template, can leave an sform that changes the size of the head.
 * @throws {AppError} naming both.
 */
function checkSizes(fields: Fields, sform: Affine<"Ras", "Ijk">): void {
  const stated = [1, 2, 3].map((n) => Math.abs(floatAt(fields, fields.layout.pixdim, n)));
  const sizes = spacingMm(sform);
  // an axis without length is refused later, as a singular affine
  const isOther = stated.some((mm, n) =>
    mm > 0 && sizes[n]! > 0 && Math.abs(sizes[n]! / mm - 1) > SIZE_ROUNDING
  );
  if (!isOther) return;
  throw unsupported(
    `it states voxels of ${sizesIn(sizes)} (sform) and ${sizesIn(stated)} (pixdim), ` +
      "as after a registration that scales; use the file before it was registered",
  );
}

/**
 * Checks unit and affines. @throws {AppError} if sizes are not in mm, if there is no affine, a wrong
 * qform, two voxel sizes, or two affines that are mirror images: one exchanges left and right.
 */
function readAffine(fields: Fields): Affine<"Ras", "Ijk"> {
  const unit = OTHER_UNITS[fields.view.getUint8(unitsAt(fields)) & 7];
  if (unit) throw unsupported(`its sizes are in ${unit}, not in mm`);
  const sform = readSform(fields), qform = readQform(fields), affine = sform ?? qform;
  if (!affine) throw unsupported("no affine");
  if (sform && qform && determinant(sform) * determinant(qform) < 0) {
    throw unsupported(
      `its two affines are mirror images, and one of them exchanges left and right: sform ${
        directionsOf(sform)
      }, qform ${directionsOf(qform)}`,
    );
  }
  if (sform) checkSizes(fields, sform);
  else checkQform(fields);
  return affine;
}

const DATATYPE_CODES: Readonly<Record<string, number>> = {
  Uint8Array: 2,
  Int16Array: 4,
  Int32Array: 8,
  Float32Array: 16,
  Int8Array: 256,
  Uint16Array: 512,
};

/**
 * Writes a volume as an uncompressed NIfTI-1 file (.nii).
 * The affine is stored as sform, code 1 (scanner).
 */
export function encodeNifti(volume: Volume): Uint8Array {
  const { voxels } = volume, out = new Uint8Array(HEADER_BYTES + voxels.byteLength);
  out.set(headerOf(volume));
  out.set(new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength), HEADER_BYTES);
  return out;
}

/** As {@link encodeNifti}, in chunks: the header, then views of the voxels without copying. */
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
  view.setUint8(123, 2); // unit of the spacing: mm
  view.setInt16(254, 1, true);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 4; c++) view.setFloat32(280 + 16 * r + 4 * c, rasFromIjk[c * 4 + r]!, true);
  }
  out.set([0x6e, 0x2b, 0x31, 0], 344);
  return out;
}
