import assert from "node:assert/strict";
import { affineFromRows } from "@/model/geometry.ts";
import { movedInto, scaleBetween } from "@/server/core/reading/service/display_scale.ts";

const SHAPE: [number, number, number] = [30, 28, 26];
/** A smooth picture: byte at a place in mm. */
const byteAt = (x: number, y: number, z: number) =>
  128 + 60 * Math.sin(x / 5) * Math.cos(y / 7) + z;

function volumeOf(
  affine: ReturnType<typeof affineFromRows<"Ras", "Ijk">>,
  value: (byte: number) => number,
) {
  const [nx, ny, nz] = SHAPE, voxels = new Float32Array(nx * ny * nz);
  for (let k = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const at = [0, 1, 2].map((r) =>
          affine[r]! * i + affine[4 + r]! * j + affine[8 + r]! * k + affine[12 + r]!
        );
        voxels[i + nx * (j + ny * k)] = value(byteAt(at[0]!, at[1]!, at[2]!));
      }
    }
  }
  return { voxels, shape: SHAPE, rasFromIjk: affine };
}

const PLAIN = affineFromRows<"Ras", "Ijk">([[1, 0, 0, -15], [0, 1, 0, -14], [0, 0, 1, -13]]);
/** Stored from the right and from the top, finer, and a little aside. */
const FLIPPED = affineFromRows<"Ras", "Ijk">([[-0.8, 0, 0, 11], [0, 0.9, 0, -12], [
  0,
  0,
  -0.9,
  12,
]]);

Deno.test("scaleBetween() finds slope and intercept, whatever way the series is stored", () => {
  const display = volumeOf(PLAIN, Math.round),
    series = volumeOf(FLIPPED, (byte) => 40 + 3.5 * byte);
  const scale = scaleBetween(display, series)!;
  assert.ok(Math.abs(scale.slope - 3.5) < 0.03, `${scale.slope}`);
  assert.ok(Math.abs(scale.intercept + scale.slope * 128 - (40 + 3.5 * 128)) < 2);
});

Deno.test("scaleBetween() says nothing of images that are elsewhere, or without contrast", () => {
  const display = volumeOf(PLAIN, Math.round), series = volumeOf(PLAIN, (byte) => byte);
  const aside = movedInto(series, [1, 0, 0, 500, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  assert.equal(scaleBetween(display, aside), null);
  assert.equal(scaleBetween(volumeOf(PLAIN, () => 100), series), null);
  // moved back where it was
  const back = movedInto(aside, [1, 0, 0, -500, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  assert.ok(Math.abs(scaleBetween(display, back)!.slope - 1) < 0.01);
});
