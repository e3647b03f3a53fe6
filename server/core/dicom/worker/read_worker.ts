/// <reference lib="deno.worker" />
// Reads DICOM files and draws their frames, so that bytes from outside are never read on the thread
// that answers people.
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
  self.postMessage(answer);
};
