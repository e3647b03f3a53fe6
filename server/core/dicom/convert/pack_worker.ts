/// <reference lib="deno.worker" />
// Worker that converts one series to a gzipped volume on disk.
// The caller terminates the worker after the only response, which frees the worker's memory.
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { PackAnswer, PackRequest } from "@/server/core/dicom/convert/convert_messages.ts";
import type { Unchecked } from "@/server/core/dicom/convert/convert_checks.ts";
import { niftiPieces } from "@/server/core/dicom/read/nifti.ts";
import { failureOf, volumeOf } from "@/server/core/dicom/convert/series_volume.ts";

/** Number of voxels that are compressed in one step. */
const PIECE_BYTES = 1 << 20;

async function pack({ files, packTo }: PackRequest): Promise<Unchecked | null> {
  const { volume, unchecked } = await volumeOf(files);
  const pieces = Readable.from(niftiPieces(volume, PIECE_BYTES), { objectMode: false });
  await pipeline(pieces, createGzip({ level: 1 }), createWriteStream(packTo, { mode: 0o600 }));
  return unchecked;
}

self.onmessage = async ({ data }: MessageEvent<PackRequest>) => {
  try {
    self.postMessage({ packed: true, unchecked: await pack(data) } satisfies PackAnswer);
  } catch (error) {
    self.postMessage({ error: failureOf(error) } satisfies PackAnswer);
  }
};
