/// <reference lib="deno.worker" />
// A worker that hangs over files with "hang" in their name, dies of those with "die", and reads the others' names.
import type { ReadTask } from "@/server/core/dicom/worker/read_tasks.ts";

self.onmessage = ({ data }: MessageEvent<ReadTask>) => {
  if (!("paths" in data)) return self.postMessage({ result: null });
  for (const path of data.paths) {
    // ends with the test: a thread that is busy cannot be ended
    if (path.includes("hang")) { for (const end = Date.now() + 3000; Date.now() < end;); }
    if (path.includes("die")) throw new Error("died");
  }
  self.postMessage({ result: data.paths.map((path) => ({ header: path, sender: "" })) });
};
