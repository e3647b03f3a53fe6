import { AppError } from "@/model/errors.ts";
import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { headerTooLong, MAX_HEADER_BYTES } from "@/server/core/dicom/limits/bounded_parser.ts";
import { dataSetStart } from "@/server/core/dicom/read/data_set_start.ts";
import { type InstanceHeader, isCutShort, readHeader } from "@/server/core/dicom/read/instance.ts";

/** Bytes read from the start of a file, which usually contain the header. */
const HEAD_BYTES = 1 << 16;
/** Compressed bytes that are inflated in one step: at most about 4 MiB of output. */
const PACKED_BYTES = 4096;
/** Header of a file, and the AE title of the system that sent it. */
export interface FileHeader {
  header: InstanceHeader;
  /** AE title of the sender; empty for a file without this attribute */
  sender: string;
}

/** AE title of the sending system in the meta information (0002,0016); empty if absent. */
function senderOf(head: Uint8Array): string {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  for (let at = 132; at + 12 <= head.length && view.getUint16(at, true) === 2;) {
    const element = view.getUint16(at + 2, true),
      vr = String.fromCharCode(head[at + 4]!, head[at + 5]!);
    const isLong = vr === "OB" || vr === "UN";
    const length = isLong ? view.getUint32(at + 8, true) : view.getUint16(at + 6, true);
    const start = at + (isLong ? 12 : 8);
    if (element === 0x16) {
      return new TextDecoder("latin1").decode(head.subarray(start, start + length)).trim();
    }
    at = start + length;
  }
  return "";
}

/**
 * Inflates only the first bytes of a deflated data set, so that a large file needs little memory.
 */
async function inflatedHead(file: Deno.FsFile, from: number): Promise<Uint8Array> {
  await file.seek(from, Deno.SeekMode.Start);
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = new Uint8Array(PACKED_BYTES), count = await file.read(piece);
      if (count === null) controller.close();
      else controller.enqueue(piece.subarray(0, count));
    },
  });
  const head = new Uint8Array(MAX_HEADER_BYTES);
  let at = 0;
  try {
    for await (const piece of packed.pipeThrough(new DecompressionStream("deflate-raw"))) {
      head.set(piece.subarray(0, head.length - at), at);
      at = Math.min(head.length, at + piece.length);
      if (at === head.length) break;
    }
  } catch { /* damaged from here on: what came before may be enough */ }
  return head.subarray(0, at);
}

/**
 * Header of any DICOM file on disk, also of a deflated file.
 * @throws {AppError} `upload.format_not_supported`.
 */
export async function headerOfFile(
  path: string,
  encoding?: DicomEncoding,
): Promise<FileHeader> {
  using file = await Deno.open(path);
  const { size } = await file.stat();
  for (let count = HEAD_BYTES;; count = Math.min(16 * count, MAX_HEADER_BYTES)) {
    const head = new Uint8Array(Math.min(count, size));
    await file.seek(0, Deno.SeekMode.Start);
    for (let at = 0; at < head.length;) {
      const n = await file.read(head.subarray(at));
      if (n === null) break;
      at += n;
    }
    try {
      const header = readHeader(head, "", { encoding, fileSizeBytes: size });
      // an element, or a sequence of undefined length, may end exactly where the first bytes end
      const isWhole = header.pixels !== undefined || head.length === size;
      if (isWhole) return { header, sender: senderOf(head) };
    } catch (error) {
      // the error contains the transfer syntax even if the file cannot be used
      if (error instanceof AppError && error.details.reason === "compression") {
        const inflated = await inflatedHead(file, dataSetStart(head));
        const header = readHeader(inflated, "", { encoding, fileSizeBytes: Infinity });
        return { header, sender: senderOf(head) };
      }
      if (!isCutShort(error) || head.length === size) throw error;
    }
    if (count === MAX_HEADER_BYTES) throw headerTooLong();
  }
}
