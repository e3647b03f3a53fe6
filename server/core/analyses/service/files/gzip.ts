import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { createGunzip, createGzip } from "node:zlib";

/** Bytes compressed in one step: about 10 ms of work at compression level 6. */
const PLAIN_PIECE_BYTES = 1 << 18;
const PACKED_PIECE_BYTES = 1 << 16;

/**
 * Splits a buffer, and yields to the event loop between the parts,
 * because Deno compresses on the thread of the event loop.
 */
export async function* piecesOf(
  bytes: Uint8Array,
  size = PLAIN_PIECE_BYTES,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    // a timer, because `setImmediate` would not let other timers and sockets run
    await setTimeout(0);
    yield bytes.subarray(at, at + size);
  }
}

/** Compresses bytes in pieces, so that the server stays responsive. */
export function gzipPieces(bytes: Uint8Array, level: 1 | 6): AsyncIterable<Uint8Array> {
  return Readable.from(piecesOf(bytes, PLAIN_PIECE_BYTES)).pipe(
    createGzip({ level, chunkSize: 1 << 16 }),
  );
}

/** Decompresses bytes in pieces. @throws the decoder's error for damaged or truncated bytes. */
export async function gunzipPieces(bytes: Uint8Array): Promise<Uint8Array> {
  const unpacked = Readable.from(piecesOf(bytes, PACKED_PIECE_BYTES)).pipe(
    createGunzip({ chunkSize: 1 << 18 }),
  );
  return Buffer.concat(await Array.fromAsync(unpacked as AsyncIterable<Uint8Array>));
}
