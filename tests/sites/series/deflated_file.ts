// DICOM files in Deflated Explicit VR Little Endian (PS3.5 A.5).
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateRawSync } from "node:zlib";

const LITTLE = "1.2.840.10008.1.2.1\0";
export const DEFLATED = "1.2.840.10008.1.2.1.99";

/** Byte offset at which the meta information ends. */
export const metaEnd = (bytes: Uint8Array): number =>
  144 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(140, true);

/** Deflates the data set of a file. @param odd Adds the padding byte that makes the length even. */
export function deflated(
  bytes: Uint8Array,
  dataSet: Uint8Array = bytes.subarray(metaEnd(bytes)),
  odd = 0,
): Buffer {
  const meta = Buffer.from(bytes.subarray(0, metaEnd(bytes))), at = meta.indexOf(LITTLE);
  assert.ok(at > 0);
  const longer = Buffer.concat([
    meta.subarray(0, at - 2),
    Uint8Array.of(DEFLATED.length, 0),
    Buffer.from(DEFLATED),
    meta.subarray(at + LITTLE.length),
    deflateRawSync(dataSet),
    new Uint8Array(odd),
  ]);
  longer.writeUInt32LE(longer.readUInt32LE(140) + 2, 140);
  return longer;
}
