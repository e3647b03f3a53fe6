import assert from "node:assert/strict";
import { affineFromRows, applyAffine } from "@/model/geometry.ts";
import { areaMm2, IN_PLANE } from "@/model/regions/measured_shape.ts";
import { gridOf } from "@/viewer/grid.ts";
import "@/viewer/reading/kernels_testing.ts";
import { originalAt, type OriginalVolume } from "@/viewer/reading/original_volume.ts";
import { plainStatistics } from "@/viewer/reading/plain_statistics_testing.ts";
import { regionVoxels, statisticsOf } from "@/viewer/reading/region_pixels.ts";
import { measured, type Measurement } from "@/viewer/slices/marks/measure.ts";

/** A grid stored from left to right, with voxels of 2 mm across and 1 mm down. */
const GRID = gridOf(
  [40, 60, 30],
  affineFromRows([[-2, 0, 0, 40], [0, 1, 0, -30], [0, 0, 1.5, -20]]),
);
/** Original values on the same grid, as a scanner stores them. */
const SAME: OriginalVolume = {
  voxels: Int16Array.from({ length: 40 * 60 * 30 }, (_, at) => at * 31 % 4000 - 500),
  slope: 0.5,
  intercept: 1e6,
  shape: [40, 60, 30],
  ijkFromRas: GRID.ijkFromRas,
};

const region = (
  kind: Measurement["kind"],
  pointsMm: number[],
  plane: Measurement["plane"] = "axial",
) => ({
  kind,
  plane,
  pointsMm,
});
const count = (measurement: Measurement) => regionVoxels(measurement, GRID, SAME).length;

Deno.test("regionVoxels() are the voxels whose centres are inside, on the region's slice alone", () => {
  // voxel centres at −10, −8 … 10 mm across, and 0 … 20 mm down
  assert.equal(count(region("rectangle", [-10, 0, 10, 10, 20, 10])), 11 * 21);
  assert.equal(count(region("rectangle", [-9.9, 0.1, 10, 9.9, 19.9, 10])), 9 * 19);
  // the same region given by the other two corners, and a region in another plane
  assert.equal(count(region("rectangle", [10, 0, 10, -10, 20, 10])), 11 * 21);
  assert.equal(count(region("rectangle", [-10, 5, 1, 10, 5, 4], "coronal")), 11 * 3);
  // a region outside the volume has no pixels
  assert.equal(count(region("rectangle", [500, 500, 10, 600, 600, 10])), 0);
  assert.equal(count(region("rectangle", [-10, 0, 500, 10, 20, 500])), 0);
  const slices = regionVoxels(region("ellipse", [-10, 0, 10, 10, 20, 10]), GRID, SAME)
    .map((voxel) => Math.floor(voxel / 2400));
  assert.deepEqual([...new Set(slices)], [20]);
});

Deno.test("the pixels of ellipse and outline cover their area", () => {
  const ellipse = region("ellipse", [-20, -20, 10, 20, 10, 10]);
  assert.ok(Math.abs(areaMm2(ellipse) - Math.PI * 20 * 15) < 1e-9);
  assert.ok(Math.abs(count(ellipse) * 2 - areaMm2(ellipse)) / areaMm2(ellipse) < 0.03);
  // an outline in the shape of an arrow: its notch is outside
  const arrow = region("freehand", [-20, -20, 10, 20, -20, 10, 0, -10, 10, 0, 20, 10]);
  assert.ok(Math.abs(count(arrow) * 2 - areaMm2(arrow)) / areaMm2(arrow) < 0.06);
});

Deno.test("statisticsOf() equals its plain twin, on an askew grid and with a volume that lies elsewhere", () => {
  const askew = gridOf(
    [40, 60, 30],
    affineFromRows([[-2, 0.1, 0, 40], [0.1, 1, 0.2, -30], [0, -0.1, 1.5, -20]]),
  );
  const other: OriginalVolume = {
    ...SAME,
    voxels: SAME.voxels.slice(0, 20 * 50 * 24),
    shape: [20, 50, 24],
    ijkFromRas: affineFromRows([[0.3, 0.02, 0, 9], [0, 0.9, 0.1, 20], [0.01, 0, 0.7, 11]]),
  };
  let pixels = 0;
  for (const [n, plane] of (["axial", "coronal", "sagittal"] as const).entries()) {
    for (const kind of ["ellipse", "rectangle", "freehand"] as const) {
      const [a, b] = IN_PLANE[plane], middle = applyAffine(askew.rasFromIjk, [19, 31, 14]);
      const place = (x: number, y: number) => {
        const mm = [...middle];
        mm[a]! += x;
        mm[b]! += y;
        return mm;
      };
      const pointsMm = kind === "freehand"
        ? [place(-14.3, -9), place(15, -8.2 - n), place(1, -2), place(3.1, 13)].flat()
        : [place(-13.2, -8.7 - n), place(16.1, 12.4)].flat();
      const one = { kind, plane, pointsMm };
      for (const [grid, volume] of [[askew, SAME], [askew, other], [GRID, other]] as const) {
        const found = statisticsOf(one, grid, volume);
        assert.deepEqual(found, plainStatistics(one, grid, (rasMm) => originalAt(volume, rasMm)));
        pixels += found?.pixels ?? 0;
      }
    }
  }
  assert.ok(pixels > 2000, `${pixels}`);
  const box = region("rectangle", [-10, 0, 10, 10, 20, 10]);
  assert.equal(statisticsOf(box, GRID, { ...SAME, shape: [1, 1, 1] }), null);
  const figures = { mean: 812.4, sd: 20.2, low: 1, high: 2, pixels: 3 };
  assert.equal(measured({ ...box, statistics: figures }), "400\u00a0mm² · 812 ± 20");
  assert.equal(measured(box), "400\u00a0mm²");
});
