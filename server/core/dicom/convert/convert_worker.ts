/// <reference lib="deno.worker" />
// Worker that converts one series to a volume.
// The owner terminates the worker after the single response, which frees all memory of the worker.
import type {
  ConvertAnswer,
  ConvertRequest,
} from "@/server/core/dicom/convert/convert_messages.ts";
import { failureOf, volumeOf } from "@/server/core/dicom/convert/series_volume.ts";

self.onmessage = async ({ data }: MessageEvent<ConvertRequest>) => {
  try {
    const { volume } = await volumeOf(data.files);
    self.postMessage({ volume } satisfies ConvertAnswer, [volume.voxels.buffer]);
  } catch (error) {
    self.postMessage({ error: failureOf(error) } satisfies ConvertAnswer);
  }
};
