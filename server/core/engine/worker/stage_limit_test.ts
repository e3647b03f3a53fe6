import assert from "node:assert/strict";
import { askWorker } from "@/server/core/engine/engine.ts";
import type { StageLimits } from "@/server/core/engine/worker/stage_limit.ts";

const worker = (name: string) => new URL(`./${name}_worker_fixture.ts`, import.meta.url);
const REQUEST = { kind: "conform", volume: {} } as Parameters<typeof askWorker>[1];
const FAR = 3_600_000;

async function messageOf(name: string, limits: StageLimits): Promise<string> {
  const answer = await askWorker(worker(name), REQUEST, {}, 0, limits);
  return "message" in answer ? answer.message : answer.kind;
}

Deno.test("askWorker() ends a stage that computes for ever, and names it", async () => {
  const message = await messageOf("spinning", { cpuS: 2, silentMs: FAR, everyMs: 100 });
  assert.match(message, /^time limit: stage register took \d+ s of processor$/);
});

Deno.test("askWorker() leaves stages alone that take long by the clock only", async () => {
  const message = await messageOf("patient", { cpuS: 3, silentMs: FAR, everyMs: 100 });
  assert.equal(message, "all stages are over");
});

Deno.test("askWorker() ends a stage of which nothing is heard", async () => {
  const message = await messageOf("spinning", { cpuS: FAR, silentMs: 1500, everyMs: 100 });
  assert.match(message, /^time limit: no news of stage (register|start)/);
});
