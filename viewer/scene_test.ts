// covers: S-42
import assert from "node:assert/strict";
import { affineFromRows, applyAffine, type Vec3 } from "@/model/geometry.ts";
import { gridOf } from "@/viewer/grid.ts";
import { directionLetters, marksOf } from "@/viewer/slices/orientation.ts";
import { createPicked, pick, pixelX, pixelY } from "@/viewer/slices/marks/pick.ts";
import {
  createPaneMapping,
  createScene,
  fittingMmPerPixel,
  mapPane,
  panPane,
  PLANES,
  scrollSlices,
  setField,
  sliceCount,
  sliceNumber,
  zoomPane,
} from "@/viewer/scene.ts";

const grid = gridOf(
  [180, 220, 190],
  affineFromRows([[1, 0, 0, -90], [0, 1, 0, -126], [0, 0, 1, -72]]),
);

Deno.test("marksOf() puts the patient's left on the image's right in the radiological convention", () => {
  assert.deepEqual(marksOf(grid, "axial", "radiological"), {
    left: "R",
    right: "L",
    top: "A",
    bottom: "P",
  });
  assert.deepEqual(marksOf(grid, "coronal", "radiological"), {
    left: "R",
    right: "L",
    top: "S",
    bottom: "I",
  });
  assert.deepEqual(marksOf(grid, "sagittal", "radiological"), {
    left: "A",
    right: "P",
    top: "S",
    bottom: "I",
  });
  assert.deepEqual(marksOf(grid, "axial", "neurological"), {
    left: "L",
    right: "R",
    top: "A",
    bottom: "P",
  });
  assert.deepEqual(marksOf(grid, "sagittal", "neurological"), {
    left: "A",
    right: "P",
    top: "S",
    bottom: "I",
  });
});

Deno.test("marksOf() gives a volume that is stored from the other ends the same letters", () => {
  const stored = gridOf(
    [180, 220, 190],
    affineFromRows([[-1, 0, 0, 90], [0, -1, 0, 126], [0, 0, -1, 72]]),
  );
  for (const plane of PLANES) {
    for (const convention of ["radiological", "neurological"] as const) {
      assert.deepEqual(marksOf(stored, plane, convention), marksOf(grid, plane, convention));
    }
  }
});

Deno.test("directionLetters() names the second direction of an oblique axis from 15° on", () => {
  const at = (
    degrees: number,
  ) => [-Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180), 0];
  assert.deepEqual([0, 14, 16, 44, 46, 90].map((d) => directionLetters(at(d))), [
    "L",
    "L",
    "LA",
    "LA",
    "AL",
    "A",
  ]);
});

Deno.test("pick() gives back the place that pixelX() and pixelY() came from, in every plane and convention", () => {
  const scene = createScene(grid);
  scene.crosshairMm.set([-23.4, 11.2, 8.9]);
  for (const convention of ["radiological", "neurological"] as const) {
    scene.convention = convention;
    for (const plane of PLANES) {
      Object.assign(scene.views[plane], { zoom: 2.3, panXMm: 7, panYMm: -12 });
      const mapping = createPaneMapping(plane);
      mapPane(mapping, scene, grid, 640, 400);
      const picked = createPicked();
      const x = pixelX(mapping, grid, scene.crosshairMm),
        y = pixelY(mapping, grid, scene.crosshairMm);
      pick(picked, mapping, grid, null, x, y);
      for (let r = 0; r < 3; r++) {
        const isThrough = r === { axial: 2, coronal: 1, sagittal: 0 }[plane];
        const tolerance = isThrough ? 0.5 : 1e-9;
        assert.ok(
          Math.abs(picked.rasMm[r]! - scene.crosshairMm[r]!) <= tolerance,
          `${plane} axis ${r}`,
        );
      }
      // the picked voxel contains the pixel's centre, which is at most half a pixel away
      const slackMm = 0.5 + mapping.mmPerPixel / 2 + 1e-9;
      const back = applyAffine(grid.rasFromIjk, [...picked.ijk] as [number, number, number]);
      assert.ok(back.every((mm, r) => Math.abs(mm - picked.rasMm[r]!) <= slackMm));
    }
  }
});

Deno.test("zoomPane() keeps the point under the cursor, panPane() moves it with the hand", () => {
  const scene = createScene(grid), mapping = createPaneMapping("coronal"), picked = createPicked();
  const look = (x: number, y: number) => {
    mapPane(mapping, scene, grid, 500, 410);
    pick(picked, mapping, grid, null, x, y);
    return [...picked.rasMm];
  };
  const before = look(123, 321);
  zoomPane(scene, mapping, 1.7, 123, 321);
  const after = look(123, 321);
  assert.ok(before.every((mm, r) => Math.abs(mm - after[r]!) < 1e-9));
  panPane(scene, mapping, 30, -12);
  assert.ok(look(153, 309).every((mm, r) => Math.abs(mm - after[r]!) < 1e-9));
});

Deno.test("scrollSlices() stops at the first and the last slice and counts from left, back and bottom", () => {
  for (const flip of [1, -1]) {
    const flipped = gridOf(
      [9, 8, 7],
      affineFromRows([[0, 0, flip * 2, 0], [flip, 0, 0, 0], [0, flip * 3, 0, 0]]),
    );
    const scene = createScene(flipped);
    for (const plane of PLANES) {
      const mapping = createPaneMapping(plane), count = sliceCount(flipped, plane);
      const number = () => {
        mapPane(mapping, scene, flipped, 50, 50);
        return sliceNumber(mapping, flipped);
      };
      scrollSlices(scene, flipped, plane, -100);
      assert.equal(number(), 1);
      scrollSlices(scene, flipped, plane, 3);
      assert.equal(number(), 4);
      scrollSlices(scene, flipped, plane, 100);
      assert.equal(number(), count);
    }
    assert.deepEqual([sliceCount(flipped, "sagittal"), sliceCount(flipped, "coronal")], [7, 9]);
  }
});

// covers: D2-2.9
Deno.test("setField() fills the panes with a box at one scale; the stacks start at their middle frame", () => {
  const scene = createScene(grid), picked = createPicked();
  Object.assign(scene.window, { width: 90, level: 45 });
  setField(scene, grid, [20, 159, 30, 189, 60, 179], 10);
  assert.deepEqual(scene.window, { width: 90, level: 45 }, "what the reader chose meanwhile stays");
  assert.deepEqual(
    [...scene.crosshairMm],
    applyAffine(grid.rasFromIjk, grid.shape.map((n) => Math.floor(n / 2)) as Vec3),
  );
  const scales = PLANES.map((plane) => {
    const mapping = createPaneMapping(plane);
    mapPane(mapping, scene, grid, 360, 360);
    pick(picked, mapping, grid, null, 180, 180);
    const centre = applyAffine(grid.rasFromIjk, [89.5, 109.5, 119.5]);
    const through = { axial: 2, coronal: 1, sagittal: 0 }[plane];
    assert.ok(centre.every((mm, r) => r === through || Math.abs(mm - picked.rasMm[r]!) < 1e-9));
    return mapping.mmPerPixel;
  });
  // 160 + 2 × 10 mm from front to back is the longest side.
  assert.deepEqual(scales, [0.5, 0.5, 0.5]);
});

Deno.test("fittingMmPerPixel() shows all planes at one scale, or lets each fill its own pane", () => {
  const box = gridOf([100, 200, 50], affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const scene = createScene(box);
  for (const plane of PLANES) assert.equal(fittingMmPerPixel(scene, box, plane, 100, 100), 2);
  scene.isOneScale = false;
  assert.deepEqual(PLANES.map((plane) => fittingMmPerPixel(scene, box, plane, 100, 100)), [
    2,
    1,
    2,
  ]);
  assert.deepEqual(PLANES.map((plane) => fittingMmPerPixel(scene, box, plane, 100, 400)), [
    1,
    1,
    2,
  ]);
});
