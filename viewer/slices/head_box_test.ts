import assert from "node:assert/strict";
import type { Shape } from "@/model/geometry.ts";
import { headBox } from "@/viewer/slices/head_box.ts";

Deno.test("headBox() holds what is bright, to three voxels", () => {
  const shape: Shape = [40, 50, 30], base = new Uint8Array(40 * 50 * 30).fill(20);
  assert.equal(headBox(base, shape), null);
  const wanted = [8, 29, 12, 44, 3, 24];
  for (let k = 3; k <= 24; k++) {
    for (let j = 12; j <= 44; j++) base.fill(90, 8 + 40 * (j + 50 * k), 30 + 40 * (j + 50 * k));
  }
  const box = headBox(base, shape)!;
  for (const [at, edge] of wanted.entries()) {
    const inwards = at % 2 === 0 ? box[at]! - edge : edge - box[at]!;
    assert.ok(inwards >= 0 && inwards < 3, `${at}: ${box[at]} for ${edge}`);
  }
});
