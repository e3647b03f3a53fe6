/**
 * Accuracy of the viewer's alignment of two studies. The map between the studies combines their
 * registrations to the atlas. It is compared with known movements of simulated heads,
 * and with labelled regions of one person in two scanners.
 *
 * deno task bench alignment [FOLDER with labelled/nomis_philips and nomis_siemens] [--json FILE]; some minutes.
 */
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import { readMgh } from "@/bench/truth/mgh.ts";
import { quantile } from "@/bench/viewer/rows.ts";
import {
  type Affine,
  affineFromRows,
  applyAffine,
  compose,
  invert,
  type Vec3,
} from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { viewerFromOther } from "@/server/core/reading/service/comparables.ts";
import { tilted } from "@/server/commands/demo/phantom/grid.ts";
import { movedHead } from "@/server/commands/demo/phantom/head.ts";
import { keptHead } from "@/server/commands/demo/phantom/kept_head.ts";
import { scanVolume, T1_GRID } from "@/server/commands/demo/phantom/dicom/series.ts";
import { labelAt } from "@/server/commands/demo/phantom/truth.ts";
import { affine_parameters, initSync } from "@/wasm/pkg/tests/bind_tests.js";

const FOLDER = Deno.args.find((text) => !text.startsWith("--") && existsSync(text)) ??
  "../shared/data";
const figure = rowMaker("alignment");
initSync({
  module: Deno.readFileSync(new URL("../wasm/pkg/tests/bind_tests_bg.wasm", import.meta.url)),
});
const atlas = ["template", "prior_labels", "prior_weights"].map((name) =>
  gunzipSync(
    Deno.readFileSync(new URL(`../server/core/engine/atlas/${name}.npy.gz`, import.meta.url)),
  )
);
const ENDS = Uint32Array.of(atlas[0]!.length, atlas[0]!.length + atlas[1]!.length);
const ATLAS = Buffer.concat(atlas);

/** Affine map from atlas to volume from the engine's parameters: rotation, then scale and shear. */
function subjectFromAtlas({ voxels, shape, rasFromIjk }: Volume): Affine<"Ras", "Ras"> {
  const p = affine_parameters(
    ATLAS,
    ENDS,
    Int16Array.from(voxels),
    new Uint32Array(shape),
    rasFromIjk,
  );
  const [x, y, z] = [p[0]!, p[1]!, p[2]!], angle = Math.hypot(x, y, z);
  const k = [[0, -z, y], [z, 0, -x], [-y, x, 0]];
  const times = (a: number[][], b: number[][]) =>
    a.map((row) => [0, 1, 2].map((c) => row.reduce((sum, v, n) => sum + v * b[n]![c]!, 0)));
  const kk = times(k, k),
    first = Math.sin(angle) / angle,
    second = (1 - Math.cos(angle)) / angle ** 2;
  const turn = [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => (i === j ? 1 : 0) + first * k[i]![j]! + second * kk[i]![j]!)
  );
  const size = [[Math.exp(p[6]!), 0, 0], [0, Math.exp(p[7]!), 0], [0, 0, Math.exp(p[8]!)]];
  const linear = times(turn, times(size, [[1, p[9]!, p[10]!], [0, 1, p[11]!], [0, 0, 1]]));
  return affineFromRows(linear.map((row, r) => [...row, p[3 + r]!]));
}

const away = (a: Vec3, b: Vec3) => Math.hypot(...a.map((mm, r) => mm - b[r]!));

const MOVES: readonly [turnDeg: Vec3, shiftMm: Vec3][] = [
  [[0, 0, 0], [3, -2, 4]],
  [[5, 0, 0], [0, 0, 0]],
  [[-8, 6, 4], [6, 5, -9]],
  [[12, -10, 15], [-12, 10, 8]],
];

/** Alignment error over the brain of a head that was moved by a known amount. */
function phantomRows(): Row[] {
  const head = keptHead({ resolutionMm: 2 }), errors: number[] = [];
  const grid = { ...T1_GRID, shape: [128, 128, 112] as Vec3, spacingMm: [1.9, 1.9, 1.6] as Vec3 };
  const scanned = (one: typeof head) =>
    subjectFromAtlas(scanVolume(one, { grid, sliceThicknessMm: 1.6 }));
  const own = scanned(head);
  for (const [turnDeg, shiftMm] of MOVES) {
    const columns = tilted([[1, 0, 0], [0, 1, 0], [0, 0, 1]], turnDeg);
    const there = affineFromRows<"Ras", "Ras">(
      [0, 1, 2].map((r) => [columns[0][r]!, columns[1][r]!, columns[2][r]!, shiftMm[r]!]),
    );
    const found = viewerFromOther(own, scanned(movedHead(head, turnDeg, shiftMm)));
    for (let z = -60; z <= 90; z += 8) {
      for (let y = -110; y <= 80; y += 8) {
        for (let x = -72; x <= 72; x += 8) {
          if (labelAt(head, [x, y, z]) > 0) {
            errors.push(away(applyAffine(found, applyAffine(there, [x, y, z])), [x, y, z]));
          }
        }
      }
    }
  }
  const n = `${MOVES.length} moves of a phantom, ${errors.length} places of its brain`;
  return [
    figure(`${n}: error, mean`, errors.reduce((a, b) => a + b) / errors.length, "mm"),
    figure(`${n}: error, p95`, quantile(errors, 0.95), "mm"),
  ];
}

/** Centroid of each labelled region with at least a minimum volume in mm³; RAS, mm. */
function centroids({ voxels, shape: [nx, ny], rasFromIjk }: Volume): Map<number, Vec3> {
  const sums = new Map<number, number[]>();
  for (let v = 0; v < voxels.length; v++) {
    const label = voxels[v]!;
    if (label === 0) continue;
    const sum = sums.get(label) ?? [0, 0, 0, 0];
    [1, v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))].forEach((part, at) =>
      sum[at]! += part
    );
    sums.set(label, sum);
  }
  const large = [...sums].filter(([, [n]]) => n! >= 800);
  return new Map(
    large.map((
      [label, [n, i, j, k]],
    ) => [label, applyAffine(rasFromIjk, [i! / n!, j! / n!, k! / n!])]),
  );
}

/** Distances between the centroids of the regions of one person in two scanners. */
function personRows(): Row[] {
  const folders = ["nomis_philips", "nomis_siemens"].map((name) => `${FOLDER}/labelled/${name}`);
  if (!folders.every((folder) => existsSync(folder))) return [];
  const [a, b] = folders.map((folder) => ({
    map: subjectFromAtlas(readMgh(Deno.readFileSync(`${folder}/brain.mgz`))),
    middles: centroids(readMgh(Deno.readFileSync(`${folder}/aparc+aseg.mgz`))),
  }));
  const found = viewerFromOther(a!.map, b!.map);
  const errors = [...a!.middles].flatMap(([label, middle]) => {
    const other = b!.middles.get(label);
    return other ? [away(applyAffine(found, other), middle)] : [];
  });
  const n = `one person in two scanners, middles of ${errors.length} painted regions`;
  const full = compose(a!.map, invert(b!.map));
  const affine = [...a!.middles].flatMap(([label, middle]) => {
    const other = b!.middles.get(label);
    return other ? [away(applyAffine(full, other), middle)] : [];
  });
  return [
    figure(`${n}: error, mean`, errors.reduce((x, y) => x + y) / errors.length, "mm"),
    figure(`${n}: error, p95`, quantile(errors, 0.95), "mm"),
    figure(
      `${n}, scale and shear kept: error, mean`,
      affine.reduce((x, y) => x + y) / affine.length,
      "mm",
    ),
  ];
}

finish("deno task bench alignment", "registration of each study to the atlas", [
  ...phantomRows(),
  ...personRows(),
]);
