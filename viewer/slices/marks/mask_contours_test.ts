import assert from "node:assert/strict";
import { contoursOf } from "@/viewer/slices/marks/mask_contours.ts";

const SHAPE: [number, number, number] = [40, 30, 3];
const AT = { through: 2, across: 0, down: 1, slice: 1 };
const shown = (...values: number[]) => Uint8Array.from({ length: 256 }, (_, v) => values.includes(v) ? 1 : 0);
const volumeOf = (value: (i: number, j: number) => number) =>
  Uint8Array.from(
    { length: 3600 },
    (_, v) => Math.floor(v / 1200) === 1 ? value(v % 40, Math.floor(v / 40) % 30) : 9,
  );

/** Area inside closed lines, by Green's theorem on their middle: lines have no direction. */
function isInside(lines: Float32Array, x: number, y: number): boolean {
  let crossings = 0;
  for (let n = 0; n < lines.length; n += 4) {
    const [x0, y0, x1, y1] = [lines[n]!, lines[n + 1]!, lines[n + 2]!, lines[n + 3]!];
    if (y0 > y === y1 > y) continue;
    if (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0)) crossings++;
  }
  return crossings % 2 === 1;
}

Deno.test("contoursOf() surrounds the centres of each shown value and no others", () => {
  const volume = volumeOf((i, j) =>
    Math.hypot(i - 12, j - 14) < 7 ? 3 : Math.hypot(i - 28, j - 14) < 8.5 ? 5 : i === 38 && j === 2 ? 3 : 0
  );
  for (const wanted of [[3, 5], [5]]) {
    const contours = contoursOf(volume, SHAPE, AT, shown(...wanted));
    assert.deepEqual(contours.map(({ value }) => value).sort(), wanted);
    for (const { value, lines } of contours) {
      for (let j = 0; j < 30; j++) {
        for (let i = 0; i < 40; i++) {
          assert.equal(isInside(lines, i, j), volume[1200 + i + 40 * j] === value, `${value} ${i} ${j}`);
        }
      }
    }
  }
});

Deno.test("contoursOf() is rounder than voxels: its length is that of the circle", () => {
  const [circle] = contoursOf(
    volumeOf((i, j) => Math.hypot(i - 20, j - 15) < 12 ? 4 : 0),
    SHAPE,
    AT,
    shown(4),
  );
  let length = 0;
  for (let n = 0; n < circle!.lines.length; n += 4) {
    const [x0, y0, x1, y1] = circle!.lines.subarray(n, n + 4);
    length += Math.hypot(x1! - x0!, y1! - y0!);
  }
  assert.ok(Math.abs(length / (2 * Math.PI * 12) - 1) < 0.06, `${length}`);
});

Deno.test("contoursOf() draws one border around all shown values when asked, and nothing outside of the volume", () => {
  const volume = volumeOf((i) => i >= 10 && i < 20 ? 3 : i >= 20 && i < 30 ? 5 : 0);
  const [one, ...none] = contoursOf(volume, SHAPE, AT, shown(3, 5), true);
  assert.deepEqual(none, []);
  assert.ok(isInside(one!.lines, 20, 10) && isInside(one!.lines, 19.5, 10) && !isInside(one!.lines, 9, 10));
  assert.deepEqual(contoursOf(volume, SHAPE, { ...AT, slice: 3 }, shown(3)), []);
  assert.deepEqual(contoursOf(volume, SHAPE, AT, shown()), []);
});
