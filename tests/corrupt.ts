import { deflateRawSync, gzipSync } from "node:zlib";
import type { Shape } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { axes, tilted } from "@/server/commands/demo/phantom/grid.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import { keptHead } from "@/server/commands/demo/phantom/kept_head.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import {
  makeSeries,
  type PhantomFile,
  type SeriesOptions,
} from "@/server/commands/demo/phantom/dicom/series.ts";
import { corruptVolumes } from "@/tests/corrupt_volumes.ts";

/** A damaged input by the part of the product that reads it; created on request: some are large. */
export type CorruptCase =
  & { name: string }
  & (
    | { kind: "nifti"; bytes: () => Uint8Array }
    | { kind: "instance"; bytes: () => Uint8Array }
    | { kind: "series"; files: () => PhantomFile[] }
    | { kind: "volume"; volume: () => Volume }
  );

/** NIfTI file of a small head: 36 × 44 × 40 voxels of 16 bits and 5 mm, slightly oblique. */
function smallNifti(head: Head): Uint8Array {
  const shape: Shape = [36, 44, 40];
  const { voxels, rasFromIjk } = makeSeries(head, {
    grid: {
      shape,
      centreRasMm: [0, -14, 10],
      directions: tilted(axes("RAS"), [5, 3, -4]),
      spacingMm: [5, 5, 5],
    },
    sliceThicknessMm: 5,
  });
  return encodeNifti({ voxels, shape, rasFromIjk });
}

/** Byte offsets of fields in a NIfTI-1 header. */
const AT = {
  dim: 40,
  datatype: 70,
  pixdim: 76,
  offset: 108,
  slope: 112,
  inter: 116,
  qform: 252,
  sform: 254,
};
const SFORM_ROWS = 280, MAGIC = 344;

function edited(bytes: Uint8Array, edit: (view: DataView) => void): Uint8Array {
  const copy = bytes.slice();
  edit(new DataView(copy.buffer));
  return copy;
}

function flipBits(
  bytes: Uint8Array,
  random: Random,
  from: number,
  to: number,
  bits: number,
): Uint8Array {
  const copy = bytes.slice();
  for (let n = 0; n < bits; n++) {
    const at = from + Math.floor(random.uniform() * (to - from));
    copy[at]! ^= 1 << (random.bits() & 7);
  }
  return copy;
}

const noise = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random.bits() & 255);

/** Converts a file to big-endian byte order; valid only if all numbers are converted. */
function bigEndian(bytes: Uint8Array, isComplete: boolean): Uint8Array {
  const out = bytes.slice(), view = new DataView(out.buffer);
  const turn = (from: number, to: number, size: number) => {
    for (let at = from; at < to; at += size) out.subarray(at, at + size).reverse();
  };
  turn(0, 4, 4);
  if (!isComplete) return out;
  turn(40, 56, 2);
  turn(68, 76, 2);
  turn(76, 120, 4);
  turn(252, 256, 2);
  turn(256, 328, 4);
  turn(view.getFloat32(AT.offset, false), out.length, 2);
  return out;
}

/** A gzip file with a valid header and then gigabytes of zeros, in members of 64 MB. */
function gzipBomb(header: Uint8Array, gigabytes: number): Uint8Array {
  const parts = [
    gzipSync(header),
    ...Array(gigabytes * 16).fill(gzipSync(new Uint8Array(1 << 26))),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

function niftiCases(head: Head): CorruptCase[] {
  const good = smallNifti(head), packed = new Uint8Array(gzipSync(good));
  const cases: CorruptCase[] = [];
  const add = (name: string, bytes: () => Uint8Array) => cases.push({ kind: "nifti", name, bytes });
  const edit = (name: string, change: (view: DataView) => void) =>
    add(name, () => edited(good, change));
  for (let n = 0; n < 50; n++) {
    const random = new Random(1000 + n);
    add(`truncated ${n}`, () => good.subarray(0, Math.floor(random.uniform() ** 2 * good.length)));
    add(
      `truncated gzip ${n}`,
      () => packed.subarray(0, Math.floor(random.uniform() * packed.length)),
    );
    add(`header bits ${n}`, () => flipBits(good, random, 0, 348, 1 + n % 12));
    add(`geometry bits ${n}`, () => flipBits(good, random, 40, 120, 1 + n % 4));
  }
  for (let n = 0; n < 20; n++) {
    const random = new Random(2000 + n);
    add(`affine bits ${n}`, () => flipBits(good, random, SFORM_ROWS, MAGIC, 1 + n % 3));
    add(`gzip bits ${n}`, () => flipBits(packed, random, 0, packed.length, 1 + n));
    add(`random bytes ${n}`, () => noise(random, Math.floor(random.uniform() * 5000)));
    add(`random bytes behind a header size ${n}`, () => {
      const bytes = noise(random, 4000);
      bytes.set(good.subarray(0, 4));
      if (n % 2 === 0) bytes.set(good.subarray(MAGIC, MAGIC + 4), MAGIC);
      return bytes;
    });
  }
  const dims = (...n: number[]) => (view: DataView) =>
    n.forEach((d, i) => view.setInt16(AT.dim + 2 * i, d, true));
  edit("1024³ voxels announced", dims(3, 1024, 1024, 1024));
  edit("32767³ voxels announced", dims(3, 32767, 32767, 32767));
  add("640³ voxels, all of them there", () => {
    const header = edited(good.subarray(0, 352), (view) => {
      dims(3, 640, 640, 640)(view);
      view.setInt16(AT.datatype, 2, true);
    });
    return new Uint8Array(
      gzipSync(Buffer.concat([header, new Uint8Array(640 ** 3)]), { level: 1 }),
    );
  });
  edit("two negative dimensions", dims(3, -36, -44, 40));
  edit("a dimension of zero", dims(3, 36, 0, 40));
  edit("seven dimensions", dims(7, 2, 2, 2, 2, 2, 2, 2));
  edit("four dimensions", dims(4, 36, 44, 20, 2));
  edit("dim[0] of 300", dims(300, 36, 44, 40));
  edit("one slice", dims(3, 36, 44, 1));
  edit("one voxel", dims(3, 1, 1, 1));
  for (const type of [0, 1, 32, 128, 511, 1024, 1280, 1536, 1792, 2048, 2304, -1]) {
    edit(`datatype ${type}`, (view) => view.setInt16(AT.datatype, type, true));
  }
  for (const type of [8, 16, 64, 768]) {
    edit(`datatype ${type} of more bytes`, (view) => view.setInt16(AT.datatype, type, true));
  }
  for (const offset of [NaN, Infinity, -Infinity, -1000, 1e9, 352.5, 100, 3e38]) {
    edit(`voxels at ${offset}`, (view) => view.setFloat32(AT.offset, offset, true));
  }
  for (const slope of [NaN, Infinity, 3e38, -1, 1e-45]) {
    edit(`slope ${slope}`, (view) => view.setFloat32(AT.slope, slope, true));
    edit(`intercept ${slope}`, (view) => view.setFloat32(AT.inter, slope, true));
  }
  const affine = (values: (r: number, c: number) => number) => (view: DataView) => {
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 4; c++) view.setFloat32(SFORM_ROWS + 16 * r + 4 * c, values(r, c), true);
    }
  };
  edit("affine of zeros", affine(() => 0));
  edit("affine of equal rows", affine((_, c) => [1, 2, 3, 0][c]!));
  edit("affine with NaN", affine((r, c) => r === c ? 1 : NaN));
  edit("affine with an infinite place", affine((r, c) => c === 3 ? Infinity : Number(r === c)));
  edit("voxels of 1 × 1 × 400 mm", affine((r, c) => r === c ? [1, 1, 400][r]! : 0));
  edit("voxels of 1e-6 mm", affine((r, c) => r === c ? 1e-6 : 0));
  edit("voxels of 1e30 mm", affine((r, c) => r === c ? 1e30 : 0));
  edit("spacing of zero and no sform", (view) => {
    view.setInt16(AT.sform, 0, true);
    view.setInt16(AT.qform, 1, true);
    for (let a = 1; a < 4; a++) view.setFloat32(AT.pixdim + 4 * a, 0, true);
  });
  edit("negative spacing and no sform", (view) => {
    view.setInt16(AT.sform, 0, true);
    view.setInt16(AT.qform, 1, true);
    for (let a = 1; a < 4; a++) view.setFloat32(AT.pixdim + 4 * a, -2, true);
  });
  edit("quaternion of NaN", (view) => {
    view.setInt16(AT.sform, 0, true);
    view.setInt16(AT.qform, 1, true);
    view.setFloat32(256, NaN, true);
  });
  edit("neither sform nor qform", (view) => view.setInt32(AT.qform, 0, true));
  edit("magic of a pair of files", (view) => view.setUint32(MAGIC, 0x6e693100));
  edit("magic of nothing (ANALYZE)", (view) => view.setUint32(MAGIC, 0));
  edit("NIfTI-2 header size", (view) => view.setInt32(0, 540, true));
  add("big-endian, complete", () => bigEndian(good, true));
  add("big-endian header size only", () => bigEndian(good, false));
  add("empty file", () => new Uint8Array(0));
  add("gzip of nothing", () => new Uint8Array(gzipSync(new Uint8Array(0))));
  add("gzip within gzip", () => new Uint8Array(gzipSync(packed)));
  add("gzip bomb of 4 GB behind a good header", () => gzipBomb(good, 4));
  add(
    "gzip bomb of 1 GB in one member",
    () => new Uint8Array(gzipSync(new Uint8Array(1 << 30), { level: 1 })),
  );
  add(
    "gzip bomb whose header announces 1024³ voxels",
    () => gzipBomb(edited(good, dims(3, 1024, 1024, 1024)), 2),
  );
  return cases;
}

/** Length of the meta information, bytes: the data set starts there. */
const META_END = 300;

/** Byte offset of an element's value, found by the bytes of its tag, little-endian. */
function valueOf(bytes: Uint8Array, tag: number): number {
  const wanted = [tag >>> 16 & 255, tag >>> 24, tag & 255, tag >>> 8 & 255];
  for (let at = META_END - 160; at < bytes.length; at++) {
    if (wanted.every((b, n) => bytes[at + n] === b)) return at + 8;
  }
  throw new RangeError(`Cannot find tag ${tag.toString(16)}`);
}

const ROWS = 0x00280010, COLUMNS = 0x00280011, POSITION = 0x00200032, SPACING = 0x00280030;

/** Overwrites the value of an element with a text, truncated or padded to the value's length. */
function overwriteText(bytes: Uint8Array, tag: number, text: string): Uint8Array {
  const out = bytes.slice(), at = valueOf(out, tag);
  const length = new DataView(out.buffer).getUint16(at - 2, true);
  out.set(new TextEncoder().encode(text.padEnd(length).slice(0, length)), at);
  return out;
}

function overwriteNumber(bytes: Uint8Array, tag: number, value: number): Uint8Array {
  const out = bytes.slice();
  new DataView(out.buffer).setUint16(valueOf(out, tag), value, true);
  return out;
}

/** Inserts sequences nested `depth` levels deep before the data set, explicit little-endian. */
function nested(bytes: Uint8Array, depth: number): Uint8Array {
  const item = Uint8Array.of(
    ...[0x08, 0x00, 0x15, 0x11, 0x53, 0x51, 0, 0, 255, 255, 255, 255],
    ...[0xfe, 0xff, 0x00, 0xe0, 255, 255, 255, 255],
  );
  const head = bytes.subarray(
    0,
    132 + 12 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(140, true),
  );
  return new Uint8Array(Buffer.concat([head, ...Array(depth).fill(item)]));
}

/** A file with a deflated data set that inflates to a gigabyte. */
function deflateBomb(bytes: Uint8Array): Uint8Array {
  const meta = bytes.slice(0, META_END);
  const at = Buffer.from(meta).indexOf("1.2.840.10008.1.2.1\0");
  const start = 132 + 12 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(140, true);
  const longer = Buffer.concat([
    meta.subarray(0, at - 2),
    Uint8Array.of(22, 0),
    new TextEncoder().encode("1.2.840.10008.1.2.1.99"),
    meta.subarray(at + 20, start),
    deflateRawSync(new Uint8Array(1 << 30), { level: 1 }),
  ]);
  new DataView(longer.buffer, longer.byteOffset).setUint32(140, start - 144 + 2, true);
  return new Uint8Array(longer);
}

const SERIES: Partial<SeriesOptions> = {
  grid: {
    shape: [40, 48, 44],
    centreRasMm: [0, -14, 10],
    directions: axes("LPS"),
    spacingMm: [5, 5, 3.4],
  },
  sliceThicknessMm: 3.4,
};

function instanceCases(head: Head): CorruptCase[] {
  const cases: CorruptCase[] = [];
  const add = (name: string, bytes: () => Uint8Array) =>
    cases.push({ kind: "instance", name, bytes });
  const encodings = ["explicit", "implicit", "big_endian", "rle", "jpeg_lossless"] as const;
  const goods = encodings.map((encoding) =>
    makeSeries(head, { ...SERIES, encoding }).files[20]!.bytes
  );
  for (const [e, encoding] of encodings.entries()) {
    const good = goods[e]!;
    for (let n = 0; n < 12; n++) {
      const random = new Random(3000 + 100 * e + n);
      add(
        `${encoding} truncated ${n}`,
        () => good.subarray(0, Math.floor(random.uniform() * good.length)),
      );
      add(`${encoding} header bits ${n}`, () => flipBits(good, random, 132, 1500, 1 + 2 * n));
    }
  }
  const good = goods[0]!;
  for (let n = 0; n < 8; n++) {
    const random = new Random(4000 + n);
    add(`random bytes ${n}`, () => noise(random, Math.floor(random.uniform() * 20000)));
    add(`random bytes behind DICM ${n}`, () => {
      const bytes = noise(random, 3000);
      bytes.set(good.subarray(0, 132));
      return bytes;
    });
    add(`any bits ${n}`, () => flipBits(good, random, 128, good.length, 400));
  }
  add(
    "65535 rows and columns",
    () => overwriteNumber(overwriteNumber(good, ROWS, 65535), COLUMNS, 65535),
  );
  add(
    "65535 rows and columns, RLE",
    () => overwriteNumber(overwriteNumber(goods[3]!, ROWS, 65535), COLUMNS, 65535),
  );
  add("no rows", () => overwriteNumber(good, ROWS, 0));
  add("spacing of zero", () => overwriteText(good, SPACING, "0\\0"));
  add("negative spacing", () => overwriteText(good, SPACING, "-5\\-5"));
  add("spacing of 1e30", () => overwriteText(good, SPACING, "1e30\\5"));
  add("position of NaN", () => overwriteText(good, POSITION, "NaN\\0\\0"));
  add("position of 1e300", () => overwriteText(good, POSITION, "1e300\\1e300\\1"));
  add("items 20 000 deep", () => nested(good, 20_000));
  add("deflated data set of 1 GB", () => deflateBomb(good));
  add("empty file", () => new Uint8Array(0));
  add("only the preamble", () => good.slice(0, 132));
  return cases;
}

function seriesCases(head: Head): CorruptCase[] {
  const cases: CorruptCase[] = [];
  const memo = new Map<string, PhantomFile[]>();
  const filesOf = (options: Partial<SeriesOptions> = {}) => {
    const key = JSON.stringify(options);
    if (!memo.has(key)) memo.set(key, makeSeries(head, { ...SERIES, ...options }).files);
    return memo.get(key)!.map((file) => ({ ...file }));
  };
  const add = (name: string, files: () => PhantomFile[]) =>
    cases.push({ kind: "series", name, files });
  const changeAll = (
    change: (bytes: Uint8Array, n: number) => Uint8Array,
    options?: Partial<SeriesOptions>,
  ) => filesOf(options).map(({ fileName, bytes }, n) => ({ fileName, bytes: change(bytes, n) }));
  for (let n = 0; n < 6; n++) {
    const random = new Random(5000 + n);
    add(
      `header bits of every file ${n}`,
      () => changeAll((bytes) => flipBits(bytes, random, 140, 1400, 1)),
    );
    add(
      `one file with header bits ${n}`,
      () => changeAll((bytes, at) => at === 20 ? flipBits(bytes, random, 140, 1400, 3) : bytes),
    );
    add(`damaged pixels ${n}`, () => {
      const encoding = n % 2 === 0 ? "rle" as const : "jpeg_lossless" as const;
      return changeAll((b) => flipBits(b, random, b.length - 600, b.length - 20, 30), { encoding });
    });
  }
  add("one slice", () => filesOf().slice(0, 1));
  add("two slices", () => filesOf().slice(0, 2));
  add(
    "all slices at one place",
    () => changeAll((bytes) => overwriteText(bytes, POSITION, "0\\0\\0")),
  );
  add(
    "steps of 400 mm",
    () => changeAll((bytes, n) => overwriteText(bytes, POSITION, `0\\0\\${400 * n}`)),
  );
  add("a missing slice", () => filesOf().filter((_, n) => n !== 20));
  add("pixels of random numbers", () => {
    const random = new Random(6001);
    return changeAll((bytes) => {
      const out = bytes.slice();
      out.set(noise(random, 3840), out.length - 3840);
      return out;
    });
  });
  add(
    "slices of two sizes",
    () => changeAll((bytes, n) => n % 2 ? bytes : overwriteNumber(bytes, ROWS, 40)),
  );
  return cases;
}

/** More than 500 damaged inputs, the same in each run. */
export function corruptCases(): CorruptCase[] {
  const head = keptHead({ resolutionMm: 2 });
  const volumes = corruptVolumes(head).map(({ name, volume }) => ({
    kind: "volume" as const,
    name,
    volume,
  }));
  return [...niftiCases(head), ...instanceCases(head), ...seriesCases(head), ...volumes];
}
