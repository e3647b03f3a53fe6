import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { getPriority } from "node:os";
import {
  lowerPriority,
  NICE_INCREMENT,
  threadId,
} from "@/server/core/engine/worker/lower_priority.ts";

const isAbsent = !existsSync("/proc/thread-self");

Deno.test({
  name: "lowerPriority() lowers the priority of a worker, and never that of the main thread" +
    (isAbsent ? " (skipped: threads have no priority here)" : ""),
  ignore: isAbsent,
  fn: async () => {
    const own = getPriority(Deno.pid);
    const worker = new Worker(new URL("./lower_priority_worker_fixture.ts", import.meta.url), {
      type: "module",
    });
    const { id, before, after } = await new Promise<Record<"id" | "before" | "after", number>>(
      (resolve) => {
        worker.onmessage = ({ data }) => resolve(data);
      },
    );
    worker.terminate();
    assert.notEqual(id, Deno.pid);
    assert.equal(after, Math.min(19, before + NICE_INCREMENT));
    if (threadId() === Deno.pid) lowerPriority();
    assert.equal(getPriority(Deno.pid), own);
  },
});
