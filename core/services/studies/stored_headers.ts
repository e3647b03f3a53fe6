import { parseStored } from "@/core/dicom/read/source_series.ts";
import { listInputHashes } from "@/core/storage/series.ts";
import type { ServiceContext } from "@/core/services/context.ts";

/** Enough for the header of a slice; files with larger ones are read whole. */
const HEAD_BYTES = 1 << 16;
const PIXEL_DATA = "x7fe00010";

/** The stored files of a series one by one, each at least up to its pixels. */
export async function* headersOf(
  { db, blobs }: ServiceContext,
  seriesId: number,
): AsyncGenerator<Uint8Array> {
  for (const hash of await listInputHashes(db, seriesId)) {
    const head = new Uint8Array(await new Response(await blobs.stream(hash, 0, HEAD_BYTES)).arrayBuffer());
    yield isWhole(head) ? head : await blobs.read(hash);
  }
}

/** Whether the beginning of a file reaches its pixels. */
function isWhole(head: Uint8Array): boolean {
  try {
    return parseStored(head, false).dataSet.elements[PIXEL_DATA] !== undefined;
  } catch {
    return false;
  }
}
