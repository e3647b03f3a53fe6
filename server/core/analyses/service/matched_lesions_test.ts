import assert from "node:assert/strict";
import { affineFromRows, applyAffine, compose, invert, type Shape } from "@/model/geometry.ts";
import {
  type LesionVisit,
  matchedLesions,
} from "@/server/core/analyses/service/matched_lesions.ts";
import type { ChangedLesion } from "@/server/core/engine/result.ts";

const SHAPE: Shape = [40, 40, 40], FLAIR_SHAPE: Shape = [40, 40, 14];
/** The masks are on grids of 1 mm, the FLAIR series in slices of 3 mm; the second study is moved. */
const MASK = affineFromRows<"Ras", "Ijk">([[1, 0, 0, -20], [0, 1, 0, -20], [0, 0, 1, -20]]);
const FLAIR = affineFromRows<"Ras", "Ijk">([[1, 0, 0, -20], [0, 1, 0, -20], [0, 0, 3, -19]]);
const MASK_FROM_FLAIR = affineFromRows<"Ras", "Ras">([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]);
const TURNED = affineFromRows<"Ras", "Ras">([
  [Math.cos(0.1), -Math.sin(0.1), 0, 3],
  [Math.sin(0.1), Math.cos(0.1), 0, -2],
  [0, 0, 1, 1],
]);
const STILL = affineFromRows<"Ras", "Ras">([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]);

interface Ball {
  /** RAS mm of the first study's mask */
  mm: readonly [number, number, number];
  radius: number;
}

const volumeOf = (radius: number) => 4 / 3 * Math.PI * radius ** 3;
const isIn = ({ mm, radius }: Ball, at: readonly number[]) =>
  Math.hypot(...at.map((x, axis) => x - mm[axis]!)) <= radius;

/** A study with balls as lesions, and changed balls by number. @param maskFromFirst  RAS mm of its mask from those of the first study's. */
function visit(
  balls: readonly Ball[],
  changed: readonly Ball[],
  maskFromFirst = STILL,
  listed = balls,
): LesionVisit {
  const firstFromMask = invert(maskFromFirst);
  const painted = (shape: Shape, of: (ijk: [number, number, number]) => number) =>
    Uint8Array.from(
      { length: shape[0] * shape[1] * shape[2] },
      (_, v) =>
        of([
          v % shape[0],
          Math.floor(v / shape[0]) % shape[1],
          Math.floor(v / shape[0] / shape[1]),
        ]),
    );
  const fromMask = compose(firstFromMask, MASK);
  const fromFlair = compose(firstFromMask, compose(MASK_FROM_FLAIR, FLAIR));
  return {
    mask: painted(SHAPE, (ijk) => {
      const mm = applyAffine(fromMask, ijk);
      return Number(balls.some((ball) => isIn(ball, mm)));
    }),
    shape: SHAPE,
    rasFromIjk: MASK,
    lesions: listed.map(({ mm, radius }) => ({
      periMm3: 0,
      deepMm3: volumeOf(radius),
      centreRasMm: applyAffine(maskFromFirst, mm),
    })),
    maskFromFlair: MASK_FROM_FLAIR,
    marks: painted(FLAIR_SHAPE, (ijk) => {
      const mm = applyAffine(fromFlair, ijk);
      return 1 + changed.findIndex((ball) => isIn(ball, mm));
    }),
    flairShape: FLAIR_SHAPE,
    flairRasFromIjk: FLAIR,
  };
}

const change = (
  kind: ChangedLesion["kind"],
  wanted: Partial<ChangedLesion> = {},
): ChangedLesion => ({
  kind,
  isSure: true,
  changedMm3: 60,
  beforeMm3: 1,
  afterMm3: 2,
  z: 9,
  centreRasMm: [[0, 0, 0], [0, 0, 0]],
  ...wanted,
});

/** Scanner mm of the first FLAIR to those of the second, where the second mask is moved. */
const MOVED = compose(invert(MASK_FROM_FLAIR), compose(TURNED, MASK_FROM_FLAIR));
const ball = (x: number, y: number, z: number, radius: number): Ball => ({ mm: [x, y, z], radius });
const round = (mm3: number) => Math.round(mm3);

Deno.test("matchedLesions() gives each changed lesion the volumes listed at both studies, also of a moved head", () => {
  const same = ball(-12, -9, 0, 4), grown = ball(8, 8, 2, 3), larger = ball(8, 8, 2, 5);
  const added = ball(-8, 10, -6, 3), gone = ball(9, -9, -4, 3.5);
  const changed = [larger, added, gone];
  const lesions = matchedLesions(
    [
      visit([same, grown, gone], changed),
      visit([same, larger, added], changed, TURNED),
    ],
    [change("new", { z: 7 }), change("new"), change("gone", { z: 8 })],
    MOVED,
  );
  assert.deepEqual(
    lesions.map(({ kind, isSure, beforeMm3, afterMm3, listed }) => [
      kind,
      isSure,
      round(beforeMm3),
      round(afterMm3),
      listed,
    ]),
    [
      ["new", true, 0, round(volumeOf(3)), { before: [], after: [2] }],
      ["gone", true, round(volumeOf(3.5)), 0, { before: [2], after: [] }],
      ["enlarging", true, round(volumeOf(3)), round(volumeOf(5)), { before: [1], after: [1] }],
    ],
  );
});

Deno.test("matchedLesions() makes one lesion of several changes in it, and of two that joined", () => {
  const one = ball(-5, 0, 0, 4), other = ball(5, 0, 0, 4), bridge = ball(0, 0, 0, 4);
  const rims = [ball(-9, 0, 0, 2), ball(9, 0, 0, 2), bridge];
  const [lesion, ...others] = matchedLesions(
    [
      visit([one, other], rims),
      visit([one, other, bridge, rims[0]!, rims[1]!], rims, STILL, [ball(0, 0, 0, 6)]),
    ],
    [
      change("enlarging", { isSure: false, z: 20 }),
      change("enlarging", { z: 6 }),
      change("new", { z: 9 }),
    ],
    STILL,
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    [
      lesion!.kind,
      lesion!.isSure,
      round(lesion!.beforeMm3),
      round(lesion!.afterMm3),
      lesion!.parts,
    ],
    ["enlarging", true, round(2 * volumeOf(4)), round(volumeOf(6)), [2, 1, 0]],
  );
});

Deno.test("matchedLesions() is sure of no change that the masks do not show, and lists none below 3 mm", () => {
  const outside = ball(10, 10, 8, 3), tiny = ball(-10, -10, 5, 1.2), darker = ball(10, -10, 0, 3);
  const shrunk = ball(0, 0, -8, 4);
  const lesions = matchedLesions(
    [
      visit([ball(0, 0, -8, 3)], [outside, tiny, darker, shrunk]),
      visit([shrunk, tiny], [outside, tiny, darker, shrunk]),
    ],
    [change("new", { changedMm3: 40 }), change("new"), change("gone"), change("shrinking")],
    STILL,
  );
  assert.deepEqual(
    lesions.map(({ kind, isSure, beforeMm3, parts }) => [kind, isSure, round(beforeMm3), parts]),
    [["new", false, 0, [0]], ["enlarging", false, round(volumeOf(3)), [3]]],
  );
});
