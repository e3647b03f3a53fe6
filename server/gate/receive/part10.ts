import { withoutPadding } from "@/model/dicom/padding.ts";
import { concat } from "@/server/gate/dimse/pdu.ts";
import { IMPLEMENTATION_NAME, IMPLEMENTATION_UID } from "@/server/gate/dimse/uids.ts";

const utf8 = new TextEncoder();

function element(number: number, vr: "UI" | "SH" | "AE" | "OB", value: Uint8Array): Uint8Array {
  const padded = value.length % 2 ? concat([value, Uint8Array.of(vr === "UI" ? 0 : 0x20)]) : value;
  const isLong = vr === "OB",
    head = new Uint8Array(isLong ? 12 : 8),
    view = new DataView(head.buffer);
  view.setUint16(0, 2, true);
  view.setUint16(2, number, true);
  head.set(utf8.encode(vr), 4);
  if (isLong) view.setUint32(8, padded.length, true);
  else view.setUint16(6, padded.length, true);
  return concat([head, padded]);
}

/**
 * Preamble and meta information of a DICOM file (PS3.10 §7.1).
 * The received data set is written after these bytes.
 * @param sender AE title of the sender.
 */
export function part10Head(
  { sopClassUid, sopInstanceUid, transferSyntax, sender }: {
    sopClassUid: string;
    sopInstanceUid: string;
    transferSyntax: string;
    sender: string;
  },
): Uint8Array<ArrayBuffer> {
  const meta = concat([
    element(0x0001, "OB", Uint8Array.of(0, 1)),
    element(0x0002, "UI", utf8.encode(sopClassUid)),
    element(0x0003, "UI", utf8.encode(sopInstanceUid)),
    element(0x0010, "UI", utf8.encode(transferSyntax)),
    element(0x0012, "UI", utf8.encode(IMPLEMENTATION_UID)),
    element(0x0013, "SH", utf8.encode(IMPLEMENTATION_NAME)),
    element(0x0016, "AE", utf8.encode(sender)),
  ]);
  const head = new Uint8Array(144), view = new DataView(head.buffer);
  head.set(utf8.encode("DICM"), 128);
  view.setUint16(132, 2, true);
  head.set(utf8.encode("UL"), 136);
  view.setUint16(138, 4, true);
  view.setUint32(140, meta.length, true);
  return concat([head, meta]);
}

/** Number of bytes of a DICOM file before the data set. @returns `null` for any other file. */
export function headBytesOf(beginning: Uint8Array): number | null {
  if (beginning.length < 144 || new TextDecoder().decode(beginning.subarray(128, 132)) !== "DICM") {
    return null;
  }
  const view = new DataView(beginning.buffer, beginning.byteOffset, beginning.length);
  const isLength = view.getUint16(132, true) === 2 && view.getUint16(134, true) === 0 &&
    view.getUint16(138, true) === 4;
  return isLength ? 144 + view.getUint32(140, true) : null;
}

/** Fields of a DICOM file's meta information. */
interface FileMeta {
  sopClassUid: string;
  sopInstanceUid: string;
  transferSyntax: string;
}

/** Maximum length of a DICOM file's meta information, bytes. */
const MAX_META_BYTES = 65_536;

function metaOf(bytes: Uint8Array): FileMeta {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
    texts = new Map<number, string>();
  for (let at = 132; at + 8 <= bytes.length && view.getUint16(at, true) === 2;) {
    const vr = String.fromCharCode(bytes[at + 4]!, bytes[at + 5]!),
      isLong = vr === "OB" || vr === "UN";
    if (isLong && at + 12 > bytes.length) break;
    const length = isLong ? view.getUint32(at + 8, true) : view.getUint16(at + 6, true);
    const start = at + (isLong ? 12 : 8);
    const value = new TextDecoder("latin1").decode(bytes.subarray(start, start + length));
    if (!isLong) texts.set(view.getUint16(at + 2, true), withoutPadding(value));
    at = start + length;
  }
  const text = (number: number) => texts.get(number) ?? "";
  return { sopClassUid: text(2), sopInstanceUid: text(3), transferSyntax: text(16) };
}

/**
 * Splits a DICOM file, received in chunks, into meta information and data set.
 * @returns for any other file, `meta` is `null` and `dataSet` contains all bytes.
 */
export async function readMeta(
  body: AsyncIterable<Uint8Array>,
): Promise<{ meta: FileMeta | null; dataSet: AsyncIterable<Uint8Array> }> {
  const pieces = body[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array(0), isOver = false;
  const fill = async (count: number) => {
    while (start.length < count && !isOver) {
      const { value, done } = await pieces.next();
      if (done) isOver = true;
      else start = concat([start, value]);
    }
  };
  await fill(144);
  const headBytes = headBytesOf(start), isMeta = headBytes !== null && headBytes <= MAX_META_BYTES;
  if (isMeta) await fill(headBytes);
  const isWhole = isMeta && start.length >= headBytes;
  const meta = isWhole ? metaOf(start.subarray(0, headBytes)) : null;
  async function* rest() {
    yield meta ? start.subarray(headBytes!) : start;
    for (;;) {
      const { value, done } = await pieces.next();
      if (done) return;
      yield value;
    }
  }
  return { meta, dataSet: rest() };
}
