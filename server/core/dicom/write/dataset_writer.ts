import { ATTRIBUTES, type Keyword, type Vr } from "@/server/core/dicom/write/attributes.ts";

/**
 * Attribute values by keyword; sequence items are nested data sets. `undefined` is not written;
 * `""` and `[]` are written as empty values.
 */
export type Dataset = { readonly [key in Keyword]?: DicomValue | undefined };
type DicomValue =
  | string
  | number
  | readonly (string | number)[]
  | Uint8Array
  | readonly Dataset[];

const EXPLICIT_LE = "1.2.840.10008.1.2.1";
/** Implementation Class UID of this program (PS3.7 D.3.3.2), derived from a UUID. */
const IMPLEMENTATION_UID = "2.25.335844592191243169992139246744286124585";

/** VRs with a four-byte length field (PS3.5 §7.1.2). */
const LONG_VR = new Set([
  "OB",
  "OW",
  "OF",
  "OD",
  "OL",
  "OV",
  "SQ",
  "UC",
  "UN",
  "UR",
  "UT",
  "SV",
  "UV",
]);
const BINARY_BYTES: Readonly<Partial<Record<string, number>>> = {
  AT: 4,
  FD: 8,
  FL: 4,
  UL: 4,
  US: 2,
};

export const isLongVr = (vr: string): boolean => LONG_VR.has(vr);

/** A number as text of VR DS: the closest value with at most 16 characters (PS3.5 §6.2). */
export function decimalString(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`Cannot write a decimal: ${value}`);
  const plain = String(value);
  if (plain.length <= 16) return plain;
  for (let digits = 16; digits > 0; digits--) {
    const text = value.toPrecision(digits), short = String(Number(text));
    if (short.length <= 16) return short;
  }
  throw new RangeError(`Cannot write a decimal in 16 characters: ${value}`);
}

/** A byte buffer that grows while a file is written to it. */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  constructor(readonly isLittleEndian = true) {}

  #reserve(count: number): number {
    const at = this.length, needed = at + count;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.length = needed;
    return at;
  }

  u16(value: number): void {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value, this.isLittleEndian);
  }

  u32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, this.isLittleEndian);
  }

  f32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setFloat32(at, value, this.isLittleEndian);
  }

  f64(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value, this.isLittleEndian);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, this.isLittleEndian);
  }

  /** Returns the written bytes without copying; nothing may be written afterwards. */
  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }
}

const text = new TextEncoder();
/** Attributes of a data set, sorted by tag. */
const inOrder = (dataset: Dataset): [Keyword, number, Vr][] =>
  (Object.keys(dataset) as Keyword[]).map((key): [Keyword, number, Vr] => [key, ...ATTRIBUTES[key]])
    .sort((a, b) => a[1] - b[1]);

const isItems = (vr: Vr, _value: DicomValue): _value is readonly Dataset[] => vr === "SQ";

/** Writes an element header, explicit little-endian. @returns position of the length field. */
function header(out: ByteWriter, tag: number, vr: Vr, length: number): number {
  out.u16(tag >>> 16);
  out.u16(tag & 0xffff);
  out.u16(vr.charCodeAt(0) | vr.charCodeAt(1) << 8);
  if (isLongVr(vr)) {
    out.u16(0);
    out.u32(length);
    return out.length - 4;
  }
  if (length > 0xfffe) {
    throw new RangeError(`Cannot write ${tag.toString(16)}: ${length} bytes as ${vr}`);
  }
  out.u16(length);
  return out.length - 2;
}

function writeText(out: ByteWriter, tag: number, vr: Vr, value: DicomValue): void {
  const spelt = (v: unknown) => typeof v === "number" && vr === "DS" ? decimalString(v) : String(v);
  const bytes = text.encode(Array.isArray(value) ? value.map(spelt).join("\\") : spelt(value));
  const isOdd = bytes.length % 2 === 1;
  header(out, tag, vr, bytes.length + (isOdd ? 1 : 0));
  out.raw(bytes);
  if (isOdd) out.raw(Uint8Array.of(vr === "UI" ? 0 : 0x20));
}

function writeNumbers(out: ByteWriter, tag: number, vr: Vr, value: DicomValue, size: number): void {
  const values = (Array.isArray(value) ? value : [value]) as number[];
  header(out, tag, vr, size * values.length);
  for (const v of values) {
    if (vr === "FD") out.f64(v);
    else if (vr === "FL") out.f32(v);
    else if (vr === "AT") {
      out.u16(v >>> 16);
      out.u16(v & 0xffff);
    } else if (size === 2) out.u16(v);
    else out.u32(v);
  }
}

function writeItems(out: ByteWriter, tag: number, items: readonly Dataset[]): void {
  const lengthAt = header(out, tag, "SQ", 0), start = out.length;
  for (const item of items) {
    out.u16(0xfffe);
    out.u16(0xe000);
    out.u32(0);
    const itemStart = out.length;
    writeDataset(out, item);
    out.setU32(itemStart - 4, out.length - itemStart);
  }
  out.setU32(lengthAt, out.length - start);
}

/** Writes the attributes of a data set in tag order, explicit little-endian, texts as UTF-8. */
function writeDataset(out: ByteWriter, dataset: Dataset): void {
  for (const [key, tag, vr] of inOrder(dataset)) {
    const value = dataset[key];
    if (value === undefined) continue;
    const size = BINARY_BYTES[vr];
    if (isItems(vr, value)) writeItems(out, tag, value);
    else if (value instanceof Uint8Array) {
      header(out, tag, vr, value.length + value.length % 2);
      out.raw(value);
      if (value.length % 2) out.raw(Uint8Array.of(0));
    } else if (size) writeNumbers(out, tag, vr, value, size);
    else writeText(out, tag, vr, value);
  }
}

/** Start of a Part 10 file: preamble and meta information (PS3.10 §7.1). */
export function fileHead(
  sopClassUid: string,
  sopInstanceUid: string,
  transferSyntax: string,
): Uint8Array {
  const meta = new ByteWriter();
  header(meta, 0x00020001, "OB", 2);
  meta.raw(Uint8Array.of(0, 1));
  writeText(meta, 0x00020002, "UI", sopClassUid);
  writeText(meta, 0x00020003, "UI", sopInstanceUid);
  writeText(meta, 0x00020010, "UI", transferSyntax);
  writeText(meta, 0x00020012, "UI", IMPLEMENTATION_UID);
  writeText(meta, 0x00020013, "SH", "SULCUS");
  const out = new ByteWriter();
  out.raw(new Uint8Array(128));
  out.raw(text.encode("DICM"));
  header(out, 0x00020000, "UL", 4);
  out.u32(meta.length);
  out.raw(meta.done());
  return out.done();
}

/**
 * A DICOM file that is generated in chunks,
 * so that the pixels of a segmentation need not be in memory at once.
 */
export interface DicomFile {
  seriesUid: string;
  sopClassUid: string;
  sopInstanceUid: string;
  /** source object of a derived object; absent in copies of files */
  patientId?: string;
  sizeBytes: number;
  /** transfer syntax; explicit little-endian by default */
  transferSyntax?: string;
  /** position of the pixels, which are the last element; absent without pixels, and in copies */
  pixelOffset?: number;
  /**
   * content of the file in chunks; the first chunk contains all bytes before the pixels
   * each call generates the content from the beginning
   */
  chunks(): Iterable<Uint8Array<ArrayBuffer>>;
}

/** Pixel data of a file, generated in chunks. */
export interface PixelSource {
  /** keyword of the element with the pixels; default: `PixelData` */
  element?: "FloatPixelData";
  sizeBytes: number;
  chunks(): Iterable<Uint8Array<ArrayBuffer>>;
}

/**
 * Writes a data set as a file in explicit little-endian.
 * Required attributes: series UID, SOP class UID and SOP instance UID.
 */
export function dicomFile(dataset: Dataset, pixels?: PixelSource): DicomFile {
  const sopClassUid = String(dataset.SOPClassUID), sopInstanceUid = String(dataset.SOPInstanceUID);
  const out = new ByteWriter();
  out.raw(fileHead(sopClassUid, sopInstanceUid, EXPLICIT_LE));
  writeDataset(out, { SpecificCharacterSet: "ISO_IR 192", ...dataset });
  const isOdd = pixels !== undefined && pixels.sizeBytes % 2 === 1;
  const pixelBytes = pixels ? pixels.sizeBytes + (isOdd ? 1 : 0) : 0;
  if (pixels) header(out, ...ATTRIBUTES[pixels.element ?? "PixelData"], pixelBytes);
  const head = out.done();
  return {
    seriesUid: String(dataset.SeriesInstanceUID),
    sopClassUid,
    sopInstanceUid,
    patientId: String(dataset.PatientID ?? ""),
    sizeBytes: head.length + pixelBytes,
    ...pixels && { pixelOffset: head.length },
    *chunks() {
      yield head;
      if (pixels) yield* pixels.chunks();
      if (isOdd) yield new Uint8Array(1);
    },
  };
}
