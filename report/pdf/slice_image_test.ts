import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";
import { affineFromRows } from "@/model/geometry.ts";
import {
  composeSlice,
  drawMarks,
  type LabelledVolume,
  type SliceFrame,
  sliceFrameOf,
  slicePng,
} from "@/report/pdf/slice_image.ts";

const LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20, LEFT_PUTAMEN = 11;
const YELLOW = [220, 216, 20], PINK = [236, 13, 176];

/** Grids of one head: RAS, and with the left-right axis stored the other way. */
const GRIDS = {
  "RAS": affineFromRows<"Ras", "Ijk">([[1, 0, 0, -30], [0, 1, 0, -40], [0, 0, 1, -20], [
    0,
    0,
    0,
    1,
  ]]),
  "LAS": affineFromRows<"Ras", "Ijk">([[-1, 0, 0, 29], [0, 1, 0, -40], [0, 0, 1, -20], [
    0,
    0,
    0,
    1,
  ]]),
};

/**
 * A head with left hippocampus at x = −15 mm, y = −10 mm, right hippocampus at x = +15 mm,
 * and left putamen in front of and above them.
 */
function head(rasFromIjk: LabelledVolume["rasFromIjk"]): LabelledVolume {
  const shape: [number, number, number] = [60, 80, 50];
  const labels = new Uint8Array(60 * 80 * 50), intensities = new Uint8Array(labels.length).fill(50);
  const inside = (p: number[], centre: number[]) =>
    p.every((value, axis) => Math.abs(value - centre[axis]!) <= 4);
  for (let k = 0, at = 0; k < 50; k++) {
    for (let j = 0; j < 80; j++) {
      for (let i = 0; i < 60; i++, at++) {
        const ras = [rasFromIjk[0]! * i + rasFromIjk[12]!, j - 40, k - 20];
        if (inside(ras, [-15, -10, 0])) labels[at] = LEFT_HIPPOCAMPUS;
        if (inside(ras, [15, -10, 0])) labels[at] = RIGHT_HIPPOCAMPUS;
        if (inside(ras, [-15, 15, 10])) labels[at] = LEFT_PUTAMEN;
      }
    }
  }
  return { intensities, labels, shape, rasFromIjk };
}

const PIXELS = 120;
const frame: SliceFrame = { centreRasMm: [0, 0, 0], sideMm: 60, cutRasMm: [-15, -10, 0] };
/** Mean position of the pixels of a colour, fractions of the picture: [from left, from top]. */
function placeOf(rgb: Uint8Array, colour: number[]): [number, number] | null {
  let x = 0, y = 0, count = 0;
  for (let p = 0; p < PIXELS * PIXELS; p++) {
    // an overlay of 40 % opacity over grey value 50
    if (colour.every((value, c) => Math.abs(rgb[3 * p + c]! - (30 + 0.4 * value)) <= 2)) {
      x += p % PIXELS, y += Math.floor(p / PIXELS), count++;
    }
  }
  return count === 0 ? null : [x / count / PIXELS, y / count / PIXELS];
}

for (const [name, affine] of Object.entries(GRIDS)) {
  Deno.test(`composeSlice() shows the patient's left on the right, anterior and superior up (${name})`, () => {
    const volume = head(affine);
    const left: LabelledVolume = {
      ...volume,
      labels: volume.labels.map((l) => l === RIGHT_HIPPOCAMPUS ? 0 : l),
    };
    for (const view of ["axial", "coronal"] as const) {
      const place = placeOf(composeSlice(left, view, frame, PIXELS), YELLOW)!;
      assert.ok(Math.abs(place[0] - (0.5 + 15 / 60)) < 0.01, `${view}: ${place}`);
      const right = { ...volume, labels: volume.labels.map((l) => l === LEFT_HIPPOCAMPUS ? 0 : l) };
      assert.ok(placeOf(composeSlice(right, view, frame, PIXELS), YELLOW)![0] < 0.3);
    }
    const axial = placeOf(
      composeSlice(volume, "axial", { ...frame, cutRasMm: [0, 0, 10] }, PIXELS),
      PINK,
    )!;
    assert.ok(Math.abs(axial[1] - (0.5 - 15 / 60)) < 0.01, "anterior is up");
    const coronal = placeOf(
      composeSlice(volume, "coronal", { ...frame, cutRasMm: [0, 15, 0] }, PIXELS),
      PINK,
    )!;
    assert.ok(Math.abs(coronal[1] - (0.5 - 10 / 60)) < 0.01, "superior is up");
    const sagittal = placeOf(composeSlice(volume, "sagittal", frame, PIXELS), PINK)!;
    assert.ok(Math.abs(sagittal[0] - (0.5 - 15 / 60)) < 0.01, "anterior is left");
    assert.ok(sagittal[1] < 0.4, "superior is up");
  });
}

Deno.test("sliceFrameOf() cuts through the hippocampi and puts the brain into the middle", () => {
  const { cutRasMm, centreRasMm, sideMm } = sliceFrameOf(head(GRIDS.LAS));
  assert.deepEqual([cutRasMm[1], centreRasMm[0]], [-10, 0]);
  assert.equal(sideMm, 38 + 20);
  const empty = { ...head(GRIDS.RAS), labels: new Uint8Array(60 * 80 * 50) };
  assert.ok(sliceFrameOf(empty).cutRasMm.every(Number.isFinite));
});

Deno.test("drawMarks() burns the marks into the four edges", () => {
  const pixels = 240;
  const white = (view: "axial" | "sagittal", x: number, y: number) => {
    const rgb = new Uint8Array(3 * pixels * pixels);
    drawMarks(rgb, view, pixels);
    let count = 0;
    for (let row = y - 8; row < y + 8; row++) {
      for (let column = x - 8; column < x + 8; column++) {
        count += rgb[3 * (row * pixels + column)]! > 200 ? 1 : 0;
      }
    }
    return count;
  };
  for (const [x, y] of [[9, 120], [231, 120], [120, 9], [120, 231]] as const) {
    assert.ok(white("axial", x, y) > 8);
  }
  assert.equal(white("axial", 120, 120), 0);
  // the letter L has fewer strokes than R, and is at the right edge of an axial picture
  assert.ok(white("axial", 231, 120) < white("axial", 9, 120));
});

Deno.test("slicePng() is a PNG whose pixels are those of the slice", () => {
  const png = slicePng(head(GRIDS.RAS), "axial", frame);
  const view = new DataView(png.buffer);
  assert.deepEqual([view.getUint32(16), view.getUint32(20), png[24], png[25]], [640, 640, 8, 2]);
  const start = png.indexOf(0x49, 33);
  const length = view.getUint32(start - 4);
  const raw = inflateSync(png.subarray(start + 4, start + 4 + length));
  assert.equal(raw.length, 640 * (3 * 640 + 1));
  assert.deepEqual(slicePng(head(GRIDS.RAS), "axial", frame), png);
});
