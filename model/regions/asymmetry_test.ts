import assert from "node:assert/strict";
import { asymmetryPercent } from "@/model/regions/asymmetry.ts";

Deno.test("asymmetryPercent() is the difference over the mean, positive for a larger left", () => {
  assert.equal(asymmetryPercent(3, 1), 100);
  assert.equal(asymmetryPercent(1, 3), -100);
  assert.deepEqual([asymmetryPercent(null, 1), asymmetryPercent(0, 0)], [null, null]);
});
