import type { DataSet, Element } from "dicom-parser";
import { ByteWriter, isLongVr } from "@/server/core/dicom/write/dataset_writer.ts";

/** An element to be copied to another file: its stored value, or the items of a sequence. */
export interface TreeElement {
  tag: number;
  /** VR (value representation) of the element; absent in files with implicit VR */
  vr: string | undefined;
  value: { bytes: Uint8Array } | { items: TreeElement[][] };
  /** whether the length is undefined, as for compressed pixels */
  isEncapsulated?: boolean;
}

/** Byte order, VR form and texts with which a file is encoded. */
export interface Encoding {
  isExplicit: boolean;
  isLittleEndian: boolean;
}

const DELIMITER_BYTES = 8, UNDEFINED_LENGTH = 0xffffffff;

export const tagNumber = (tag: string): number => parseInt(tag.slice(1), 16);

/** Compressed pixels as stored; a missing sequence delimiter is added. */
function fragments(bytes: Uint8Array, { isLittleEndian }: Encoding): Uint8Array {
  const at = bytes.length - DELIMITER_BYTES,
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isDelimited = at >= 0 && view.getUint16(at, isLittleEndian) === 0xfffe &&
    view.getUint16(at + 2, isLittleEndian) === 0xe0dd;
  if (isDelimited) return bytes;
  const out = new ByteWriter(isLittleEndian);
  out.raw(bytes);
  out.u16(0xfffe);
  out.u16(0xe0dd);
  out.u32(0);
  return out.done();
}

/** Element with its stored value; `itemOf` converts the items of a sequence. */
export function treeElement(
  dataSet: DataSet,
  element: Element,
  encoding: Encoding,
  itemOf: (item: DataSet) => TreeElement[],
): TreeElement {
  const tag = tagNumber(element.tag), vr = encoding.isExplicit ? element.vr : undefined;
  if (element.items) {
    const items = element.items.flatMap(({ dataSet: item }) => item ? [itemOf(item)] : []);
    // in a file with implicit VR, an element of unknown VR may be a sequence
    return { tag, vr: vr && "SQ", value: { items } };
  }
  const bytes = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
  return element.encapsulatedPixelData
    ? { tag, vr: "OB", value: { bytes: fragments(bytes, encoding) }, isEncapsulated: true }
    : { tag, vr, value: { bytes } };
}

/** Encodes a text value, padded to an even length. */
export function textBytes(text: string, vr: string | undefined): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length % 2 === 0) return bytes;
  const padded = new Uint8Array(bytes.length + 1).fill(vr === "UI" ? 0 : 0x20);
  padded.set(bytes);
  return padded;
}

function header(
  out: ByteWriter,
  { isExplicit }: Encoding,
  tag: number,
  vr: string,
  length: number,
): number {
  out.u16(tag >>> 16);
  out.u16(tag & 0xffff);
  if (!isExplicit) {
    out.u32(length);
    return out.length - 4;
  }
  out.raw(Uint8Array.of(vr.charCodeAt(0), vr.charCodeAt(1)));
  if (!isLongVr(vr)) {
    out.u16(length);
    return -1;
  }
  out.u16(0);
  out.u32(length);
  return out.length - 4;
}

/** Writes elements in tag order, in the encoding of the source file. */
export function writeTree(
  out: ByteWriter,
  encoding: Encoding,
  elements: readonly TreeElement[],
): void {
  for (
    const { tag, vr = "UN", value, isEncapsulated } of elements.toSorted((a, b) => a.tag - b.tag)
  ) {
    if ("bytes" in value) {
      const isOdd = value.bytes.length % 2 === 1;
      const length = isEncapsulated ? UNDEFINED_LENGTH : value.bytes.length + (isOdd ? 1 : 0);
      header(out, encoding, tag, vr, length);
      out.raw(value.bytes);
      if (isOdd) out.raw(Uint8Array.of(vr === "OB" || vr === "UI" ? 0 : 0x20));
      continue;
    }
    const lengthAt = header(out, encoding, tag, "SQ", 0), start = out.length;
    for (const item of value.items) {
      out.u16(0xfffe);
      out.u16(0xe000);
      out.u32(0);
      const itemStart = out.length;
      writeTree(out, encoding, item);
      out.setU32(itemStart - 4, out.length - itemStart);
    }
    out.setU32(lengthAt, out.length - start);
  }
}
