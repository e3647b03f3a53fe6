/**
 * Encodes and decodes the data sets of queries, responses and storage commitment as DICOM JSON
 * (PS3.18 Annex F). The gate (network process) stores images without parsing the data set.
 */
import { withoutPadding } from "@/model/dicom/padding.ts";
import type { DicomJson, JsonElement } from "@/server/gate/link/tasks.ts";
import { concat, ProtocolError } from "@/server/gate/dimse/pdu.ts";

const MAX_DEPTH = 8;
/** Maximum size of a data set that is read into memory, bytes. */
const MAX_MESSAGE_BYTES = 4 << 20;

/** VRs of elements in data sets without VR (implicit), by tag; other elements are read as text. */
const VRS: Readonly<Record<string, string>> = {
  "00080005": "CS",
  "00080018": "UI",
  "00080016": "UI",
  "00080020": "DA",
  "00080030": "TM",
  "00080050": "SH",
  "00080052": "CS",
  "00080054": "AE",
  "00080060": "CS",
  "00080061": "CS",
  "00080090": "PN",
  "0008103E": "LO",
  "00081030": "LO",
  "00081150": "UI",
  "00081155": "UI",
  "00081195": "UI",
  "00081197": "US",
  "00081198": "SQ",
  "00081199": "SQ",
  "00100010": "PN",
  "00100020": "LO",
  "00100030": "DA",
  "00100040": "CS",
  "0020000D": "UI",
  "0020000E": "UI",
  "00200010": "SH",
  "00200011": "IS",
  "00201206": "IS",
  "00201208": "IS",
  "00201209": "IS",
  "00321060": "LO",
  "00400001": "AE",
  "00400002": "DA",
  "00400003": "TM",
  "00400007": "LO",
  "00400009": "SH",
  "00400100": "SQ",
  "00401001": "SH",
};
const LONG = new Set([
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

const utf8 = new TextEncoder();

/**
 * Names of text encodings by defined term of Specific Character Set (0008,0005).
 * For code extensions (ISO 2022), the encoding of the added character set.
 */
const CHARSETS: Readonly<Record<string, string>> = {
  "ISO_IR 100": "latin1",
  "ISO_IR 192": "utf-8",
  "ISO_IR 101": "iso-8859-2",
  "ISO_IR 13": "shift_jis",
  "ISO_IR 144": "iso-8859-5",
  "ISO 2022 IR 149": "euc-kr",
  "ISO 2022 IR 87": "iso-2022-jp",
  "GB18030": "gb18030",
};

function decoderOf(charset: string): TextDecoder {
  const names = charset.split("\\").map((name) => CHARSETS[name.trim()]).filter((name) =>
    name !== undefined
  );
  return new TextDecoder(names.at(-1) ?? "latin1");
}

function textValue(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    return String((value as { Alphabetic?: string }).Alphabetic ?? "");
  }
  return String(value);
}

function valueBytes(tag: string, { vr, Value = [] }: JsonElement, isExplicit: boolean): Uint8Array {
  if (vr === "SQ") {
    return concat((Value as DicomJson[]).map((one) => {
      const body = writeElements(one, isExplicit),
        head = new Uint8Array(8),
        view = new DataView(head.buffer);
      view.setUint16(0, 0xfffe, true);
      view.setUint16(2, 0xe000, true);
      view.setUint32(4, body.length, true);
      return concat([head, body]);
    }));
  }
  if (vr === "US") {
    return concat(Value.map((one) => Uint8Array.of(Number(one) & 255, Number(one) >> 8)));
  }
  if (!/^[A-Z]{2}$/.test(vr)) throw new TypeError(`Cannot write ${tag}: no representation`);
  const bytes = utf8.encode(Value.map(textValue).join("\\"));
  return bytes.length % 2 ? concat([bytes, Uint8Array.of(vr === "UI" ? 0 : 0x20)]) : bytes;
}

/**
 * Encodes a data set with tags in order and texts as UTF-8 (the caller declares it in 0008,0005).
 */
export function writeElements(dataSet: DicomJson, isExplicit = true): Uint8Array<ArrayBuffer> {
  return concat(
    Object.keys(dataSet).sort().map((tag) => {
      const element = dataSet[tag]!, value = valueBytes(tag, element, isExplicit);
      const isLong = isExplicit && LONG.has(element.vr);
      const head = new Uint8Array(isLong ? 12 : 8), view = new DataView(head.buffer);
      view.setUint16(0, parseInt(tag.slice(0, 4), 16), true);
      view.setUint16(2, parseInt(tag.slice(4), 16), true);
      if (!isExplicit) view.setUint32(4, value.length, true);
      else {
        head.set(utf8.encode(element.vr), 4);
        if (isLong) view.setUint32(8, value.length, true);
        else view.setUint16(6, value.length, true);
      }
      return concat([head, value]);
    }),
  );
}

class Elements {
  readonly #view: DataView;
  #decoder = decoderOf("");

  constructor(private readonly bytes: Uint8Array, private readonly isExplicit: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #need(at: number, count: number, end: number): void {
    if (count < 0 || at + count > end) {
      throw new ProtocolError("Cannot read the data set: it is cut short");
    }
  }

  #tagAt(at: number): string {
    const hex = (value: number) => value.toString(16).padStart(4, "0").toUpperCase();
    return hex(this.#view.getUint16(at, true)) + hex(this.#view.getUint16(at + 2, true));
  }

  /** Parses elements from `at` to `end`, or to an item delimiter. @returns the end position. */
  read(at: number, end: number, depth: number, into: DicomJson): number {
    if (depth > MAX_DEPTH) throw new ProtocolError("Cannot read the data set: too many levels");
    while (at < end) {
      this.#need(at, 8, end);
      const tag = this.#tagAt(at);
      if (tag === "FFFEE00D") return at + 8;
      let vr = VRS[tag] ?? "UN", length: number, start: number;
      if (this.isExplicit) {
        vr = String.fromCharCode(this.bytes[at + 4]!, this.bytes[at + 5]!);
        if (!/^[A-Z]{2}$/.test(vr)) {
          throw new ProtocolError("Cannot read the data set: not explicit");
        }
        if (LONG.has(vr)) {
          this.#need(at, 12, end);
          length = this.#view.getUint32(at + 8, true);
          start = at + 12;
        } else {
          length = this.#view.getUint16(at + 6, true);
          start = at + 8;
        }
      } else {
        length = this.#view.getUint32(at + 4, true);
        start = at + 8;
      }
      const isOpen = length === 0xffffffff;
      if (!isOpen) this.#need(start, length, end);
      if (vr === "SQ" || isOpen) {
        const items: DicomJson[] = [];
        at = this.#items(start, isOpen ? end : start + length, depth, items, isOpen);
        into[tag] = { vr: "SQ", Value: items };
        continue;
      }
      const value = this.bytes.subarray(start, start + length);
      at = start + length;
      if (tag === "00080005") this.#decoder = decoderOf(new TextDecoder("latin1").decode(value));
      into[tag] = this.#element(vr, value);
    }
    return at;
  }

  #items(at: number, end: number, depth: number, items: DicomJson[], isOpen: boolean): number {
    while (at < end) {
      this.#need(at, 8, end);
      const tag = this.#tagAt(at), length = this.#view.getUint32(at + 4, true);
      at += 8;
      if (tag === "FFFEE0DD") return at;
      if (tag !== "FFFEE000") {
        throw new ProtocolError("Cannot read the data set: no item where one must be");
      }
      const item: DicomJson = {}, isOpenItem = length === 0xffffffff;
      if (!isOpenItem) this.#need(at, length, end);
      at = this.read(at, isOpenItem ? end : at + length, depth + 1, item);
      items.push(item);
    }
    if (isOpen) throw new ProtocolError("Cannot read the data set: a sequence has no end");
    return at;
  }

  #element(vr: string, value: Uint8Array): JsonElement {
    if (value.length === 0) return { vr };
    if (vr === "US" && value.length >= 2) return { vr, Value: [value[0]! | value[1]! << 8] };
    if (["OB", "OW", "UN"].includes(vr)) return { vr };
    const text = withoutPadding(this.#decoder.decode(value));
    const values = ["LT", "ST", "UT"].includes(vr)
      ? [text]
      : text.split("\\").map((one) => one.trim());
    if (vr === "PN") return { vr, Value: values.map((one) => ({ Alphabetic: one })) };
    return { vr, Value: values };
  }
}

/** Parses a data set. @throws {ProtocolError} when the bytes are invalid. */
export function readElements(bytes: Uint8Array, isExplicit: boolean): DicomJson {
  const dataSet: DicomJson = {};
  new Elements(bytes, isExplicit).read(0, bytes.length, 0, dataSet);
  return dataSet;
}

/** Reads a data set into memory. @throws {ProtocolError} for a data set that is too long. */
export async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > MAX_MESSAGE_BYTES) {
      throw new ProtocolError("Cannot read the data set: it is too long");
    }
    parts.push(piece.slice());
  }
  return concat(parts);
}

/** First value of a DICOM element as text, empty without a value. */
export function textOf(dataSet: DicomJson, tag: string): string {
  const value = dataSet[tag]?.Value?.[0];
  return value === undefined || value === null ? "" : textValue(value);
}
