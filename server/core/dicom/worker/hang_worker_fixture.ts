/// <reference lib="deno.worker" />
// A worker that hangs for a while over files with "hang" in their name and for good over those with "forever", fills its heap
// over "heap" and other memory over "buffers", dies of "die", and reads the others' names.
import type { ReadTask } from "@/server/core/dicom/worker/read_tasks.ts";

/** About two seconds of computing. */
const TURNS = 6e7;

self.onmessage = ({ data }: MessageEvent<ReadTask>) => {
  if (!("paths" in data)) return self.postMessage({ result: null });
  for (const path of data.paths) {
    // ends with the test: a thread that is busy cannot be ended. The limit is of computing time, so
    // on a loaded machine 3 s are not enough: turns of the loop are counted, too
    if (path.includes("hang")) {
      for (let end = Date.now() + 3000, n = 0; Date.now() < end || n < TURNS; n++);
    }
    if (path.includes("forever")) { for (;;); }
    for (const all: unknown[] = []; path.includes("heap");) all.push(new Array(100_000).fill(all));
    for (const all: unknown[] = []; path.includes("buffers");) {
      all.push(new Uint8Array(1 << 22).fill(1));
    }
    if (path.includes("die")) throw new Error("died");
  }
  self.postMessage({ result: data.paths.map((path) => ({ header: path, sender: "" })) });
};
