/// <reference lib="deno.worker" />
// Reads DICOM files and draws their frames, so that bytes from outside are never read on the thread
// that answers people.
import { bulkDataOf, framesOf } from "@/server/core/dicom/worker/frame_parts.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { jsonOfHead, parsedHead } from "@/server/core/dicom/read/source_series.ts";
import {
  failureOf,
  type ReadAnswer,
  type ReadTask,
} from "@/server/core/dicom/worker/read_tasks.ts";
import { renderFrame } from "@/server/core/dicom/worker/rendering.ts";

/** Reads files one after the other; one that cannot be read leaves its error in its place. */
async function each<T>(paths: readonly string[], read: (path: string) => Promise<T>) {
  const results = [];
  for (const path of paths) results.push(await read(path).catch(failureOf));
  return results;
}

async function resultOf(task: ReadTask) {
  switch (task.kind) {
    case "instances":
      return await each(task.paths, (path) => readInstanceFile(path, "", task.encoding));
    case "objects":
      return await each(task.paths, (path) => headerOfFile(path, task.encoding));
    case "attributes": {
      const parsed = parsedHead(task.bytes, task.isWhole);
      return parsed && jsonOfHead(parsed, task.encoding);
    }
    case "picture":
      return renderFrame(task.bytes, task.rendering);
    case "frames":
      return framesOf(task.bytes, task.wanted);
    case "value":
      return bulkDataOf(task.bytes, task.tag);
  }
}

self.onmessage = async ({ data }: MessageEvent<ReadTask>) => {
  let answer: ReadAnswer;
  try {
    answer = { result: await resultOf(data) };
  } catch (error) {
    answer = { failure: failureOf(error) };
  }
  self.postMessage(answer);
};
