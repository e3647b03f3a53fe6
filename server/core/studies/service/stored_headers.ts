import { isCutShort, type ParsedDataSet, parseFile } from "@/server/core/dicom/read/instance.ts";
import { damaged } from "@/server/core/dicom/read/source_series.ts";
import type { BlobStore } from "@/server/core/blobs/blobs.ts";
import { listInputHashes } from "@/server/core/studies/storage/series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Enough for the header of most slices; four times as much is read as long as it is not. */
const HEAD_BYTES = 1 << 16, GROWTH = 4;
/** A header that is longer is not read by lists and searches, which may meet a thousand of them. */
const MAX_HEADER_BYTES = 8 << 20;
const PIXEL_DATA = "x7fe00010";

/** Beginning of a stored file. */
interface StoredHead {
  /** at least up to the pixels, or the whole file when it has none */
  bytes: Uint8Array<ArrayBuffer>;
  parsed: ParsedDataSet;
}

/** Parses the beginning of a file. @returns `null` when its header goes on behind it. */
function parsedHead(bytes: Uint8Array, isWhole: boolean): ParsedDataSet | null {
  try {
    const parsed = parseFile(bytes, isWhole ? bytes.length : Infinity);
    // without pixels an element may have ended where the beginning ends
    return isWhole || parsed.dataSet.elements[PIXEL_DATA] ? parsed : null;
  } catch (error) {
    if (!isWhole && isCutShort(error)) return null;
    throw damaged("its elements are damaged", error);
  }
}

/**
 * Reads a stored file up to its pixels, in growing pieces.
 * @throws {AppError} `engine.unsupported_input` when it is damaged or its header longer than `maxBytes`; `file.damaged`.
 */
export async function storedHead(
  blobs: BlobStore,
  hash: string,
  maxBytes = MAX_HEADER_BYTES,
): Promise<StoredHead> {
  let bytes = new Uint8Array(0);
  for (let size = HEAD_BYTES;; size = Math.min(GROWTH * size, maxBytes)) {
    const more = await new Response(await blobs.stream(hash, bytes.length, size)).bytes();
    const longer = new Uint8Array(bytes.length + more.length);
    longer.set(bytes);
    longer.set(more, bytes.length);
    bytes = longer;
    const parsed = parsedHead(bytes, bytes.length < size);
    if (parsed) return { bytes, parsed };
    if (size >= maxBytes) throw damaged(`its header is longer than ${maxBytes} bytes`);
  }
}

/** The stored files of a series one by one, each at least up to its pixels. @throws {AppError} as {@link storedHead}. */
export async function* headersOf(
  { db, blobs }: ServiceContext,
  seriesId: number,
): AsyncGenerator<Uint8Array> {
  for (const hash of await listInputHashes(db, seriesId)) {
    yield (await storedHead(blobs, hash, Infinity)).bytes;
  }
}
