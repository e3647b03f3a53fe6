import assert from "node:assert/strict";
import { affineFromRowMajor, applyAffine } from "@/model/geometry.ts";
import { rigidNear } from "@/server/core/reading/service/comparables.ts";

Deno.test("rigidNear() takes scale and shear away, and leaves rotation and the centre's place", () => {
  const a = 0.2,
    rotation = [[Math.cos(a), -Math.sin(a), 0], [Math.sin(a), Math.cos(a), 0], [0, 0, 1]];
  const stretch = [[1.03, 0.01, 0], [0.01, 0.98, 0.005], [0, 0.005, 1.01]];
  const linear = rotation.map((row) =>
    [0, 1, 2].map((c) => row.reduce((sum, v, k) => sum + v * stretch[k]![c]!, 0))
  );
  const rows = linear.flatMap((row, r) => [...row, [12, -7, 30][r]!]);
  const affine = affineFromRowMajor<"Ras", "Ras">([...rows, 0, 0, 0, 1]);
  const rigid = rigidNear(affine, [4, -20, 15]);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) assert.ok(Math.abs(rigid[4 * c + r]! - rotation[r]![c]!) < 1e-9);
  }
  const [was, is] = [affine, rigid].map((one) => applyAffine(one, [4, -20, 15]));
  assert.ok(was!.every((mm, r) => Math.abs(mm - is![r]!) < 1e-9));
});
