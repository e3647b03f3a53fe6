/// <reference lib="deno.worker" />
// Turns one series into a volume. The owner ends the worker after its only answer, which frees all of its memory.
import type { Volume } from "@/model/viewer/volume.ts";
import type { SeriesFile } from "@/core/dicom/convert/convert.ts";
import { type ConvertFailure, failureOf, volumeOf } from "@/core/dicom/read/series_volume.ts";

export interface ConvertRequest {
  files: readonly SeriesFile[];
}

export type ConvertAnswer = { volume: Volume } | { error: ConvertFailure };

self.onmessage = async ({ data }: MessageEvent<ConvertRequest>) => {
  try {
    const volume = await volumeOf(data.files);
    self.postMessage({ volume } satisfies ConvertAnswer, [volume.voxels.buffer]);
  } catch (error) {
    self.postMessage({ error: failureOf(error) } satisfies ConvertAnswer);
  }
};
