// A process that turns one series into a packed volume. It takes its request from the standard input and answers on the
// standard output with nothing, or with a failure; all of its memory ends with it.
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { SeriesFile } from "@/core/dicom/convert.ts";
import { niftiPieces } from "@/core/dicom/nifti.ts";
import { failureOf, volumeOf } from "@/core/dicom/series_volume.ts";

export interface PackRequest {
  files: readonly SeriesFile[];
  /** where the volume is written as .nii.gz */
  packTo: string;
}

/** Voxels that are packed at once. */
const PIECE_BYTES = 1 << 20;

async function pack({ files, packTo }: PackRequest): Promise<void> {
  const pieces = Readable.from(niftiPieces(await volumeOf(files), PIECE_BYTES), { objectMode: false });
  await pipeline(pieces, createGzip({ level: 1 }), createWriteStream(packTo, { mode: 0o600 }));
}

try {
  await pack(await new Response(Deno.stdin.readable).json());
} catch (error) {
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(failureOf(error))));
}
