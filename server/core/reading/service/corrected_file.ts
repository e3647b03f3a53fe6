import { Buffer } from "node:buffer";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import {
  type FileContent,
  fileVersion,
} from "@/server/core/analyses/service/files/file_version.ts";
import { gzipPieces } from "@/server/core/analyses/service/files/gzip.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { withStrokes } from "@/server/core/reading/service/stroke_map.ts";

/** A result file for the viewer, with its content plain and gzipped. */
export interface ViewerFileSource extends FileContent {
  sizeBytes: number;
  gzipBytes: number;
  /** plain content from byte `start` to `end` (exclusive) */
  plain(start: number, end: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** gzipped content; without `start` and `end` the whole file */
  gzip(start?: number, end?: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

interface Made {
  plain: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
}

/** Cache of the label maps that were corrected last, 8 to 16 MB each. */
const correctedFiles = new Map<string, Promise<Made>>();
const KEPT = 2;

const streamOf = (bytes: Uint8Array<ArrayBuffer>) => new Response(bytes).body!;

/**
 * A label map file with readers' corrections.
 * @param mark Identifies the corrections, see `correctionMark`.
 */
export async function correctedFile(
  { db, blobs }: ServiceContext,
  { blob, analysisId }: { blob: string; analysisId: number },
  mark: string,
): Promise<ViewerFileSource> {
  const hash = fileVersion(blob, mark);
  let making = correctedFiles.get(hash);
  correctedFiles.delete(hash);
  making ??= (async () => {
    const original = await blobs.read(blob), plain = original.slice();
    npyVoxels(plain).set(await withStrokes(db, analysisId, npyVoxels(original)));
    const pieces = await Array.fromAsync(gzipPieces(plain, 1));
    return { plain, gzip: new Uint8Array(Buffer.concat(pieces)) };
  })();
  correctedFiles.set(hash, making);
  making.catch(() => correctedFiles.delete(hash));
  for (const oldest of correctedFiles.keys()) {
    if (correctedFiles.size <= KEPT) break;
    correctedFiles.delete(oldest);
  }
  const { plain, gzip } = await making;
  return {
    hash,
    isCorrected: true,
    sizeBytes: plain.length,
    gzipBytes: gzip.length,
    plain: (start, end) => Promise.resolve(streamOf(plain.subarray(start, end))),
    gzip: (start, end) => Promise.resolve(streamOf(gzip.subarray(start, end))),
  };
}
