import assert from "node:assert/strict";
import type { Affine } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { isSameSeries } from "@/server/core/engine/flair.ts";

const volume = (change: Partial<Volume> = {}): Volume => ({
  shape: [2, 2, 2],
  rasFromIjk: new Float64Array(16).fill(1) as unknown as Affine<"Ras", "Ijk">,
  voxels: Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]),
  ...change,
});

Deno.test("isSameSeries() compares voxels, shape and place, whatever type the voxels have", () => {
  assert.ok(isSameSeries(volume(), volume()));
  assert.ok(isSameSeries(volume(), volume({ voxels: Int16Array.from([1, 2, 3, 4, 5, 6, 7, 8]) })));
  assert.ok(!isSameSeries(volume(), volume({ voxels: Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 9]) })));
  assert.ok(!isSameSeries(volume(), volume({ shape: [4, 2, 1] })));
  const moved = new Float64Array(16).fill(1).fill(2, 12) as unknown as Affine<"Ras", "Ijk">;
  assert.ok(!isSameSeries(volume(), volume({ rasFromIjk: moved })));
});
