import { losslessJpeg } from "@/server/commands/demo/phantom/dicom/jpeg_lossless.ts";

/** Pixel encodings (transfer syntaxes) in which a file can be written. */
export type PixelEncoding = "explicit" | "implicit" | "big_endian" | "rle" | "jpeg_lossless";

const SYNTAX: Readonly<Record<PixelEncoding, string>> = {
  explicit: "1.2.840.10008.1.2.1",
  implicit: "1.2.840.10008.1.2",
  big_endian: "1.2.840.10008.1.2.2",
  rle: "1.2.840.10008.1.2.5",
  jpeg_lossless: "1.2.840.10008.1.2.4.70",
};

/** Character sets that the writer can encode. */
export type CharacterSet = "ISO_IR 192" | "ISO 2022 IR 149" | "ISO_IR 100";

/** One data element: tag as 0xGGGGEEEE, value representation, values; for SQ, items of elements. */
export type Element = readonly [tag: number, vr: string, value: ElementValue];
type ElementValue = string | number | readonly (string | number)[] | Items;

/** Items of a sequence; each is a list of elements in any order. */
export class Items {
  constructor(readonly items: readonly (readonly Element[])[]) {}
}

interface DicomImage {
  columns: number;
  rows: number;
  /** pixels of one frame, or of all frames one after another */
  pixels: Int16Array | Uint16Array;
}

const LONG_VR = new Set(["OB", "OW", "SQ", "UN", "UT"]);
const IS_TEXT = new Set(["PN", "LO", "SH", "LT", "ST", "UT"]);
const BINARY_BYTES: Readonly<Record<string, number>> = { US: 2, SS: 2, UL: 4, SL: 4, FD: 8 };

/**
 * Writes one DICOM Part 10 file: meta information,
 * `elements` in tag order, and the image, unless `image` is undefined.
 * The character set element is written from `characterSet`; rows, columns and bits from the image.
 */
export function writeInstance(
  elements: readonly Element[],
  image: DicomImage | undefined,
  encoding: PixelEncoding,
  characterSet: CharacterSet,
): Uint8Array {
  const value = (tag: number) => String(elements.find((e) => e[0] === tag)?.[2] ?? "");
  const declared = characterSet === "ISO 2022 IR 149" ? "\\ISO 2022 IR 149" : characterSet;
  const allElements: Element[] = [...elements, [0x00080005, "CS", declared]];
  if (image) {
    const isSigned = image.pixels instanceof Int16Array;
    allElements.push(
      [0x00280002, "US", 1],
      [0x00280004, "CS", "MONOCHROME2"],
      [0x00280010, "US", image.rows],
      [0x00280011, "US", image.columns],
      [0x00280100, "US", 16],
      [0x00280101, "US", isSigned ? 16 : 12],
      [0x00280102, "US", isSigned ? 15 : 11],
      [0x00280103, "US", isSigned ? 1 : 0],
    );
  }
  const meta = new ElementWriter(true, false, "ISO_IR 100");
  meta.element([0x00020002, "UI", value(0x00080016)]);
  meta.element([0x00020003, "UI", value(0x00080018)]);
  meta.element([0x00020010, "UI", SYNTAX[encoding]]);
  meta.element([0x00020012, "UI", "2.25.105104103102101"]);
  const metaBytes = meta.done();
  const head = new ElementWriter(true, false, "ISO_IR 100");
  head.raw(new Uint8Array(128));
  head.raw(new TextEncoder().encode("DICM"));
  head.element([0x00020000, "UL", metaBytes.length + 14]);
  head.raw(Uint8Array.of(0x02, 0, 0x01, 0, 0x4f, 0x42, 0, 0, 2, 0, 0, 0, 0, 1));
  head.raw(metaBytes);
  const body = new ElementWriter(encoding !== "implicit", encoding === "big_endian", characterSet);
  for (const element of allElements.toSorted((a, b) => a[0] - b[0])) body.element(element);
  if (image) body.pixels(image, encoding);
  head.raw(body.done());
  return head.done();
}

/** Writes data elements into a growing buffer. */
class ElementWriter {
  #parts: Uint8Array[] = [];

  constructor(
    readonly isExplicit: boolean,
    readonly isBigEndian: boolean,
    readonly characterSet: CharacterSet,
  ) {}

  raw(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  done(): Uint8Array {
    const out = new Uint8Array(this.#parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }

  element([tag, vr, value]: Element): void {
    if (value instanceof Items) return this.sequence(tag, value);
    const values = Array.isArray(value)
      ? value as readonly (string | number)[]
      : [value as string | number];
    const size = BINARY_BYTES[vr];
    let bytes: Uint8Array;
    if (size) {
      bytes = new Uint8Array(size * values.length);
      const view = new DataView(bytes.buffer);
      for (const [i, v] of values.entries()) {
        if (vr === "FD") view.setFloat64(8 * i, Number(v), !this.isBigEndian);
        else if (size === 2) view.setInt16(2 * i, Number(v), !this.isBigEndian);
        else view.setInt32(4 * i, Number(v), !this.isBigEndian);
      }
    } else {
      const text = values.map(String).join("\\");
      bytes = IS_TEXT.has(vr)
        ? encodeText(text, this.characterSet)
        : encodeText(text, "ISO_IR 100");
      if (bytes.length % 2) bytes = Uint8Array.of(...bytes, vr === "UI" ? 0 : 0x20);
    }
    this.header(tag, vr, bytes.length);
    this.raw(bytes);
  }

  sequence(tag: number, { items }: Items): void {
    const inner = new ElementWriter(this.isExplicit, this.isBigEndian, this.characterSet);
    for (const item of items) {
      const body = new ElementWriter(this.isExplicit, this.isBigEndian, this.characterSet);
      for (const element of item.toSorted((a, b) => a[0] - b[0])) body.element(element);
      const bytes = body.done();
      inner.item(0xe000, bytes.length);
      inner.raw(bytes);
    }
    const bytes = inner.done();
    this.header(tag, "SQ", bytes.length);
    this.raw(bytes);
  }

  header(tag: number, vr: string, length: number): void {
    const isLong = this.isExplicit && LONG_VR.has(vr);
    const bytes = new Uint8Array(isLong ? 12 : 8),
      view = new DataView(bytes.buffer),
      le = !this.isBigEndian;
    view.setUint16(0, tag >>> 16, le);
    view.setUint16(2, tag & 0xffff, le);
    if (!this.isExplicit) {
      view.setUint32(4, length, le);
    } else {
      bytes[4] = vr.charCodeAt(0);
      bytes[5] = vr.charCodeAt(1);
      if (isLong) view.setUint32(8, length, le);
      else view.setUint16(6, length, le);
    }
    this.raw(bytes);
  }

  pixels(image: DicomImage, encoding: PixelEncoding): void {
    const { pixels } = image;
    if (encoding === "rle" || encoding === "jpeg_lossless") {
      const frame = encoding === "rle"
        ? rleFrame(pixels)
        : losslessJpeg(pixels, image.columns, image.rows);
      const padded = frame.length % 2 ? Uint8Array.of(...frame, 0) : frame;
      this.header(0x7fe00010, "OB", 0xffffffff);
      this.item(0xe000, 0);
      this.item(0xe000, padded.length);
      this.raw(padded);
      this.item(0xe0dd, 0);
      return;
    }
    const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength).slice();
    if (this.isBigEndian) {
      for (let i = 0; i < bytes.length; i += 2) {
        [bytes[i], bytes[i + 1]] = [bytes[i + 1]!, bytes[i]!];
      }
    }
    this.header(0x7fe00010, "OW", bytes.length);
    this.raw(bytes);
  }

  item(element: number, length: number): void {
    const bytes = new Uint8Array(8), view = new DataView(bytes.buffer);
    view.setUint16(0, 0xfffe, !this.isBigEndian);
    view.setUint16(2, element, !this.isBigEndian);
    view.setUint32(4, length, !this.isBigEndian);
    this.raw(bytes);
  }
}

/** RLE Lossless (PS3.5 annex G): high bytes, then low bytes, each as PackBits. */
function rleFrame(pixels: Int16Array | Uint16Array): Uint8Array {
  const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const segments = [1, 0].map((plane) => {
    const out: number[] = [], n = pixels.length, at = (i: number) => bytes[2 * i + plane]!;
    for (let i = 0; i < n;) {
      let run = 1;
      while (i + run < n && run < 128 && at(i + run) === at(i)) run++;
      if (run > 2) {
        out.push(257 - run, at(i));
        i += run;
        continue;
      }
      const start = i;
      i += run;
      while (
        i < n && i - start < 128 && !(i + 2 < n && at(i) === at(i + 1) && at(i) === at(i + 2))
      ) i++;
      i = Math.min(i, start + 128);
      out.push(i - start - 1);
      for (let p = start; p < i; p++) out.push(at(p));
    }
    if (out.length % 2) out.push(0);
    return Uint8Array.from(out);
  });
  const [high, low] = segments as [Uint8Array, Uint8Array];
  const frame = new Uint8Array(64 + high.length + low.length), view = new DataView(frame.buffer);
  view.setUint32(0, 2, true);
  view.setUint32(4, 64, true);
  view.setUint32(8, 64 + high.length, true);
  frame.set(high, 64);
  frame.set(low, 64 + high.length);
  return frame;
}

let hangulCodes: Map<string, [number, number]> | undefined;

/** KS X 1001 two-byte codes, derived from the runtime's decoder. */
function ksx1001(): Map<string, [number, number]> {
  if (hangulCodes) return hangulCodes;
  const decoder = new TextDecoder("euc-kr"), codes = new Map<string, [number, number]>();
  for (let a = 0xa1; a <= 0xfe; a++) {
    for (let b = 0xa1; b <= 0xfe; b++) {
      const text = decoder.decode(Uint8Array.of(a, b));
      if (text.length === 1 && text !== "\ufffd" && !codes.has(text)) codes.set(text, [a, b]);
    }
  }
  return hangulCodes = codes;
}

function encodeText(text: string, characterSet: CharacterSet): Uint8Array {
  if (characterSet === "ISO_IR 192") return new TextEncoder().encode(text);
  if (characterSet === "ISO_IR 100") return Uint8Array.from(text, (c) => c.charCodeAt(0));
  // Encodes a name. Each component repeats the escape sequence: delimiters reset the character set
  // (PS3.5 annex I).
  const out: number[] = [];
  let isDesignated = false;
  for (const c of text) {
    const code = c.charCodeAt(0) < 0x80 ? undefined : ksx1001().get(c);
    if (!code) {
      out.push(c.charCodeAt(0) & 0x7f);
      if ("^=\\".includes(c)) isDesignated = false;
      continue;
    }
    if (!isDesignated) out.push(0x1b, 0x24, 0x29, 0x43);
    isDesignated = true;
    out.push(...code);
  }
  return Uint8Array.from(out);
}
