import { Readable } from "node:stream";
import { constants, crc32, createDeflateRaw } from "node:zlib";
import { slabsOf } from "@/model/viewer/slab_plan.ts";
import { gzipPieces, piecesOf } from "@/server/core/analyses/service/files/gzip.ts";
import { encodeVolumeHead, readVolumeHead } from "@/server/core/analyses/service/files/npy.ts";

/** Gzip header (RFC 1952) without time and name; the fourth byte holds the flags. */
const HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const FLAG_EXTRA = 4, FLAGS = 3;
/** Name of the gzip extra field that lists the slabs: "SL". */
const FIELD = [0x53, 0x4c];
/** Offset of the extra field's content, bytes: header, length of all fields, name, field length. */
const CONTENT = HEADER.length + 6;
/** Empty last block, which ends a deflate stream. */
const END = [3, 0];
/** Number of bytes at the start of a file that contain the index for {@link readSlabIndex}. */
export const INDEX_BYTES = 256;

/** Position of a compressed slab (some consecutive slices) in a gzip file. */
interface PackedSlab {
  start: number;
  end: number;
  /** CRC-32 of the NPY file that contains only this slab */
  crc: number;
}

/**
 * Compresses a volume's file so that each slab of slices can be decompressed alone.
 * The compressor is reset between slabs, and a gzip extra field lists the slabs' byte positions.
 * Other programs can decompress the file as usual. A file that is not a volume gets no slabs.
 */
export async function* gzipSlabs(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const volume = readVolumeHead(bytes.subarray(0, 1024));
  if (volume === null) return yield* gzipPieces(bytes, 6);
  const { headBytes, shape: [nx, ny, nz] } = volume, sliceBytes = nx * ny;
  if (nx * ny * nz === 0 || headBytes + sliceBytes * nz !== bytes.length) {
    return yield* gzipPieces(bytes, 6);
  }
  const head = bytes.subarray(0, headBytes), slabs = slabsOf([nx, ny, nz]);
  const packed = [await deflated(head)],
    index = new DataView(new ArrayBuffer(4 + 8 * slabs.length));
  index.setUint32(0, packed[0]!.length, true);
  let crc = crc32(head);
  for (const [n, { first, last }] of slabs.entries()) {
    const part = bytes.subarray(
      headBytes + first * sliceBytes,
      headBytes + (last + 1) * sliceBytes,
    );
    const piece = await deflated(part), own = encodeVolumeHead([nx, ny, last - first + 1]);
    packed.push(piece);
    index.setUint32(4 + 8 * n, piece.length, true);
    index.setUint32(8 + 8 * n, crc32(part, crc32(own)), true);
    crc = crc32(part, crc);
  }
  const size = index.byteLength;
  const header = Uint8Array.from([...HEADER, ...uint16(size + 4), ...FIELD, ...uint16(size)]);
  header[FLAGS] = FLAG_EXTRA;
  yield header;
  yield new Uint8Array(index.buffer);
  yield* packed;
  yield Uint8Array.from([...END, ...uint32(crc), ...uint32(bytes.length)]);
}

/** Byte positions of the slabs in a file of {@link gzipSlabs}; `null` in files without slabs. */
export function readSlabIndex(start: Uint8Array): PackedSlab[] | null {
  const hasIndex = start.length > CONTENT && start[0] === HEADER[0] && start[1] === HEADER[1] &&
    start[FLAGS] === FLAG_EXTRA && FIELD.every((byte, n) => start[HEADER.length + 2 + n] === byte);
  if (!hasIndex) return null;
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const size = view.getUint16(CONTENT - 2, true), slabs: PackedSlab[] = [];
  if (CONTENT + size > start.length) return null;
  let at = CONTENT + size + view.getUint32(CONTENT, true);
  for (let field = CONTENT + 4; field < CONTENT + size; field += 8) {
    const end = at + view.getUint32(field, true);
    slabs.push({ start: at, end, crc: view.getUint32(field + 4, true) });
    at = end;
  }
  return slabs;
}

/** Bytes to send before and after a slab's compressed bytes, so that they form a gzip file. */
export function slabEnvelope(
  head: Uint8Array,
  { crc, sizeBytes }: { crc: number; sizeBytes: number },
): { before: Uint8Array<ArrayBuffer>; after: Uint8Array<ArrayBuffer> } {
  const stored = [0, ...uint16(head.length), ...uint16(~head.length & 0xffff), ...head];
  return {
    before: Uint8Array.from([...HEADER, ...stored]),
    after: Uint8Array.from([...END, ...uint32(crc), ...uint32(sizeBytes)]),
  };
}

/** Compressed bytes of a slab; they end at a byte border, and later slabs never refer to them. */
async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const packing = Readable.from(piecesOf(bytes)).pipe(
    createDeflateRaw({ level: 6, chunkSize: 1 << 16, finishFlush: constants.Z_FULL_FLUSH }),
  );
  return Buffer.concat(await Array.fromAsync(packing as AsyncIterable<Uint8Array>));
}

const uint16 = (value: number) => [value & 255, value >> 8 & 255];
const uint32 = (value: number) => [...uint16(value), ...uint16(value >>> 16)];
