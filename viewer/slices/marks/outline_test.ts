import assert from "node:assert/strict";
import type { Shape } from "@/model/geometry.ts";
import { outlineOf } from "@/viewer/slices/marks/outline.ts";

const SHAPE: Shape = [6, 5, 4];
const AXIAL = { through: 2, across: 0, down: 1, slice: 2 };

/** Twice the area inside lines, by the crossings of a ray from every half voxel: the slow way. */
function insideOf(lines: Float32Array, column: number, row: number): boolean {
  let crossings = 0;
  for (let n = 0; n < lines.length; n += 4) {
    const [x1, y1, x2, y2] = lines.subarray(n, n + 4) as unknown as [number, number, number, number];
    // a ray to the right, a little below the centre so that it meets no corner
    const y = row + 0.01;
    if ((y1 > y) !== (y2 > y) && column < x1 + (y - y1) / (y2 - y1) * (x2 - x1)) crossings++;
  }
  return crossings % 2 === 1;
}

// covers: D2-9.2
Deno.test("outlineOf() surrounds the voxels of the slice and no others, on every plane, up to the border", () => {
  let seed = 7;
  const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
  for (let run = 0; run < 40; run++) {
    const mask = Uint8Array.from({ length: 120 }, () => random() < 0.4 ? 1 : 0);
    for (const [through, across, down] of [[2, 0, 1], [1, 0, 2], [0, 1, 2]] as const) {
      const slice = Math.floor(random() * SHAPE[through]), at = { through, across, down, slice };
      const lines = outlineOf(mask, SHAPE, at);
      for (let row = 0; row < SHAPE[down]; row++) {
        for (let column = 0; column < SHAPE[across]; column++) {
          const ijk = [0, 0, 0];
          ijk[through] = slice, ijk[across] = column, ijk[down] = row;
          const wanted = mask[ijk[0]! + 6 * (ijk[1]! + 5 * ijk[2]!)] === 1;
          assert.equal(insideOf(lines, column, row), wanted, `${through} ${slice}: ${column}, ${row}`);
        }
      }
    }
  }
});

Deno.test("outlineOf() has no line without voxels, inside of a mask, or outside of the volume", () => {
  assert.equal(outlineOf(new Uint8Array(120), SHAPE, AXIAL).length, 0);
  const full = outlineOf(new Uint8Array(120).fill(1), SHAPE, AXIAL);
  // the border alone: half a voxel outside of the outermost centres
  assert.ok(
    full.every((value, n) => n % 2 === 0 ? value >= -0.5 && value <= 5.5 : value >= -0.5 && value <= 4.5),
  );
  for (const slice of [-1, 4]) {
    assert.equal(outlineOf(new Uint8Array(120).fill(1), SHAPE, { ...AXIAL, slice }).length, 0);
  }
});
