import assert from "node:assert/strict";
import { affineFromRows } from "@/model/geometry.ts";
import { gridOf } from "@/viewer/grid.ts";
import { areaMm2 } from "@/model/regions/measured_shape.ts";
import { measured, type Measurement } from "@/viewer/slices/marks/measure.ts";
import { eachPixel, statisticsOf } from "@/viewer/reading/region_pixels.ts";

/** Stored from the left, 2 mm across and 1 mm down. */
const GRID = gridOf([40, 60, 30], affineFromRows([[-2, 0, 0, 40], [0, 1, 0, -30], [0, 0, 1.5, -20]]));

const region = (kind: Measurement["kind"], pointsMm: number[], plane: Measurement["plane"] = "axial") => ({
  kind,
  plane,
  pointsMm,
});
const count = (measurement: Measurement) => {
  let n = 0;
  eachPixel(measurement, GRID, () => n++);
  return n;
};

Deno.test("eachPixel() visits the voxels whose centres are inside, on the region's slice alone", () => {
  // centres at −10, −8 … 10 and 0 … 20
  assert.equal(count(region("rectangle", [-10, 0, 10, 10, 20, 10])), 11 * 21);
  assert.equal(count(region("rectangle", [-9.9, 0.1, 10, 9.9, 19.9, 10])), 9 * 19);
  // the other corners, and another plane
  assert.equal(count(region("rectangle", [10, 0, 10, -10, 20, 10])), 11 * 21);
  assert.equal(count(region("rectangle", [-10, 5, 1, 10, 5, 4], "coronal")), 11 * 3);
  // outside of the volume there are none
  assert.equal(count(region("rectangle", [500, 500, 10, 600, 600, 10])), 0);
  const heights = new Set<number>();
  eachPixel(region("ellipse", [-10, 0, 10, 10, 20, 10]), GRID, (rasMm) => heights.add(rasMm[2]!));
  assert.deepEqual([...heights], [10]);
});

Deno.test("the pixels of ellipse and outline cover their area", () => {
  const ellipse = region("ellipse", [-20, -20, 10, 20, 10, 10]);
  assert.ok(Math.abs(areaMm2(ellipse) - Math.PI * 20 * 15) < 1e-9);
  assert.ok(Math.abs(count(ellipse) * 2 - areaMm2(ellipse)) / areaMm2(ellipse) < 0.03);
  // an arrow: its notch is outside
  const arrow = region("freehand", [-20, -20, 10, 20, -20, 10, 0, -10, 10, 0, 20, 10]);
  assert.ok(Math.abs(count(arrow) * 2 - areaMm2(arrow)) / areaMm2(arrow) < 0.06);
});

Deno.test("statisticsOf() is mean, sd and range of the series' own values; NaN is no pixel", () => {
  const box = region("rectangle", [-10, 0, 10, 10, 20, 10]);
  const values: number[] = [];
  const at = (rasMm: ArrayLike<number>) => {
    const value = rasMm[1]! > 15 ? NaN : 1e6 + rasMm[0]! * 3 + rasMm[1]!;
    if (!Number.isNaN(value)) values.push(value);
    return value;
  };
  const found = statisticsOf(box, GRID, at)!;
  const mean = values.reduce((a, b) => a + b) / values.length;
  const sd = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (values.length - 1));
  assert.equal(found.pixels, 11 * 16);
  assert.ok(Math.abs(found.mean - mean) < 1e-6 && Math.abs(found.sd - sd) < 1e-6);
  assert.deepEqual([found.low, found.high], [Math.min(...values), Math.max(...values)]);
  assert.equal(statisticsOf(box, GRID, () => NaN), null);
  assert.equal(measured({ ...box, statistics: { ...found, mean: 812.4, sd: 20.2 } }), "400 mm² · 812 ± 20");
  assert.equal(measured(box), "400 mm²");
});
