// covers: S-46
import assert from "node:assert/strict";
import { affineFromRows } from "@/model/geometry.ts";
import { affineRow, gridOf } from "@/viewer/grid.ts";
import { mosaicShape, mosaicSlices, nearestSlice } from "@/viewer/slices/mosaic.ts";
import { createScene, PLANES, throughAxis } from "@/viewer/scene.ts";

Deno.test("mosaicSlices() runs from the patient's top, front and right, whatever the storage order", () => {
  for (const signs of [[1, 1, 1], [-1, 1, -1], [-1, -1, -1]]) {
    const grid = gridOf(
      [60, 50, 40],
      affineFromRows(signs.map((sign, r) => [0, 1, 2].map((a) => a === r ? sign : 0).concat(0))),
    );
    const scene = createScene(grid);
    for (const plane of PLANES) {
      const slices = mosaicSlices(scene, grid, plane, 12), ras = throughAxis[plane];
      assert.equal(new Set(slices).size, 12);
      const places = slices.map((slice) => {
        const ijk = [0, 0, 0];
        ijk[grid.voxelAxis[ras]!] = slice;
        return affineRow(grid.rasFromIjk, ras, ijk);
      });
      assert.deepEqual(places, places.toSorted((a, b) => b - a), `${plane} ${signs}`);
    }
  }
});

Deno.test("mosaicSlices() stays in the field and shows each slice once when there are few", () => {
  const grid = gridOf([20, 20, 9], affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 5, 0]]));
  const scene = createScene(grid);
  assert.deepEqual(mosaicSlices(scene, grid, "axial", 24), [8, 7, 6, 5, 4, 3, 2, 1, 0]);
  scene.field.centreIjk[2] = 4;
  scene.field.extentMm[2] = 20;
  assert.deepEqual(mosaicSlices(scene, grid, "axial", 24), [6, 5, 4, 3, 2]);
});

Deno.test("nearestSlice() finds the tile of the crosshair, and the end that is nearer to one outside", () => {
  assert.deepEqual([11, 7, 10, 99, -5].map((slice) => nearestSlice([20, 16, 12, 8], slice)), [
    2,
    3,
    2,
    0,
    3,
  ]);
});

Deno.test("mosaicShape() makes the tiles as large as they can be", () => {
  assert.deepEqual(mosaicShape(20, 1000, 800, 1), { rows: 4, columns: 5 });
  assert.deepEqual(mosaicShape(20, 400, 1000, 1), { rows: 7, columns: 3 });
  assert.deepEqual(mosaicShape(1, 300, 300, 2), { rows: 1, columns: 1 });
});
