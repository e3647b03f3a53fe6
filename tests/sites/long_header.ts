import dicomParser from "dicom-parser";

/** Filling: private elements, as Siemens writes, or a sequence (`open_`: undefined length). */
export type Filling = "private" | "sequence" | "open_sequence";
export const FILLINGS: readonly Filling[] = ["private", "sequence", "open_sequence"];

const PIXEL_DATA = 0x7fe00010, LONG = new Set(["OB", "OW", "SQ", "UN"]), ITEM_BYTES = 4096;

const joined = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts));

/** An explicit little-endian element. `length`: stated length, if it differs from the value's. */
function element(tag: number, vr: string, value: Uint8Array, length = value.length): Uint8Array {
  const isLong = LONG.has(vr),
    head = new Uint8Array(isLong ? 12 : 8),
    view = new DataView(head.buffer);
  view.setUint16(0, tag >>> 16, true);
  view.setUint16(2, tag & 0xffff, true);
  head.set(new TextEncoder().encode(vr), 4);
  if (isLong) view.setUint32(8, length, true);
  else view.setUint16(6, length, true);
  return joined([head, value]);
}

/** An item, or a delimiter of an item or sequence. */
function item(
  number: number,
  value: Uint8Array = new Uint8Array(0),
  length = value.length,
): Uint8Array {
  const head = new Uint8Array(8), view = new DataView(head.buffer);
  view.setUint16(0, 0xfffe, true);
  view.setUint16(2, number, true);
  view.setUint32(4, length, true);
  return joined([head, value]);
}

/** Private elements of a total size in bytes: private creator, and a block. */
function privateBlock(group: number, sizeBytes: number): Uint8Array {
  const creator = element(group << 16 | 0x10, "LO", new TextEncoder().encode("TEST HEADER "));
  return joined([
    creator,
    element(group << 16 | 0x1010, "OB", new Uint8Array(sizeBytes - creator.length - 12).fill(7)),
  ]);
}

/** A sequence with at most the given number of bytes. */
function longSequence(tag: number, sizeBytes: number, isOpen: boolean): Uint8Array {
  const value = element(0x00080104, "LO", new Uint8Array(1000).fill(0x41)),
    values: Uint8Array[] = [];
  for (let size = 0; size + value.length <= ITEM_BYTES; size += value.length) values.push(value);
  const inner = joined(values),
    one = isOpen ? joined([item(0xe000, inner, 0xffffffff), item(0xe00d)]) : item(0xe000, inner);
  const count = Math.max(0, Math.floor((sizeBytes - 20) / one.length));
  const items = joined(Array.from({ length: count }, () => one));
  return isOpen
    ? joined([element(tag, "SQ", items, 0xffffffff), item(0xe0dd)])
    : element(tag, "SQ", items);
}

/** Byte offset at which an element belongs in a file of explicit little-endian elements. */
function placeOf(bytes: Uint8Array, tag: number): number {
  const { elements } = dicomParser.parseDicom(bytes, { untilTag: "x7fe00010" });
  const next = Object.values(elements).filter((one) => parseInt(one.tag.slice(1), 16) > tag)
    .toSorted((a, b) => a.dataOffset - b.dataOffset)[0]!;
  return next.dataOffset - (LONG.has(next.vr!) ? 12 : 8);
}

/**
 * Lengthens a file's header so that its pixel data element begins at a given byte.
 * @param bytes A Part 10 file, explicit little-endian.
 * @param isEarly Filling before the elements of patient and series, as some scanners write; else
 *   after.
 */
export function withLongHeader(
  bytes: Uint8Array,
  headerBytes: number,
  filling: Filling = "private",
  isEarly = false,
): Uint8Array<ArrayBuffer> {
  const added = headerBytes - placeOf(bytes, PIXEL_DATA - 1);
  const tag = isEarly ? 0x00081140 : 0x00700022;
  const sequence = filling === "private"
    ? new Uint8Array(0)
    : longSequence(tag, added - 64, filling === "open_sequence");
  const group = isEarly ? 0x0009 : 0x7fdf;
  let out = bytes;
  for (
    const [at, part] of [[tag, sequence], [
      group << 16 | 1,
      privateBlock(group, added - sequence.length),
    ]] as const
  ) {
    const place = placeOf(out, at);
    out = joined([out.subarray(0, place), part, out.subarray(place)]);
  }
  return new Uint8Array(out);
}
