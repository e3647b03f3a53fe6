/// <reference lib="deno.worker" />
// Worker that converts one series to a volume.
// The caller terminates the worker after the only response, which frees the worker's memory.
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
