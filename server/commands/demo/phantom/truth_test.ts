import assert from "node:assert/strict";
import { affineFromRows, applyAffine, invert, type Shape, type Vec3 } from "@/model/geometry.ts";
import { CONDITIONS, scanFlair, scanT1 } from "@/server/commands/demo/phantom/conditions.ts";
import { makeHead, makeShape, movedHead } from "@/server/commands/demo/phantom/head.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import {
  lesionsOf,
  lesionsOn,
  partLesions,
  PERIVENTRICULAR_MM,
} from "@/server/commands/demo/phantom/lesions.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { scanVolume } from "@/server/commands/demo/phantom/dicom/series.ts";
import { ribbonOf } from "@/server/commands/demo/phantom/ribbon.ts";
import { readThickness, thicknessOf } from "@/server/commands/demo/phantom/thickness.ts";
import { labelAt, landmarksOf, truthOn } from "@/server/commands/demo/phantom/truth.ts";

const SIDE = 48;
const CUBE: Shape = [SIDE, SIDE, SIDE];

/** Labels of a cube of voxels by the distance from its middle, in voxels. */
function balls(labelAtRadius: (r: number) => number): Uint8Array {
  const c = (SIDE - 1) / 2;
  return Uint8Array.from({ length: SIDE ** 3 }, (_, v) => {
    const [i, j, k] = [v % SIDE, Math.floor(v / SIDE) % SIDE, Math.floor(v / SIDE ** 2)];
    return labelAtRadius(Math.hypot(i - c, j - c, k - c));
  });
}

/** A head of nothing but labels, one voxel a millimetre of the scanner. */
const headFrom = (labels: Uint8Array, base: Head): Head => ({
  ...base,
  options: { ...base.options, scale: 1, resolutionMm: 1 },
  shape: CUBE,
  resolutionMm: 1,
  rasFromIjk: affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]),
  labels,
});

const sphereMl = (r: number) => 4 / 3 * Math.PI * r ** 3 / 1000;

let made: Head | undefined;
const head = () =>
  made ??= makeHead({
    resolutionMm: 2,
    lesionsMl: [1, 1, 2],
    lesionSites: ["periventricular", "deep"],
  });

Deno.test("truthOn() counts the volume of a ball and of the shell around it, on any grid", () => {
  const ball = headFrom(balls((r) => r < 12 ? 7 : r < 19 ? 19 : 0), head());
  const grids: [Shape, number[][]][] = [
    [CUBE, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]],
    [[100, 60, 40], [[0, 0.8, 0, 0], [0.5, 0, 0, 0], [0, 0, -1.2, 47]]],
    [[64, 64, 64], [[0.8, -0.6, 0, 22], [0.6, 0.8, 0, -22], [0, 0, 1, -8]]],
  ];
  for (const [shape, rows] of grids) {
    const { volumesMl } = truthOn(ball, shape, affineFromRows(rows));
    assert.ok(Math.abs(volumesMl[7]! / sphereMl(12) - 1) < 0.03, `ball ${volumesMl[7]}`);
    assert.ok(
      Math.abs(volumesMl[19]! / (sphereMl(19) - sphereMl(12)) - 1) < 0.03,
      `shell ${volumesMl[19]}`,
    );
  }
});

Deno.test("readThickness() reads a spherical shell with its stated loss", () => {
  for (const [thickness, loss] of [[2, 0.18], [3, 0.26], [4, 0.3]] as const) {
    const labels = balls((r) => r < 14 ? 1 : r < 14 + thickness ? 37 : 0);
    const read = readThickness(
      labels,
      labels.map((l) => Number(l === 1)),
      labels.map((l) => Number(l === 0)),
      CUBE,
      1,
    );
    assert.ok(
      Math.abs(read.meanMm + loss - thickness) < 0.03,
      `${read.meanMm} for ${thickness} mm`,
    );
    assert.equal(read.byLabelMm[37], read.meanMm);
    assert.equal(read.byLabelMm[38], 0);
  }
});

Deno.test("ribbonOf() makes a shell of the thickness it states under flat sheets in any direction", () => {
  const random = new Random(3), c = (SIDE - 1) / 2;
  for (const wanted of [2.1, 3.16, 4.2]) {
    const { depth, thickness } = ribbonOf(wanted);
    assert.ok(Math.abs(thickness - wanted) < 0.12, `${thickness} for ${wanted}`);
    let sum = 0;
    for (let n = 0; n < 12; n++) {
      const direction = [random.normal(), random.normal(), random.normal()];
      const unit = direction.map((x) => x / Math.hypot(...direction)), shift = random.uniform();
      const place = (
        v: number,
      ) => [v % SIDE - c, Math.floor(v / SIDE) % SIDE - c, Math.floor(v / SIDE ** 2) - c];
      const height = (p: number[]) => p.reduce((s, x, a) => s + x * unit[a]!, shift);
      const sheet = Uint8Array.from(
        { length: SIDE ** 3 },
        (_, v) => Math.abs(height(place(v))) < 0.5 ? 1 : 0,
      );
      const distance = distanceTo(sheet, CUBE);
      let ribbon = 0;
      for (let v = 0; v < sheet.length; v++) {
        const p = place(v), h = height(p);
        if (Math.abs(h) < 0.5 || Math.abs(h) > 8) continue;
        if (Math.hypot(...p.map((x, a) => x - h * unit[a]!)) < 12 && distance[v]! < depth) ribbon++;
      }
      sum += ribbon / (2 * Math.PI * 144) / 12;
    }
    assert.ok(Math.abs(sum - thickness) < 0.08, `${sum} under sheets, ${thickness} under a ball`);
  }
});

for (const thicknessMm of [2, 4]) {
  Deno.test(`makeHead() builds a whole ribbon of ${thicknessMm} mm`, () => {
    const { builtMm, read } = thicknessOf(
      makeShape({ corticalThicknessMm: thicknessMm / 0.95, isRibbonWhole: true }),
    );
    assert.ok(Math.abs(builtMm - thicknessMm) < 0.12, `built ${builtMm}`);
    // the reading loses up to 0.3 voxels; narrow gyri lose nothing
    assert.ok(read.meanMm < builtMm + 0.05 && read.meanMm > builtMm - 0.3, `read ${read.meanMm}`);
    const known = read.byLabelMm.filter((mm) => mm > 0);
    assert.equal(known.length, 68);
    const far = known.filter((mm) => Math.abs(mm - read.meanMm) > 0.25).length;
    assert.ok(far <= 6, `${far} regions are far from the mean`);
  });
}

Deno.test("partLesions() parts by the nearest of all ventricle voxels", () => {
  const random = new Random(11), shape: Shape = [26, 22, 18], mm = 0.95;
  const labels = new Uint8Array(26 * 22 * 18);
  for (let n = 0; n < 12; n++) labels[Math.floor(random.uniform() * 1500)] = 15 + n % 2;
  for (let n = 0; n < 900; n++) labels[Math.floor(random.uniform() * labels.length)] = 28;
  const place = (v: number): Vec3 => [v % 26, Math.floor(v / 26) % 22, Math.floor(v / (26 * 22))];
  const ventricle = [...labels.keys()].filter((v) => labels[v] === 15 || labels[v] === 16).map(
    place,
  );
  const { mask, totalMl, periMl, deepMl } = partLesions(labels, shape, mm);
  let peri = 0, deep = 0;
  for (const [v, label] of labels.entries()) {
    if (label !== 28) {
      assert.equal(mask[v], 0);
      continue;
    }
    const p = place(v);
    const nearest = Math.min(
      ...ventricle.map((q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])),
    );
    const isPeri = nearest * mm <= PERIVENTRICULAR_MM;
    assert.equal(mask[v], isPeri ? 1 : 2);
    if (isPeri) peri++;
    else deep++;
  }
  assert.ok(peri > 20 && deep > 20);
  assert.ok(
    Math.abs(periMl - peri * mm ** 3 / 1000) < 1e-9 &&
      Math.abs(deepMl - deep * mm ** 3 / 1000) < 1e-9,
  );
  assert.ok(Math.abs(totalMl - periMl - deepMl) < 1e-12);
});

Deno.test("makeHead() puts lesions on their sites with their volumes", () => {
  const { totalMl, periMl, deepMl } = lesionsOf(head());
  const madeMl = head().lesionsMl.reduce((a, b) => a + b, 0);
  assert.ok(
    Math.abs(totalMl - madeMl) < 1e-9 && Math.abs(totalMl - 4) < 0.03,
    `${totalMl} and ${madeMl}`,
  );
  assert.ok(periMl >= 0.99 && deepMl >= 0.99, `${periMl} and ${deepMl}`);
  const deep = lesionsOf(
    makeShape({ resolutionMm: 2, lesionsMl: [1, 1], lesionSites: ["deep", "deep"] }),
  );
  assert.ok(deep.periMl === 0 && deep.deepMl > 1.97);
});

Deno.test("lesionsOn() finds the same volumes on an anisotropic grid of a head that moved", () => {
  const moved = movedHead(head(), [2, -3, 4], [3, -2, 4]);
  const { shape, rasFromIjk } = scanFlair(moved, 3, CONDITIONS[0]!);
  const own = lesionsOf(head()), there = lesionsOn(moved, shape, rasFromIjk);
  assert.ok(
    Math.abs(there.totalMl / own.totalMl - 1) < 0.06,
    `${there.totalMl} and ${own.totalMl}`,
  );
  assert.ok(Math.abs(there.periMl / own.periMl - 1) < 0.1, `${there.periMl} and ${own.periMl}`);
  assert.ok(there.mask.some((m) => m === 2));
});

Deno.test("movedHead() takes labels and marks along", () => {
  const moved = movedHead(head(), [10, -5, 20], [3, -2, 4]);
  const back = invert(moved.rasFromIjk);
  for (const { label, rasMm } of landmarksOf(head())) {
    const there = applyAffine(moved.rasFromIjk, applyAffine(invert(head().rasFromIjk), rasMm));
    assert.equal(labelAt(moved, there), label);
    assert.ok(Math.hypot(...there.map((x, a) => x - rasMm[a]!)) > 1);
    assert.ok(applyAffine(back, there).every(Number.isFinite));
  }
  const away = Math.hypot(...moved.capsuleRasMm.map((x, a) => x - head().capsuleRasMm[a]!));
  assert.ok(away > 5 && away < 60);
});

/** Mean of a volume over voxels of some labels, white matter = 1. */
function meanOf(
  volume: ReturnType<typeof scanT1>,
  labels: Uint8Array,
  isOf: (label: number) => boolean,
): number {
  let sum = 0, n = 0;
  labels.forEach((label, v) => {
    if (isOf(label)) [sum, n] = [sum + volume.voxels[v]! / 600, n + 1];
  });
  return sum / n;
}

Deno.test("scanFlair() shows grey brighter than white, fluid dark and lesions brightest; scanT1() the reverse", () => {
  const plain = { ...CONDITIONS[0]!, noisePercent: 1, biasPercent: 0 };
  for (
    const [volume, isFlair] of [[scanT1(head(), plain), false], [
      scanFlair(head(), 3, plain),
      true,
    ]] as const
  ) {
    const { labels } = truthOn(head(), volume.shape, volume.rasFromIjk);
    const white = meanOf(volume, labels, (l) => l === 1 || l === 2);
    const grey = meanOf(volume, labels, (l) => l === 7 || l === 8),
      fluid = meanOf(volume, labels, (l) => l === 15);
    const lesion = meanOf(volume, labels, (l) => l === 28);
    assert.equal(grey > white, isFlair);
    assert.equal(lesion > white, isFlair);
    assert.ok(fluid < Math.min(grey, white));
  }
});

Deno.test("scanT1() has the noise and the gain that its condition names", () => {
  const plain = { ...CONDITIONS[0]!, noisePercent: 1, biasPercent: 0 };
  const quiet = scanT1(head(), plain), { labels } = truthOn(head(), quiet.shape, quiet.rasFromIjk);
  const differences = (other: ReturnType<typeof scanT1>) => {
    let sum = 0, squares = 0, n = 0, low = Infinity, high = 0;
    labels.forEach((label, v) => {
      if (label !== 1 && label !== 2) return;
      const d = (other.voxels[v]! - quiet.voxels[v]!) / 600,
        gain = other.voxels[v]! / quiet.voxels[v]!;
      [sum, squares, n] = [sum + d, squares + d * d, n + 1];
      if (quiet.voxels[v]! > 500) [low, high] = [Math.min(low, gain), Math.max(high, gain)];
    });
    return { sd: Math.sqrt(squares / n - (sum / n) ** 2), low, high };
  };
  const { sd } = differences(scanT1(head(), { ...plain, noisePercent: 9 }));
  assert.ok(sd > 0.07 && sd < 0.11, `sd ${sd}`);
  const { low, high } = differences(scanT1(head(), { ...plain, biasPercent: 40 }));
  assert.ok(low > 0.55 && low < 0.85 && high > 1.1 && high < 1.6, `gain ${low} to ${high}`);
});

Deno.test("scanVolume() and the conditions are the same every time and hold every rotation", () => {
  assert.ok(
    CONDITIONS.some((c) => c.noisePercent === 1) && CONDITIONS.some((c) => c.noisePercent === 9),
  );
  assert.ok(
    CONDITIONS.some((c) => c.biasPercent === 0) && CONDITIONS.some((c) => c.biasPercent === 40),
  );
  assert.ok(CONDITIONS.some((c) => c.sliceMm === 4));
  assert.equal(
    CONDITIONS.filter((c) => c.rotationDeg.some((deg) => Math.abs(deg) === 20)).length,
    4,
  );
  assert.equal(new Set(CONDITIONS.map((c) => c.name)).size, CONDITIONS.length);
  assert.deepEqual(scanVolume(head()), scanVolume(head()));
});
