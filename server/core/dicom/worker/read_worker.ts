/// <reference lib="deno.worker" />
// Worker that reads DICOM files and renders frames.
// Untrusted bytes are never parsed on the thread that handles HTTP requests.
import { resultOf } from "@/server/core/dicom/worker/read_results.ts";
import {
  failureOf,
  type ReadAnswer,
  type ReadTask,
} from "@/server/core/dicom/worker/read_tasks.ts";

self.onmessage = async ({ data }: MessageEvent<ReadTask>) => {
  let answer: ReadAnswer;
  try {
    answer = { result: await resultOf(data) };
  } catch (error) {
    answer = { failure: failureOf(error) };
  }
  // transferred, because copying a large result would delay the thread that handles requests
  const bytes = "result" in answer && answer.result instanceof Uint8Array ? answer.result : null;
  const isWhole = bytes !== null && bytes.byteLength === bytes.buffer.byteLength;
  self.postMessage(answer, isWhole ? [bytes.buffer as ArrayBuffer] : []);
};
