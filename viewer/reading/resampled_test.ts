import assert from "node:assert/strict";
import { affineFromRows, applyAffine, invert } from "@/model/geometry.ts";
import { gridOf } from "@/viewer/grid.ts";
import { differenceOf, isShownDifference, resampleSlice } from "@/viewer/reading/resampled.ts";

const GRID = gridOf([24, 20, 18], affineFromRows([[1, 0, 0, -12], [0, 1, 0, -10], [0, 0, 1, -9]]));
const SHAPE: [number, number, number] = [16, 30, 14];
const SOURCE_AFFINE = affineFromRows<"Ras", "Ijk">([[-1.5, 0, 0, 10], [0, 0.8, 0.1, -12], [
  0,
  -0.1,
  1.6,
  -9,
]]);
const MOVED = affineFromRows<"Ras", "Ras">([[0.99, -0.14, 0, 1.5], [0.14, 0.99, 0, -2], [0, 0, 1, 0.7]]);

/** Weighted sum over all voxels of the source, as the definition of trilinear says. */
function naive(voxels: Float32Array, at: number[]): number | null {
  if (at.some((x, a) => x < -0.5 || x > SHAPE[a]! - 0.5)) return null;
  const p = at.map((x, a) => Math.min(Math.max(x, 0), SHAPE[a]! - 1));
  let sum = 0;
  for (let v = 0; v < voxels.length; v++) {
    const ijk = [v % 16, Math.floor(v / 16) % 30, Math.floor(v / 480)];
    sum += voxels[v]! * ijk.reduce((w, index, a) => w * Math.max(0, 1 - Math.abs(index - p[a]!)), 1);
  }
  return sum;
}

Deno.test("resampleSlice() is trilinear at the moved place, and 0 outside", () => {
  const voxels = Float32Array.from({ length: 16 * 30 * 14 }, (_, v) => v * 7919 % 1000 - 200);
  const source = { voxels, shape: SHAPE, ijkFromRas: invert(SOURCE_AFFINE), low: -200, scale: 0.2 };
  const out = new Uint8Array(24 * 20 * 18);
  let outside = 0;
  for (const k of [0, 5, 13]) {
    resampleSlice(out, GRID, k, source, MOVED);
    for (let n = 0; n < 60; n++) {
      const i = n * 7 % 24, j = n * 11 % 20;
      const at = applyAffine(source.ijkFromRas, applyAffine(MOVED, applyAffine(GRID.rasFromIjk, [i, j, k])));
      const value = naive(voxels, at), got = out[i + 24 * (j + 20 * k)]!;
      if (value === null) outside++;
      const wanted = value === null ? 0 : Math.floor(Math.min(Math.max((value + 200) * 0.2 + 0.5, 0), 255));
      assert.ok(Math.abs(got - wanted) <= 1, `${i} ${j} ${k}: ${got}, ${wanted}`);
    }
  }
  assert.ok(outside > 5 && outside < 120);
});

Deno.test("differenceOf() sees what changed, not that one image is brighter", () => {
  const now = Uint8Array.from({ length: 7000 }, (_, v) => v < 2000 ? 0 : 60 + v % 90);
  const then = now.map((byte) => byte === 0 ? 0 : Math.round(byte * 1.2 + 10));
  const same = differenceOf(now, then);
  assert.ok(same.every((value) => !isShownDifference(value)));
  now[3000] = 240;
  now[3001] = 0;
  const changed = differenceOf(now, then);
  assert.ok(changed[3000]! > 200 && changed[3001]! < 80);
  assert.equal(changed[100], 0);
});
