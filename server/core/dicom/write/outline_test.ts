// covers: S-228
import assert from "node:assert/strict";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { type Outline, outlinesOf } from "@/server/core/dicom/write/outline.ts";

/** Pixels whose centre is inside by the even-odd rule, as text. */
function filled(outlines: readonly Outline[], columns: number, rows: number): string[] {
  return Array.from({ length: rows }, (_, y) =>
    Array.from({ length: columns }, (_, x) => {
      const around = outlines.map((points) => {
        let isInside = false;
        for (let n = 0, last = points.length - 2; n < points.length; last = n, n += 2) {
          const [x1, y1, x2, y2] = [points[last]!, points[last + 1]!, points[n]!, points[n + 1]!];
          // only vertical lines cross a ray to the right
          if ((y1 > y + 0.5) !== (y2 > y + 0.5) && x1 > x + 0.5) isInside = !isInside;
          assert.ok(x1 === x2 || y1 === y2, "lines follow the borders of pixels");
        }
        return isInside;
      }).filter(Boolean).length;
      assert.ok(around <= 1, "no pixel is inside of two outlines");
      return around === 1 ? "#" : ".";
    }).join(""));
}

const drawn = (rows: readonly string[], maxVertices = 8000) =>
  outlinesOf(
    (x, y) => rows[y]![x] === "#",
    { left: 0, top: 0, right: rows[0]!.length, bottom: rows.length },
    maxVertices,
  );

Deno.test("outlinesOf() gives one square for one pixel, between its corners", () => {
  assert.deepEqual(drawn(["...", ".#.", "..."]), [[1, 1, 2, 1, 2, 2, 1, 2]]);
  assert.deepEqual(drawn(["..", ".."]), []);
});

Deno.test("outlinesOf() joins a hole with its outer line, and parts pixels that touch at a corner", () => {
  const ring = ["#####", "#...#", "#.#.#", "#...#", "#####"];
  assert.equal(drawn(ring).length, 2);
  assert.deepEqual(filled(drawn(ring), 5, 5), ring);
  const diagonal = ["#.", ".#"];
  assert.equal(drawn(diagonal).length, 2);
});

Deno.test("outlinesOf() encloses exactly the marked pixels, in random images", () => {
  const random = new Random(20_261_129);
  for (let n = 0; n < 200; n++) {
    const columns = 1 + Math.floor(random.uniform() * 24);
    const rows = 1 + Math.floor(random.uniform() * 24), density = random.uniform();
    const image = Array.from(
      { length: rows },
      () => Array.from({ length: columns }, () => random.uniform() < density ? "#" : ".").join(""),
    );
    const maxVertices = n % 2 === 0 ? 8000 : 12;
    const outlines = drawn(image, maxVertices);
    assert.deepEqual(filled(outlines, columns, rows), image, `image ${n}`);
    assert.ok(outlines.every(({ length }) => length <= 2 * maxVertices));
  }
});
