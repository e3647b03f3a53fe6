import assert from "node:assert/strict";
import { composerOf } from "@/viewer/reading/kernels_testing.ts";
import { chained, contoursOf, outlineOf } from "@/viewer/slices/marks/mask_contours.ts";
import { axesOf } from "@/viewer/slices/marks/outline.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";

const SHAPE: [number, number, number] = [12, 9, 7];

/** Whether a voxel centre is inside lines, by the crossings of a ray that avoids corners. */
function isInside(lines: Float32Array, x: number, y: number): boolean {
  let crossings = 0;
  for (let n = 0; n < lines.length; n += 4) {
    const [x0, y0, x1, y1] = lines.subarray(n, n + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    const at = y + 0.001;
    if (y0 > at !== y1 > at && x < x0 + (at - y0) * (x1 - x0) / (y1 - y0)) crossings++;
  }
  return crossings % 2 === 1;
}

Deno.test("chained() keeps every line, and ends a way only where no other line goes on", () => {
  // segments of a square in random order and direction, and a separate segment
  const lines = Float32Array.of(0, 0, 1, 0, 1, 1, 0, 1, 5, 5, 6, 5, 1, 1, 1, 0, 0, 1, 0, 0);
  assert.deepEqual([...chained(lines)], [
    0,
    0,
    1,
    0,
    1,
    0,
    1,
    1,
    1,
    1,
    0,
    1,
    0,
    1,
    0,
    0,
    5,
    5,
    6,
    5,
  ]);
});

// covers: D2-9.2
Deno.test("contoursOf() and outlineOf() surround the voxels of a slice and no others, on every plane", () => {
  let seed = 7;
  const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
  const labels = Uint8Array.from(
    { length: 12 * 9 * 7 },
    () => random() < 0.4 ? 3 : random() < 0.2 ? 5 : 0,
  );
  const composer = composerOf(SHAPE, labels), shown = new Uint8Array(256);
  shown[3] = shown[5] = 1;
  for (const through of [0, 1, 2]) {
    const [across, down] = axesOf(through), width = SHAPE[across]!;
    for (let slice = 0; slice < SHAPE[through]!; slice++) {
      const cells = sliceOf(composer, "labels", through, slice).slice();
      const contours = contoursOf(cells, width, shown), border = outlineOf(cells, width);
      for (let row = 0; row < SHAPE[down]!; row++) {
        for (let column = 0; column < width; column++) {
          const ijk = [0, 0, 0];
          ijk[through] = slice, ijk[across] = column, ijk[down] = row;
          const label = labels[ijk[0]! + 12 * (ijk[1]! + 9 * ijk[2]!)]!;
          const inside = contours.filter(({ lines }) => isInside(lines, column, row)).map((
            { value },
          ) => value);
          assert.deepEqual(inside, label === 0 ? [] : [label]);
          assert.equal(isInside(border, column, row), label !== 0);
        }
      }
    }
  }
  composer.close();
});
