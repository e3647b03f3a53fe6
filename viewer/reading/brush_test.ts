import assert from "node:assert/strict";
import { affineFromRows, applyAffine } from "@/model/geometry.ts";
import { gridOf } from "@/viewer/grid.ts";
import { composerOf } from "@/viewer/reading/kernels_testing.ts";
import { fillBetween, runsOf, voxelsUnder } from "@/viewer/reading/brush.ts";

/** A grid stored from right to left, with 3 mm from slice to slice. */
const GRID = gridOf([40, 50, 20], affineFromRows([[-1, 0, 0, 20], [0, 1, 0, -25], [0, 0, 3, -30]]));
const mmOf = (i: number, j: number, k: number) => applyAffine(GRID.rasFromIjk, [i, j, k]);
const ijkOf = (
  voxel: number,
) => [voxel % 40, Math.floor(voxel / 40) % 50, Math.floor(voxel / 2000)];

/** Slow reference: tests every voxel of the slice for its distance from the line. */
function naive(
  from: number[],
  to: number[],
  diameter: number,
  plane: "axial" | "coronal",
): number[] {
  const found: number[] = [];
  for (let v = 0; v < 40 * 50 * 20; v++) {
    const at = ijkOf(v), fixed = plane === "axial" ? 2 : 1;
    if (at[fixed] !== to[fixed]) continue;
    const mm = mmOf(at[0]!, at[1]!, at[2]!);
    let nearest = Infinity;
    for (let step = 0; step <= 2000; step++) {
      const on = mmOf(
        ...from.map((x, a) => x + (to[a]! - x) * step / 2000) as [number, number, number],
      );
      on[fixed] = mm[fixed]!;
      nearest = Math.min(nearest, Math.hypot(...mm.map((x, a) => x - on[a]!)));
    }
    if (nearest <= diameter / 2 + 1e-4) found.push(v);
  }
  return found;
}

Deno.test("voxelsUnder() is the round brush along its way, in mm, on one slice", () => {
  for (const plane of ["axial", "coronal"] as const) {
    for (
      const [from, to, size] of [[[10, 20, 8], [10, 20, 8], 9], [
        [5, 20, 4],
        [17, 20, 9],
        5.5,
      ]] as const
    ) {
      const start = plane === "axial" ? [from[0], from[1], to[2]] : from;
      const got = voxelsUnder(
        GRID,
        plane,
        mmOf(start[0]!, start[1]!, start[2]!),
        mmOf(to[0], to[1], to[2]),
        size,
      );
      assert.deepEqual(
        got.toSorted((a, b) => a - b),
        naive([...start], [...to], size, plane),
        `${plane} ${size}`,
      );
    }
  }
  // a brush smaller than a voxel, one at the border, and one outside the volume
  assert.equal(voxelsUnder(GRID, "axial", mmOf(3.4, 4.4, 5), mmOf(3.4, 4.4, 5), 0.2).length, 1);
  assert.equal(voxelsUnder(GRID, "axial", mmOf(0, 0, 5), mmOf(0, 0, 5), 4.2).length, 6);
  assert.deepEqual(voxelsUnder(GRID, "axial", mmOf(3, 4, 25), mmOf(3, 4, 25), 5), []);
});

Deno.test("runsOf() has each voxel once, in runs", () => {
  assert.deepEqual(runsOf([5, 3, 4, 9, 4, 20, 21]), [3, 3, 9, 1, 20, 2]);
  assert.deepEqual(runsOf([]), []);
});

Deno.test("fillBetween() goes from one outline to the other", () => {
  const volume = new Uint8Array(40 * 50 * 20);
  const disc = (k: number, radius: number, i0 = 20) => {
    for (let v = 0; v < volume.length; v++) {
      const [i, j, slice] = ijkOf(v);
      if (slice === k && Math.hypot(i! - i0, j! - 25) <= radius) volume[v] = 7;
    }
  };
  disc(4, 4);
  disc(8, 10);
  const composer = composerOf(GRID.shape, volume);
  const filled = fillBetween(composer, "labels", GRID, "axial", [8, 4], 7),
    area = [5, 6, 7].map((k) => filled.filter((v) => ijkOf(v)[2] === k).length);
  // expected: discs with radii of 5.5, 7 and 8.5 voxels
  for (const [n, radius] of [5.5, 7, 8.5].entries()) {
    assert.ok(Math.abs(Math.sqrt(area[n]! / Math.PI) - radius) < 0.6, `${area}`);
  }
  assert.ok(filled.every((v) => ijkOf(v)[2]! > 4 && ijkOf(v)[2]! < 8));
  assert.deepEqual(fillBetween(composer, "labels", GRID, "axial", [4, 12], 7), []);
  assert.deepEqual(fillBetween(composer, "labels", GRID, "axial", [4, 8], 9), []);
});
