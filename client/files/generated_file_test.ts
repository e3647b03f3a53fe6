import assert from "node:assert/strict";
import type { JobProgress } from "@/model/schema/site/jobs.ts";
import { awaitGeneratedFile } from "@/client/files/generated_file.ts";

const DONE: JobProgress = { percent: 100, status: "done", failed_pid_list: [7] };

Deno.test("awaitGeneratedFile() does not wait for the news of a file that was finished before it listened", async () => {
  const { setTimeout } = globalThis;
  // no polling: progress that is not requested at once is never received
  globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout;
  try {
    const file = await awaitGeneratedFile({
      path: "/a/file",
      progress: () => Promise.resolve(DONE),
      cancel: () => Promise.resolve(),
      progressOf: () => null,
    }, { signal: new AbortController().signal, onPercent: () => {} });
    assert.deepEqual(file, { path: "/a/file", failedPids: [7] });
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});
