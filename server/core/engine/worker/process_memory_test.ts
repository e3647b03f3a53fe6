import assert from "node:assert/strict";
import { memoryFigures } from "@/server/core/engine/worker/process_memory.ts";

const isReported = Deno.build.os === "linux";

Deno.test({
  name: "memoryFigures() has the peak of the process, more than the engine's memory alone",
  ignore: !isReported,
  fn() {
    const block = new Uint8Array(200e6).fill(1);
    const { peak_mb, engine_mb } = memoryFigures([12.4, 30.6, 0]);
    assert.equal(engine_mb, 31);
    assert.ok(peak_mb >= 0.98 * Deno.memoryUsage().rss / 1e6, `${peak_mb} MB`);
    assert.ok(peak_mb > 200);
    assert.equal(block.at(-1), 1);
  },
});

Deno.test("memoryFigures() of no stage is no infinity", () => {
  assert.equal(memoryFigures([]).engine_mb, 0);
});
