// covers: S-46
import assert from "node:assert/strict";
import { affineFromRows } from "@/model/geometry.ts";
import { gridOf } from "@/viewer/grid.ts";
import { angleDeg, lengthMm } from "@/model/regions/measured_shape.ts";
import {
  drawMeasurements,
  freeHeight,
  insidePane,
  isOnSlice,
  isWhole,
  measured,
  nearestPlace,
} from "@/viewer/slices/marks/measure.ts";
import type { Measurement } from "@/viewer/slices/marks/measure.ts";
import { pixelX, pixelY } from "@/viewer/slices/marks/pick.ts";
import { createPaneMapping, createScene, mapPane } from "@/viewer/scene.ts";

const ruler = (...pointsMm: number[]): Measurement => ({ kind: "ruler", plane: "axial", pointsMm });
const angle = (...pointsMm: number[]): Measurement => ({ kind: "angle", plane: "axial", pointsMm });

Deno.test("lengthMm() is mm whatever the voxels are, angleDeg() 0..180", () => {
  assert.equal(lengthMm(ruler(0, 0, 5, 3, 4, 5)), 5);
  assert.ok(Math.abs(angleDeg(angle(10, 0, 0, 0, 0, 0, 0, 7, 0)) - 90) < 1e-9);
  assert.ok(Math.abs(angleDeg(angle(1, 0, 0, 0, 0, 0, -3, 0, 0)) - 180) < 1e-9);
  assert.ok(Math.abs(angleDeg(angle(1, 0, 0, 0, 0, 0, 1, 1e-9, 0))) < 1e-6);
  assert.equal(angleDeg(angle(0, 0, 0, 0, 0, 0, 1, 0, 0)), 0);
  assert.deepEqual([
    measured(ruler(0, 0, 0, 0, 12.34, 0)),
    measured(angle(1, 0, 0, 0, 0, 0, 1, 1, 0)),
  ], [
    "12.3\u00a0mm",
    "45.0°",
  ]);
});

Deno.test("isWhole() counts the places of each kind", () => {
  assert.deepEqual([isWhole(ruler(0, 0, 0)), isWhole(ruler(0, 0, 0, 1, 1, 1))], [false, true]);
  assert.deepEqual([isWhole(angle(0, 0, 0, 1, 1, 1)), isWhole(angle(0, 0, 0, 1, 1, 1, 2, 2, 2))], [
    false,
    true,
  ]);
});

Deno.test("isOnSlice() and nearestPlace() follow the pane on an anisotropic, flipped grid", () => {
  const grid = gridOf(
    [40, 50, 20],
    affineFromRows([[-1, 0, 0, 20], [0, 0.5, 0, -12], [0, 0, 4, -30]]),
  );
  const scene = createScene(grid), mapping = createPaneMapping("axial");
  scene.crosshairMm.set([0, 0, 10]);
  mapPane(mapping, scene, grid, 300, 260);
  const on = ruler(3, 2, 10, -5, 4, 10);
  assert.ok(
    isOnSlice(on, mapping, grid) && isOnSlice(ruler(3, 2, 11.9, 0, 0, 11.9), mapping, grid),
  );
  assert.ok(!isOnSlice(ruler(3, 2, 12.1, 0, 0, 12.1), mapping, grid));
  assert.ok(!isOnSlice({ ...on, plane: "coronal" }, mapping, grid));
  const second = [-5, 4, 10], x = pixelX(mapping, grid, second), y = pixelY(mapping, grid, second);
  const { place, pixels } = nearestPlace(on, mapping, grid, x + 3, y - 4);
  assert.equal(place, 1);
  assert.ok(Math.abs(pixels - 5) < 1e-9);
});

Deno.test("freeHeight() leaves a label where nothing is, and else moves it to the nearest free line", () => {
  const at = (left: number, y: number) => ({ left, right: left + 100, y });
  assert.equal(freeHeight(at(0, 50), [], 17), 50);
  assert.equal(freeHeight(at(0, 50), [at(100, 50), at(0, 67), at(0, 33)], 17), 50);
  assert.equal(freeHeight(at(50, 50), [at(0, 50)], 17), 67);
  assert.equal(freeHeight(at(50, 50), [at(0, 50), at(0, 67)], 17), 33);
  // without any free position, the label stays at its original position
  const full = Array.from({ length: 30 }, (_, n) => at(0, 10 * n - 100));
  assert.equal(freeHeight(at(50, 50), full, 17), 50);
});

Deno.test("freeHeight() moves a label to no line beyond the pane's edge", () => {
  const at = (y: number) => ({ left: 0, right: 100, y });
  assert.equal(freeHeight(at(195), [at(195)], 17, 10, 200), 178);
  assert.equal(freeHeight(at(12), [at(12), at(29)], 17, 10, 200), 46);
});

Deno.test("insidePane() moves a label in from every edge and leaves one that is inside", () => {
  const pane = { width: 300, height: 200 };
  const moved = (left: number, y: number, length = 80) =>
    insidePane({ left, right: left + length, y }, pane, 3, 16);
  assert.deepEqual(moved(100, 100), { left: 100, right: 180, y: 100 });
  assert.deepEqual(moved(280, 100), { left: 217, right: 297, y: 100 });
  assert.deepEqual(moved(-30, 100), { left: 3, right: 83, y: 100 });
  assert.deepEqual(moved(100, 2), { left: 100, right: 180, y: 11 });
  assert.deepEqual(moved(100, 199), { left: 100, right: 180, y: 189 });
  // a label that is wider than the pane starts at the pane's left edge
  assert.equal(moved(-10, 100, 400).left, 3);
});

Deno.test("drawMeasurements() writes values of a series on its own images alone", () => {
  const grid = gridOf(
    [40, 50, 20],
    affineFromRows([[1, 0, 0, -20], [0, 1, 0, -25], [0, 0, 1, -10]]),
  );
  const scene = createScene(grid), mapping = createPaneMapping("axial");
  mapPane(mapping, scene, grid, 300, 260);
  const statistics = { mean: 494, sd: 177, low: 277, high: 688, pixels: 119 };
  const pointsMm = [0, 0, scene.crosshairMm[2]!, 10, 10, scene.crosshairMm[2]!];
  const region: Measurement = {
    kind: "rectangle",
    plane: "axial",
    series: "t1",
    pointsMm,
    statistics,
  };
  const wordsOn = (series: "t1" | "t2") => {
    const words: string[] = [], nothing = () => {};
    const context = new Proxy({
      canvas: { width: 300, height: 260 },
      measureText: () => ({ width: 50 }),
      fillText: (text: string) => words.push(text),
    }, { get: (own, key) => key in own ? own[key as keyof typeof own] : nothing, set: () => true });
    drawMeasurements(
      context as unknown as CanvasRenderingContext2D,
      [region],
      mapping,
      grid,
      series,
      1,
    );
    return words;
  };
  assert.deepEqual([wordsOn("t1"), wordsOn("t2")], [["100\u00a0mm² · 494 ± 177"], [
    "100\u00a0mm²",
  ]]);
});
