// Reads Deflated Explicit VR Little Endian (PS3.5 A.5): files are stored with inflated data set.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import { withoutPadding } from "@/model/dicom/padding.ts";
import { AppError } from "@/model/errors.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";

const DEFLATED = "1.2.840.10008.1.2.1.99", EXPLICIT_LE = "1.2.840.10008.1.2.1\0";
/** Position after the length of the meta information, and its maximum length, bytes. */
const LENGTH_END = 144, MAX_META_BYTES = 1 << 16;
/** Compressed bytes that are inflated in one step: at most about 4 MiB of output. */
const PIECE_BYTES = 4096;
/**
 * Maximum inflated size for a compressed size: MR images remain below it, files of zeros do not.
 */
const maxInflated = (packedBytes: number): number => (1 << 20) + 100 * packedBytes;

const isPart10 = (head: Uint8Array): boolean =>
  head.length >= LENGTH_END && String.fromCharCode(...head.subarray(128, 136)) === "DICM\x02\0\0\0";

/** Position of the transfer syntax (0002,0010) in the meta information; `null` if absent. */
function syntaxAt(head: Uint8Array, end: number): { start: number; length: number } | null {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  for (let at = LENGTH_END; at + 12 <= end;) {
    const vr = String.fromCharCode(head[at + 4]!, head[at + 5]!);
    const [headBytes, length] = /^(O[BWDFLV]|U[NTRC]|SQ)$/.test(vr)
      ? [12, view.getUint32(at + 8, true)]
      : [8, view.getUint16(at + 6, true)];
    if (view.getUint16(at, true) !== 2 || at + headBytes + length > end) return null;
    if (view.getUint16(at + 2, true) === 0x10) return { start: at + 8, length };
    at += headBytes + length;
  }
  return null;
}

/** Meta information changed to Explicit VR Little Endian; `null` if the file is not deflated. */
function inflatedMeta(head: Uint8Array): Uint8Array | null {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const metaBytes = view.getUint32(LENGTH_END - 4, true),
    at = syntaxAt(head, LENGTH_END + metaBytes);
  const syntax = at && head.subarray(at.start, at.start + at.length);
  if (!at || withoutPadding(new TextDecoder().decode(syntax!)) !== DEFLATED) return null;
  const meta = Buffer.concat([
    head.subarray(0, at.start),
    Buffer.from(EXPLICIT_LE),
    head.subarray(at.start + at.length, LENGTH_END + metaBytes),
  ]);
  meta.writeUInt16LE(EXPLICIT_LE.length, at.start - 2);
  meta.writeUInt32LE(metaBytes + EXPLICIT_LE.length - at.length, LENGTH_END - 4);
  return meta;
}

/** Collects a file's first bytes until they show whether the file is deflated. */
class Beginning {
  bytes = new Uint8Array(0);
  isComplete = false;
  /** meta information of the inflated file; `null`: the received file is not deflated */
  meta: Uint8Array | null = null;
  /** position after the meta information in the received file */
  metaEnd = 0;

  add(chunk: Uint8Array): void {
    this.bytes = new Uint8Array(Buffer.concat([this.bytes, chunk]));
    if (this.bytes.length < LENGTH_END) return;
    const metaBytes = new DataView(this.bytes.buffer).getUint32(LENGTH_END - 4, true);
    const isMeta = isPart10(this.bytes) && metaBytes <= MAX_META_BYTES;
    this.metaEnd = LENGTH_END + metaBytes;
    if (isMeta && this.bytes.length < this.metaEnd) return;
    this.isComplete = true;
    if (isMeta) this.meta = inflatedMeta(this.bytes);
  }
}

/**
 * Inflates in small steps, between which the event loop runs.
 * @throws {AppError} as {@link inflatedBody}.
 */
async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let packedBytes = 0, bytes = 0;
  async function* pieces() {
    for await (const chunk of packed) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        packedBytes += piece.length;
        yield piece;
      }
    }
  }
  const inflate = createInflateRaw();
  const feeding = pipeline(Readable.from(pieces()), inflate).catch((error) => error);
  try {
    for await (const piece of inflate as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > maxInflated(packedBytes)) {
        throw rejected(
          "compression",
          "Cannot inflate file: it is far larger than its packed bytes",
          {
            transferSyntax: DEFLATED,
          },
        );
      }
      yield piece;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    const cause = await feeding;
    if (cause instanceof AppError) throw cause;
    throw rejected("truncated", "Cannot inflate file: its data set is damaged", {}, {
      cause: error,
    });
  }
}

/**
 * Content of a received file as it is stored. The data set of a deflated file is inflated
 * while its bytes arrive; the bytes of all other files stay unchanged.
 * @throws {AppError} `upload.format_not_supported` with reason `truncated` for a damaged data set,
 * or `compression` for a data set that inflates to far more bytes than an image.
 */
export async function* inflatedBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator](), beginning = new Beginning();
  async function* remaining() {
    for (let next; !(next = await chunks.next()).done;) yield next.value;
  }
  try {
    while (!beginning.isComplete) {
      const { value, done } = await chunks.next();
      if (done) break;
      beginning.add(value);
    }
    const { bytes, meta, metaEnd } = beginning;
    if (meta) {
      yield meta;
      yield* inflated(joined(bytes.subarray(metaEnd), remaining()));
    } else {
      if (bytes.length > 0) yield bytes;
      yield* remaining();
    }
  } finally {
    await chunks.return?.();
  }
}

async function* joined(first: Uint8Array, others: AsyncIterable<Uint8Array>) {
  yield first;
  yield* others;
}

/**
 * Passes an arriving file on unchanged, and detects from its first bytes whether it is deflated.
 * Nothing is inflated: only the meta information is read.
 */
export function withDeflated(
  body: AsyncIterable<Uint8Array>,
): { body: AsyncGenerator<Uint8Array>; isDeflated: () => boolean } {
  const beginning = new Beginning();
  async function* pass() {
    for await (const chunk of body) {
      if (!beginning.isComplete) beginning.add(chunk.subarray(0, 2 * MAX_META_BYTES));
      yield chunk;
    }
  }
  return { body: pass(), isDeflated: () => beginning.meta !== null };
}
