import { axesOfCommissures } from "@/model/linear/head_axes.ts";
import assert from "node:assert/strict";
import { affineFromRows, applyAffine, type Vec3 } from "@/model/geometry.ts";
import { gridOf } from "@/viewer/grid.ts";
import { axesOfHippocampi, longAxis, turnedGrid } from "@/viewer/reading/oblique.ts";
import { marksOf } from "@/viewer/slices/orientation.ts";

/** A grid stored from left to right, with 1.2 mm from slice to slice. */
const GRID = gridOf(
  [100, 110, 90],
  affineFromRows([[-1, 0, 0, 50], [0, 1, 0, -60], [0, 0, 1.2, -50]]),
);
const near = (a: number, b: number, most = 1e-9) => assert.ok(Math.abs(a - b) <= most, `${a} ${b}`);
const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** A rotated head: by some degrees about every axis. */
const ASKEW = {
  anterior: [1, 3, -4] as Vec3,
  posterior: [-1, -23, -9] as Vec3,
  above: [-5, -4, 45] as Vec3,
};

Deno.test("axesOfCommissures() puts both commissures and the midline into slices; left stays left", () => {
  const axes = axesOfCommissures(ASKEW), grid = turnedGrid(GRID, axes, [0, 99, 0, 109, 0, 89]);
  for (
    const [a, b] of [[axes.right, axes.front], [axes.front, axes.top], [
      axes.right,
      axes.top,
    ]] as const
  ) {
    near(dot(a, b), 0);
  }
  for (const axis of Object.values(axes)) near(Math.hypot(...axis as Vec3), 1);
  assert.ok(axes.right[0] > 0.9 && axes.front[1] > 0.9 && axes.top[2] > 0.9);
  const [ac, pc, above] = [ASKEW.anterior, ASKEW.posterior, ASKEW.above].map((mm) =>
    applyAffine(grid.ijkFromRas, mm)
  ) as [Vec3, Vec3, Vec3];
  near(ac[2], pc[2], 1e-6);
  near(ac[0], pc[0], 1e-6);
  near(ac[0], above[0], 1e-6);
  assert.ok(ac[1] > pc[1] && above[2] > ac[2]);
  // the patient's left is on the right of the screen, as in the unrotated images
  const own = marksOf(GRID, "axial", "radiological"),
    turned = marksOf(grid, "axial", "radiological");
  for (const side of ["left", "right"] as const) assert.equal(turned[side][0], own[side][0]);
  assert.equal(marksOf(grid, "coronal", "neurological").left[0], "L");
});

Deno.test("turnedGrid() is right-handed, holds the box, and is no finer than the images", () => {
  const grid = turnedGrid(GRID, axesOfCommissures(ASKEW), [10, 90, 20, 100, 5, 80]);
  assert.ok(grid.spacingMm.every((mm) => Math.abs(mm - 1) < 1e-9));
  for (const [i, j, k] of [[10, 20, 5], [90, 100, 80], [10, 100, 5], [50, 60, 40]] as const) {
    const at = applyAffine(grid.ijkFromRas, applyAffine(GRID.rasFromIjk, [i, j, k]));
    at.forEach((index, axis) => assert.ok(index >= -1e-6 && index <= grid.shape[axis]! - 1 + 1));
  }
  const fine = gridOf(
    [900, 900, 900],
    affineFromRows([[0.3, 0, 0, 0], [0, 0.3, 0, 0], [0, 0, 0.3, 0]]),
  );
  const most = turnedGrid(fine, axesOfCommissures(ASKEW), [0, 899, 0, 899, 0, 899]);
  assert.ok(most.shape.every((n) => n <= 321));
});

Deno.test("longAxis() is the direction of a long body, whatever the storage order", () => {
  const wanted = [0.2, 0.85, -0.48].map((v) => v / Math.hypot(0.2, 0.85, -0.48)) as Vec3;
  const moments = new Float64Array(10);
  for (let k = 0; k < 90; k++) {
    for (let j = 0; j < 110; j++) {
      for (let i = 0; i < 100; i++) {
        const mm = applyAffine(GRID.rasFromIjk, [i, j, k]);
        const along = dot(mm, wanted), away = Math.sqrt(Math.max(dot(mm, mm) - along * along, 0));
        if ((along / 20) ** 2 + (away / 6) ** 2 > 1) continue;
        [1, i, j, k, i * i, i * j, i * k, j * j, j * k, k * k].forEach((part, at) =>
          moments[at]! += part
        );
      }
    }
  }
  const axis = longAxis(moments, GRID)!;
  assert.ok(dot(axis, wanted) > Math.cos(0.5 * Math.PI / 180), `${axis}`);
  assert.equal(longAxis(new Float64Array(10), GRID), null);
});

Deno.test("axesOfHippocampi() tilts the head and does not turn it", () => {
  const head = axesOfCommissures(ASKEW);
  const axes = axesOfHippocampi([[0.3, 0.8, -0.5], [-0.3, 0.8, -0.5]], head);
  near(dot(axes.right, head.right), 1, 1e-9);
  assert.ok(axes.front[2] < -0.4 && axes.top[2] > 0.7);
  near(dot(axes.front, axes.top), 0);
});
