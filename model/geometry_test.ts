import assert from "node:assert/strict";
import {
  type Affine,
  affineFromRows,
  applyAffine,
  compose,
  cross,
  determinant,
  dot,
  invert,
  type Vec3,
} from "@/model/geometry.ts";
import { Random } from "@/model/random.ts";

type Matrix = Affine<"Ras", "Ras">;

/** A turned, sheared grid of .3 to 3 mm, far off the origin. */
function randomAffine(random: Random): { rows: number[][]; affine: Matrix } {
  const rows = [0, 1, 2].map((r) => [
    ...[0, 1, 2].map((c) => (r === c ? random.between(0.3, 3) : random.between(-0.2, 0.2))),
    random.between(-300, 300),
  ]);
  return { rows, affine: affineFromRows([...rows, [0, 0, 0, 1]]) };
}

const apply = (rows: number[][], [x, y, z]: Vec3) =>
  rows.map((row) => row[0]! * x + row[1]! * y + row[2]! * z + row[3]!) as Vec3;

const assertNear = (a: ArrayLike<number>, b: ArrayLike<number>, slack: number) =>
  Array.from(a).forEach((value, at) => assert.ok(Math.abs(value - b[at]!) <= slack, `${a} ${b}`));

Deno.test("affines compose, apply and invert as their rows do, in double precision", () => {
  const random = new Random(20261128);
  for (let run = 0; run < 200; run++) {
    const a = randomAffine(random), b = randomAffine(random);
    const point: Vec3 = [0, 0, 0].map(() => random.between(-200, 200)) as Vec3;
    assertNear(applyAffine(a.affine, point), apply(a.rows, point), 1e-11);
    assertNear(
      applyAffine(compose(a.affine, b.affine), point),
      apply(a.rows, apply(b.rows, point)),
      1e-10,
    );
    // in single precision it would be some 1e-5 off
    assertNear(applyAffine(invert(a.affine), apply(a.rows, point)), point, 1e-9);
    const [[p], [, q], [, , r]] = a.rows as [number[], number[], number[]];
    assert.ok(Math.abs(determinant(a.affine) - p! * q! * r!) < 1);
  }
});

Deno.test("an affine without an inverse is refused by name", () => {
  const flat = affineFromRows([[1, 0, 0, 5], [0, 1, 0, 5], [0, 0, 0, 5]]) as Matrix;
  assert.throws(() => invert(flat), { code: "volume.affine_singular" });
});

Deno.test("cross() is perpendicular to both, and right-handed", () => {
  assert.deepEqual(cross([1, 0, 0], [0, 1, 0]), [0, 0, 1]);
  const random = new Random(7), direction = () => random.between(-1, 1);
  for (let run = 0; run < 50; run++) {
    const a: Vec3 = [direction(), direction(), direction()];
    const b: Vec3 = [direction(), direction(), direction()];
    assert.ok(Math.abs(dot(cross(a, b), a)) < 1e-14 && Math.abs(dot(cross(a, b), b)) < 1e-14);
  }
});
