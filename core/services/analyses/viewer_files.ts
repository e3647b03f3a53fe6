import type { FileField } from "@/core/storage/analyses.ts";
import { blobSize } from "@/core/storage/blobs/blob_index.ts";
import type { ServiceContext } from "@/core/services/context.ts";
import { getResultFile } from "@/core/services/studies/patients.ts";

export type { FileField };

/** A viewer file to be sent: its bytes as they are, and gzipped. */
export interface ViewerFileSource {
  /** SHA-256 of the bytes as they are */
  hash: string;
  sizeBytes: number;
  gzipBytes: number;
  /** bytes `start` to `end`, exclusive */
  plain(start: number, end: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  gzip(): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/** @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`. */
export async function openViewerFile(
  services: ServiceContext,
  pid: number,
  field: FileField,
): Promise<ViewerFileSource> {
  const { db, blobs } = services;
  const file = await getResultFile(services, pid, field);
  return {
    hash: file.blob,
    sizeBytes: await blobSize(db, file.blob) ?? 0,
    gzipBytes: await blobSize(db, file.gzipBlob) ?? 0,
    plain: (start, end) => blobs.stream(file.blob, start, end),
    gzip: () => blobs.stream(file.gzipBlob),
  };
}
