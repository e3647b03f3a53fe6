import assert from "node:assert/strict";
import { pauseAfter, until } from "@/tests/sites/until.ts";

Deno.test("pauseAfter() is a tenth of the time waited, within its limits", () => {
  assert.deepEqual([0, 50, 1000, 60_000].map(pauseAfter), [10, 10, 100, 250]);
});

Deno.test("until() probes less often the longer it waits", async () => {
  const start = performance.now();
  let probes = 0;
  await until(() => {
    probes++;
    return performance.now() - start > 600;
  });
  // at a constant 10 ms there would be 60 probes
  assert.ok(probes < 45, `${probes} probes`);
});
