import type { ParsedDataSet } from "@/server/core/dicom/read/instance.ts";
import { damaged, jsonOfHead, parsedHead } from "@/server/core/dicom/read/source_series.ts";
import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import type { BlobStore } from "@/server/core/blobs/blobs.ts";
import { listInputHashes } from "@/server/core/studies/storage/series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Enough for the header of most slices; four times as much is read as long as it is not. */
const HEAD_BYTES = 1 << 16, GROWTH = 4;
/** A header that is longer is not read by lists and searches, which may meet a thousand of them. */
const MAX_HEADER_BYTES = 8 << 20;

/** Beginning of a stored file. */
interface StoredHead {
  /** at least up to the pixels, or the whole file when it has none */
  bytes: Uint8Array<ArrayBuffer>;
  parsed: ParsedDataSet;
}

/**
 * Reads a stored file in growing pieces until `read` has found enough of it.
 * @param read Is given the beginning, and whether it is the whole file. @returns `null`: more is
 *   needed.
 * @throws {AppError} `engine.unsupported_input` when `maxBytes` are not enough; `file.damaged`.
 */
async function readGrowing<T>(
  blobs: BlobStore,
  hash: string,
  maxBytes: number,
  read: (bytes: Uint8Array<ArrayBuffer>, isWhole: boolean) => T | null | Promise<T | null>,
): Promise<T> {
  let bytes = new Uint8Array(0);
  for (let size = HEAD_BYTES;; size = Math.min(GROWTH * size, maxBytes)) {
    const more = await new Response(await blobs.stream(hash, bytes.length, size)).bytes();
    const longer = new Uint8Array(bytes.length + more.length);
    longer.set(bytes);
    longer.set(more, bytes.length);
    bytes = longer;
    const header = await read(bytes, bytes.length < size);
    if (header !== null) return header;
    if (size >= maxBytes) throw damaged(`its header is longer than ${maxBytes} bytes`);
  }
}

/**
 * Reads a stored file up to its pixels, in growing pieces.
 * @throws {AppError} `engine.unsupported_input` when it is damaged or its header longer than
 *   `maxBytes`; `file.damaged`.
 */
export const storedHead = (
  blobs: BlobStore,
  hash: string,
  maxBytes = MAX_HEADER_BYTES,
): Promise<StoredHead> =>
  readGrowing(blobs, hash, maxBytes, (bytes, isWhole) => {
    const parsed = parsedHead(bytes, isWhole);
    return parsed && { bytes, parsed };
  });

/**
 * Attributes of a stored file, read by a worker where the site has them.
 * @throws {AppError} as {@link storedHead}.
 */
export const storedJson = (
  { blobs, reader }: Pick<ServiceContext, "blobs" | "reader">,
  hash: string,
  encoding: DicomEncoding | undefined,
): Promise<JsonDataSet> =>
  readGrowing(blobs, hash, MAX_HEADER_BYTES, async (bytes, isWhole) => {
    // the worker takes the bytes it is given
    if (reader) {
      return await reader.read({ kind: "attributes", bytes: bytes.slice(), isWhole, encoding });
    }
    const parsed = parsedHead(bytes, isWhole);
    return parsed && jsonOfHead(parsed, encoding);
  });

/**
 * The stored files of a series one by one, each at least up to its pixels. @throws {AppError} as
 * {@link storedHead}.
 */
export async function* headersOf(
  { db, blobs }: ServiceContext,
  seriesId: number,
): AsyncGenerator<Uint8Array> {
  for (const hash of await listInputHashes(db, seriesId)) {
    yield (await storedHead(blobs, hash, Infinity)).bytes;
  }
}
