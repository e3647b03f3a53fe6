import assert from "node:assert/strict";
import { atMostEvery } from "@/viewer/slices/at_most_every.ts";
import { until } from "@/tests/sites/until.ts";

// covers: S-226
Deno.test("atMostEvery() calls at once, seldom, and after the last change", async () => {
  let drawn = -1, value = 0, calls = 0;
  const draw = atMostEvery(50, () => {
    drawn = value;
    calls++;
  });
  draw();
  assert.equal(drawn, 0);
  for (value = 1; value < 1000; value++) draw();
  await until(() => drawn === value);
  assert.ok(calls < 500, `${calls} calls`);
});
