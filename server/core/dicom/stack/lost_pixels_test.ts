// covers: S-17, S-107
import assert from "node:assert/strict";
import type { AppError } from "@/model/errors.ts";
import { LostPixels } from "@/server/core/dicom/stack/lost_pixels.ts";

/** Rows and columns of slices in tests with exact limits, and in fast tests. */
const SIZE = 256, SMALL = 64;

/** Pseudo-random numbers from 0 to 1, equal in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
}

/** Parameters of a stack of square slices. */
interface Stack {
  slices: number;
  size?: number;
  /** fraction of the pixels in air that are not 0; `air`: maximum value of these pixels */
  specks?: number;
  air?: number;
  /** half of the stack's height, as a fraction of the head's height */
  height?: number;
  seed?: number;
  /** whether slices are sagittal, in which the head is larger */
  isSagittal?: boolean;
  /** whether a pixel is not lost; lost pixels are 0 */
  isKept?: (k: number, column: number, row: number) => boolean;
}

/** Number of slices with detected lost pixels, in an image of an ellipsoid in air. */
function lostOf(stack: Stack): number {
  const { slices, specks = 0, air = 1, height = 0.95, seed = 1, isSagittal, isKept } = stack;
  const { size = SMALL } = stack;
  const random = randomFrom(seed), lost = new LostPixels();
  const radii = isSagittal ? [0.37, 0.39] as const : [0.3, 0.37] as const;
  for (let k = 0; k < slices; k++) {
    const z = (2 * k / (slices - 1) - 1) * height, pixels = new Uint16Array(size * size);
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        const x = (column / size - 0.5) / radii[0], y = (row / size - 0.5) / radii[1];
        const isHead = x * x + y * y + z * z < 1, speck = random();
        const value = isHead ? 150 + ((row * 7 + column * 13 + k * 5) % 50) : 1 + speck * 997 % air;
        if ((isHead || speck < specks) && (isKept?.(k, column, row) ?? true)) {
          pixels[row * size + column] = value;
        }
      }
    }
    lost.add(k, pixels, size);
  }
  try {
    lost.finish();
  } catch (error) {
    return Number((error as AppError).details.slices);
  }
  return 0;
}

Deno.test("air of zeros with rare specks is no lost pixels, and lost ones are found in it", () => {
  for (const specks of [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2]) {
    for (const [slices, seed] of [[60, 1], [24, 3], [24, 4], [24, 5]] as const) {
      assert.equal(
        lostOf({ slices, size: SIZE, specks, seed }),
        0,
        `${specks}, ${slices} slices, seed ${seed}`,
      );
    }
    const half = (k: number, _column: number, row: number) => k !== 12 || row < SMALL / 2;
    assert.equal(lostOf({ slices: 24, specks, isKept: half }), 1, `${specks}, half of one slice`);
    const whole = (k: number) => k < 10 || k > 12;
    assert.equal(lostOf({ slices: 24, specks, isKept: whole }), 3, `${specks}, three slices`);
  }
});

const ENDS: readonly (Stack & { lost: number[]; sound: number[] })[] = [
  { slices: 160, height: 0.75, lost: [12, 20, 30, 80], sound: [0, 4, 8] },
  { slices: 24, height: 0.75, lost: [2, 3, 12], sound: [0, 1] },
  // a head that ends within the image, in air or near the vertex
  { slices: 160, height: 1.3, lost: [60, 80], sound: [0, 10, 20, 25] },
  { slices: 176, height: 1.1, isSagittal: true, lost: [40, 60, 88], sound: [0, 8, 12] },
];

Deno.test("slices lost at one end are found where the head is cut, and empty ones beside air are not", () => {
  for (const { lost, sound, ...stack } of ENDS) {
    for (const [specks, air] of [[0, 1], [0.9, 12]] as const) {
      for (const count of [...lost, ...sound]) {
        for (const isFirst of [false, true]) {
          const isKept = (k: number) => isFirst ? k >= count : k < stack.slices - count;
          const found = lostOf({ ...stack, specks, air, isKept }) > 0;
          const name = `${count} of ${stack.slices}, ${isFirst ? "first" : "last"}, air ${specks}`;
          assert.equal(found, lost.includes(count), name);
        }
      }
    }
  }
});

Deno.test("an image with an aslant end, as resliced onto a taller grid, has lost nothing", () => {
  for (const perSlice of [10, 20, 30, 37]) {
    for (const slices of [160, 24]) {
      const from = Math.round(0.8 * slices);
      const isKept = (k: number, _column: number, row: number) => row < (from - k) * perSlice + 5;
      const stack = { slices, specks: 0.9, air: 12, height: 0.75, isKept };
      assert.equal(lostOf(stack), 0, `${perSlice} rows a slice, ${slices} slices`);
    }
  }
});

/** Number of slices with detected lost pixels, in a padded image that is rotated in its plane. */
function lostOfTurned(degrees: number, [shiftX, shiftY]: readonly [number, number]): number {
  const angle = degrees * Math.PI / 180, cos = Math.cos(angle), sin = Math.sin(angle);
  const lost = new LostPixels();
  for (let k = 0; k < 12; k++) {
    const pixels = new Uint16Array(SIZE * SIZE);
    for (let row = 0; row < SIZE; row++) {
      for (let column = 0; column < SIZE; column++) {
        const x = column - 127.5 - shiftX, y = row - 127.5 - shiftY;
        if (Math.abs(x * cos + y * sin) > 118 || Math.abs(y * cos - x * sin) > 122) continue;
        pixels[row * SIZE + column] = 5 + (row * 31 + column * 17 + k * 7) % 40;
      }
    }
    lost.add(k, pixels, SIZE);
  }
  try {
    lost.finish();
  } catch (error) {
    return Number((error as AppError).details.slices);
  }
  return 0;
}

Deno.test("a padded stack that is turned in its plane has lost nothing", () => {
  // the rotated image is in the middle, or extends beyond the edges
  const shifts = [[0, 0], [0, -8], [-5, -8], [14, 0], [-14, 0], [14, -3]] as const;
  for (const shift of shifts) {
    for (const degrees of [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2]) {
      for (const signed of [degrees, -degrees]) {
        assert.equal(lostOfTurned(signed, shift), 0, `${signed} degrees, shift ${shift}`);
      }
    }
  }
});

Deno.test("files that all end at one pixel are found", () => {
  for (const end of [32 * SMALL + 25, 50 * SMALL + 5, 62 * SMALL + 50]) {
    const isKept = (_k: number, column: number, row: number) => row * SMALL + column < end;
    const stack = { slices: 24, specks: 1, air: 12, height: 0.75, isKept };
    assert.equal(lostOf(stack), 24, `pixel ${end}`);
  }
});
