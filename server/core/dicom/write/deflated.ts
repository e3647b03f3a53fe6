/** Compresses files in pieces, so that other requests are served between two pieces. */
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { type DicomFile, fileHead } from "@/server/core/dicom/write/dataset_writer.ts";

const EXPLICIT_LE = "1.2.840.10008.1.2.1";
const DEFLATED = "1.2.840.10008.1.2.1.99";
/** Uncompressed size of a piece: some 10 ms of work, between which other requests are served. */
const PIECE_BYTES = 1 << 20;
/** Compression level of stored results; files sent to other systems have zlib's default level. */
const STORED_LEVEL = 3, SENT_LEVEL = 6;
/** Empty last block of a deflate stream (RFC 1951 3.2.6). */
const END = Uint8Array.of(3, 0);

/** Yields to the event loop: zlib's asynchronous functions also run on this thread in Deno. */
const yieldToOthers = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

/** Regroups chunks of any size into pieces of {@link PIECE_BYTES}; the last may be shorter. */
function* pieces(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let piece = new Uint8Array(PIECE_BYTES), filled = 0;
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const count = Math.min(chunk.length - at, PIECE_BYTES - filled);
      piece.set(chunk.subarray(at, at + count), filled);
      at += count;
      filled += count;
      if (filled < PIECE_BYTES) continue;
      yield piece;
      piece = new Uint8Array(PIECE_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

/** Compressed content of which any range can be read without inflating the other pieces. */
export interface DeflatedBytes {
  sizeBytes: number;
  /** raw deflate streams, each of {@link PIECE_BYTES} bytes; the last may be shorter */
  pieces: readonly Uint8Array[];
}

/** Compresses the content of a file. Two uncompressed pieces are in memory at a time. */
export async function deflatedBytes(file: Pick<DicomFile, "chunks">): Promise<DeflatedBytes> {
  const deflated: Uint8Array[] = [];
  let sizeBytes = 0;
  for (const piece of pieces(file.chunks())) {
    deflated.push(Uint8Array.from(deflateRawSync(piece, { level: STORED_LEVEL })));
    sizeBytes += piece.length;
    await yieldToOthers();
  }
  return { sizeBytes, pieces: deflated };
}

/** Content from byte `from` to `to` (exclusive), in chunks of at most {@link PIECE_BYTES}. */
export async function* inflatedRange(
  { sizeBytes, pieces }: DeflatedBytes,
  from = 0,
  to = sizeBytes,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let n = Math.floor(from / PIECE_BYTES); n * PIECE_BYTES < Math.min(to, sizeBytes); n++) {
    const bytes = new Uint8Array(inflateRawSync(pieces[n]!)), start = n * PIECE_BYTES;
    yield bytes.subarray(Math.max(0, from - start), Math.min(bytes.length, to - start));
    await yieldToOthers();
  }
}

/** A file in Deflated Explicit VR Little Endian (PS3.5 A.5), in chunks. */
export async function* deflatedChunks(file: DicomFile): AsyncGenerator<Uint8Array> {
  const { sopClassUid, sopInstanceUid } = file;
  const headBytes = fileHead(sopClassUid, sopInstanceUid, EXPLICIT_LE).length;
  yield fileHead(sopClassUid, sopInstanceUid, DEFLATED);
  function* dataSet() {
    let passed = 0;
    for (const chunk of file.chunks()) {
      yield chunk.subarray(Math.min(chunk.length, Math.max(0, headBytes - passed)));
      passed += chunk.length;
    }
  }
  let bytes = END.length;
  // deflated pieces that end on a byte border form one stream when they are concatenated
  const options = { level: SENT_LEVEL, finishFlush: constants.Z_SYNC_FLUSH };
  for (const piece of pieces(dataSet())) {
    const deflated = deflateRawSync(piece, options);
    bytes += deflated.length;
    yield deflated;
    await yieldToOthers();
  }
  yield END;
  if (bytes % 2 === 1) yield new Uint8Array(1);
}
