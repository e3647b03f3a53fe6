import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { createGunzip, createGzip } from "node:zlib";

/** At level 6 about 10 ms of work. */
const PLAIN_PIECE_BYTES = 1 << 18;
const PACKED_PIECE_BYTES = 1 << 16;

/** Deno packs on the event loop: everybody else gets a turn between two pieces. */
async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    // not setImmediate: timers and sockets would still wait
    await setTimeout(0);
    yield bytes.subarray(at, at + size);
  }
}

/** Packs bytes piece by piece, so that the site stays responsive. */
export function gzipPieces(bytes: Uint8Array, level: 1 | 6): AsyncIterable<Uint8Array> {
  return Readable.from(piecesOf(bytes, PLAIN_PIECE_BYTES)).pipe(
    createGzip({ level, chunkSize: 1 << 16 }),
  );
}

/** Unpacks bytes piece by piece. @throws the decoder's error when they are damaged or cut off. */
export async function gunzipPieces(bytes: Uint8Array): Promise<Uint8Array> {
  const unpacked = Readable.from(piecesOf(bytes, PACKED_PIECE_BYTES)).pipe(
    createGunzip({ chunkSize: 1 << 18 }),
  );
  return Buffer.concat(await Array.fromAsync(unpacked as AsyncIterable<Uint8Array>));
}
