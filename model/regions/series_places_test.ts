import assert from "node:assert/strict";
import {
  affineFromRows,
  applyAffine,
  compose,
  invert,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { Random } from "@/model/random.ts";
import { faceConnected, placesOfLesions } from "@/model/regions/series_places.ts";

// covers: S-134
const MAP: Shape = [60, 50, 40];
const MAP_RAS = affineFromRows<"Ras", "Ijk">([[-1, 0, 0, 30], [0, 1, 0, -25], [0, 0, 1, -20]]);

/** Left and right white matter, cortex all around, and a ventricle in the middle of each side. */
function labelMap(): Uint8Array {
  const labels = new Uint8Array(MAP[0] * MAP[1] * MAP[2]);
  for (let k = 0, v = 0; k < MAP[2]; k++) {
    for (let j = 0; j < MAP[1]; j++) {
      for (let i = 0; i < MAP[0]; i++, v++) {
        // patient's right is at low i
        const isRight = i < MAP[0] / 2, x = isRight ? i : MAP[0] - 1 - i;
        const isEdge = x < 3 || j < 3 || j >= MAP[1] - 3 || k < 3 || k >= MAP[2] - 3;
        const isVentricle = x >= 24 && x <= 27 && j >= 15 && j <= 34 && k >= 14 && k <= 25;
        labels[v] = isEdge
          ? (j < MAP[1] / 2 ? 87 : 39) + Number(isRight)
          : isVentricle
          ? 15 + Number(isRight)
          : 1 + Number(isRight);
      }
    }
  }
  return labels;
}

/** Balls in mm of the map, and the place of each. */
const BALLS: [centre: Vec3, radius: number, place: string][] = [
  [[14, 30, 20], 4, "R frontal deep_white"],
  [[20, 30, 20], 5, "R frontal periventricular"],
  [[39, 18, 20], 5, "L occipital periventricular"],
  [[52, 12, 20], 6, "L occipital juxtacortical"],
];

/** A grid of FLAIR slices of 3 mm in an order of axes, turned against the map and moved. */
function seriesOf(order: readonly number[], flips: number) {
  const spacing = [0.9, 0.9, 3], count = [70, 60, 15];
  const [c, s] = [Math.cos(0.1), Math.sin(0.1)], turn = [[c, -s, 0], [s, c, 0], [0, 0, 1]];
  const rows = turn.map((row, r) => {
    const steps = order.map((axis) => row[axis]! * spacing[axis]! * (flips >> axis & 1 ? -1 : 1));
    const start = row.reduce(
      (sum, part, axis) =>
        sum + part * spacing[axis]! * (count[axis]! - 1) * (flips >> axis & 1 ? 0.5 : -0.5),
      0,
    );
    return [...steps, start + [5, -4, 3][r]!];
  });
  const rasFromIjk = affineFromRows<"Ras", "Ijk">(rows as [number[], number[], number[]]);
  const shape = order.map((axis) => count[axis]!) as Shape;
  // the patient moved between both series
  const mapFromSeries = affineFromRows<"Ras", "Ras">([
    [1, 0, 0, -5],
    [0, 1, 0, 4],
    [0, 0, 1, -3],
  ]);
  return { rasFromIjk, shape, mapFromSeries };
}

const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

Deno.test("placesOfLesions() places thick, turned and moved slices in every storage order", () => {
  const labels = labelMap(), map = { labels, shape: MAP, rasFromIjk: MAP_RAS };
  for (const order of ORDERS) {
    for (let flips = 0; flips < 8; flips++) {
      const series = seriesOf(order, flips), [nx, ny, nz] = series.shape;
      const toMap = compose(
        invert(MAP_RAS),
        compose(series.mapFromSeries, series.rasFromIjk),
      );
      const toRas = compose(series.mapFromSeries, series.rasFromIjk);
      const masks = BALLS.map(() => new Uint8Array(nx * ny * nz));
      const inside: Vec3[] = [];
      for (let k = 0, v = 0; k < nz; k++) {
        for (let j = 0; j < ny; j++) {
          for (let i = 0; i < nx; i++, v++) {
            const [x, y, z] = applyAffine(toMap, [i, j, k]);
            BALLS.forEach(([centre, radius], n) => {
              if (Math.hypot(x - centre[0], y - centre[1], z - centre[2]) > radius) return;
              const at = Math.round(x) + MAP[0] * (Math.round(y) + MAP[1] * Math.round(z));
              if (labels[at] !== 1 && labels[at] !== 2) return;
              masks[n]![v] = 1;
              inside[n] ??= applyAffine(toRas, [i, j, k]);
            });
          }
        }
      }
      BALLS.forEach(([, , expected], n) => {
        const [place] = placesOfLesions([inside[n]!], map, { mask: masks[n]!, ...series });
        const found = `${place?.side} ${place?.lobe} ${place?.site}`;
        assert.equal(found, expected, `order ${order}, flips ${flips}`);
      });
    }
  }
});

Deno.test("placesOfLesions() has no place for a centre outside of the series or of its lesions", () => {
  const series = seriesOf([0, 1, 2], 0), [nx, ny, nz] = series.shape;
  const map = { labels: labelMap(), shape: MAP, rasFromIjk: MAP_RAS };
  const mask = new Uint8Array(nx * ny * nz);
  assert.deepEqual(placesOfLesions([[0, 0, 0], [900, 0, 0]], map, { mask, ...series }), [
    null,
    null,
  ]);
});

Deno.test("faceConnected() is the fixed point of spreading over faces", () => {
  const random = new Random(5), shape: Shape = [7, 6, 5];
  for (let n = 0; n < 40; n++) {
    const mask = Uint8Array.from({ length: 210 }, () => Number(random.uniform() < 0.45));
    const first = mask.indexOf(1), reached = new Set([first]);
    for (let size = 0; size !== reached.size;) {
      size = reached.size;
      for (let v = 0; v < mask.length; v++) {
        if (mask[v] === 0) continue;
        const ijk = (w: number) => [w % 7, Math.floor(w / 7) % 6, Math.floor(w / 42)];
        const isBeside = [...reached].some((w) =>
          ijk(w).reduce((sum, index, axis) => sum + Math.abs(index - ijk(v)[axis]!), 0) === 1
        );
        if (isBeside) reached.add(v);
      }
    }
    const found = faceConnected(mask, shape, first).sort((a, b) => a - b);
    assert.deepEqual(found, [...reached].sort((a, b) => a - b));
  }
});
