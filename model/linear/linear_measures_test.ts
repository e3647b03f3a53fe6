// covers: S-133
import assert from "node:assert/strict";
import { type Affine, affineFromRows, applyAffine, compose, type Vec3 } from "@/model/geometry.ts";
import { commissuresIn, headFromRas } from "@/model/linear/head_axes.ts";
import type { VoxelMap } from "@/model/linear/head_field.ts";
import { LINEAR_KEYS, type LinearMeasures, measureLinear } from "@/model/linear/linear_measures.ts";

/** A made head, mm from its anterior commissure; widths and angles are exact. */
interface MadeHead {
  /** each roof rises by this from the midline */
  riseDeg: number;
  /** from the midline to the outer end of each body, along its roof */
  roofMm: number;
  thirdMm: number;
  /** turned about the axes to the right, to the front and to the top, degrees */
  turned: Vec3;
}

const DEPTH_MM = 8, INNER_MM = 2, BASE_MM = 12, SKULL: Vec3 = [68, 85, 62], SKULL_MIDDLE_MM = -15;
const radians = (degrees: number) => degrees * Math.PI / 180;

function labelAt([right, front, top]: Vec3, { riseDeg, roofMm, thirdMm }: MadeHead): number {
  if (Math.abs(right) <= thirdMm / 2 && front > -26 && front < 0 && Math.abs(top) < 8) return 25;
  if (front < -45 || front > 32) return 0;
  // along the roof, and below it
  const u = Math.abs(right) - INNER_MM, w = top - BASE_MM, rise = radians(riseDeg);
  const along = u * Math.cos(rise) + w * Math.sin(rise);
  const below = u * Math.sin(rise) - w * Math.cos(rise);
  const isIn = along >= 0 && along <= roofMm && below >= 0 && below <= DEPTH_MM;
  return !isIn ? 0 : right < 0 ? 15 : 16;
}

const turn = (axis: number, degrees: number): Affine<"Ras", "Ras"> => {
  const rows = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
  const [a, b] = [(axis + 1) % 3, (axis + 2) % 3], [c, s] = [radians(degrees), radians(degrees)];
  rows[a]![a] = Math.cos(c), rows[a]![b] = -Math.sin(s);
  rows[b]![a] = Math.sin(s), rows[b]![b] = Math.cos(c);
  return affineFromRows(rows);
};

/**
 * The head on a grid of 1 mm, and its measures.
 * @param darkMm Width of the dark part of the third ventricle; without it, there is no image.
 */
function measured(head: MadeHead, darkMm?: number): LinearMeasures {
  const turned = [0, 1, 2].map((axis) => turn(axis, head.turned[axis]!)).reduce((a, b) =>
    compose(a, b)
  );
  const commissures = commissuresIn(turned), fromRas = headFromRas(commissures);
  const shape: [number, number, number] = [200, 220, 200];
  const rasFromIjk = affineFromRows<"Ras", "Ijk">([
    [1, 0, 0, -100],
    [0, 1, 0, -125],
    [0, 0, 1, -100],
    [0, 0, 0, 1],
  ]);
  const labels = new Uint8Array(200 * 220 * 200),
    inside = new Uint8Array(labels.length),
    image = new Uint8Array(labels.length);
  const headFromIjk = compose(fromRas, rasFromIjk);
  for (let at = 0; at < labels.length; at++) {
    const ijk: Vec3 = [at % 200, Math.floor(at / 200) % 220, Math.floor(at / 44_000)];
    const place = applyAffine(headFromIjk, ijk);
    labels[at] = labelAt(place, head);
    // thalami beside the third ventricle
    if (labels[at] === 0 && Math.abs(place[0]) < 15 && Math.abs(place[2]) < 8) labels[at] = 7;
    const isDark = labels[at] === 25 ? Math.abs(place[0]) < (darkMm ?? 0) / 2 : labels[at] !== 7;
    image[at] = isDark ? 20 : 120;
    const [x, y, z] = [place[0], place[1] - SKULL_MIDDLE_MM, place[2] - 15];
    inside[at] = Math.hypot(x / SKULL[0], y / SKULL[1], z / SKULL[2]) < 1 ? 1 : 0;
  }
  const map = (voxels: Uint8Array): VoxelMap => ({ voxels, shape, rasFromIjk });
  return measureLinear(map(labels), map(inside), commissures, darkMm === undefined ? null : image);
}

/** Known widths in mm and angle in degrees of the simulated head. */
function truthOf({ riseDeg, roofMm, thirdMm }: MadeHead) {
  const rise = radians(riseDeg), reach = roofMm * Math.cos(rise) + DEPTH_MM * Math.sin(rise);
  const horns = 2 * (INNER_MM + reach);
  const height = BASE_MM + roofMm * Math.sin(rise) - DEPTH_MM * Math.cos(rise) - 15;
  const skull = 2 * SKULL[0] * Math.sqrt(1 - (height / SKULL[2]) ** 2);
  return {
    frontal_horns: horns,
    inner_skull: skull,
    evans: horns / skull,
    third_ventricle: thirdMm,
    callosal_angle: 180 - 2 * riseDeg,
  };
}

const ERRORS = {
  frontal_horns: 1.3,
  inner_skull: 1.3,
  evans: 0.01,
  third_ventricle: 0.7,
  callosal_angle: 5,
} as const;
const WIDE: Omit<MadeHead, "turned"> = { riseDeg: 55, roofMm: 30, thirdMm: 12 };
const USUAL: Omit<MadeHead, "turned"> = { riseDeg: 30, roofMm: 14, thirdMm: 5 };
const TURNS: Vec3[] = [
  [0, 0, 0],
  [20, 0, 0],
  [-20, 0, 0],
  [0, 20, 0],
  [0, -20, 0],
  [0, 0, 20],
  [0, 0, -20],
  [12, -15, 10],
];

Deno.test("measureLinear() gives made heads turned by up to 20° the same Evans index, widths and angle", () => {
  for (const [head, turns] of [[WIDE, TURNS], [USUAL, [TURNS[0]!, TURNS.at(-1)!]]] as const) {
    const truth = truthOf({ ...head, turned: [0, 0, 0] });
    for (const turned of turns) {
      const values = measured({ ...head, turned });
      for (const key of LINEAR_KEYS) {
        const read = values[key];
        assert.ok(read, key);
        const off = Math.abs(read.value - truth[key]);
        assert.ok(off <= ERRORS[key], `${key} ${turned}: ${read.value}, true ${truth[key]}`);
        assert.ok(read.low <= read.value && read.value <= read.high, key);
        // not so wide that it says nothing
        assert.ok(read.high - read.low <= 8 * ERRORS[key], `${key} ${read.low}–${read.high}`);
      }
    }
  }
});

Deno.test("measureLinear() takes the dark part of a third ventricle whose label is too wide, and none of a closed one", () => {
  const head: MadeHead = { ...USUAL, thirdMm: 11, turned: [0, 0, 0] };
  assert.ok(Math.abs(measured(head, 5).third_ventricle!.value - 5) <= ERRORS.third_ventricle);
  assert.equal(measured(head, 0).third_ventricle, null);
});
