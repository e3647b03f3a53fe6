import assert from "node:assert/strict";
import { affineFromRows, applyAffine } from "@/model/geometry.ts";
import { DEEP, LESION_COLOURS, PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import {
  composeSlice,
  DEEP_PAINT,
  type LabelledVolume,
  PERI_PAINT,
} from "@/report/pdf/slice_image.ts";
import { decodePng } from "@/report/pdf/decode_png.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import { drawStudy, stripOf, type StudyPictures } from "@/report/pdf/study_pictures.ts";

const SHAPE: [number, number, number] = [20, 20, 100];
/** A FLAIR volume with the given number of lesion voxels in each slice; the head fills the grid. */
function flair(slices: Record<number, number>): LabelledVolume {
  const labels = new Uint8Array(20 * 20 * 100);
  for (const [k, count] of Object.entries(slices)) {
    labels.fill(DEEP, Number(k) * 400, Number(k) * 400 + count);
  }
  return {
    intensities: new Uint8Array(labels.length).fill(80),
    labels,
    shape: SHAPE,
    rasFromIjk: affineFromRows<"Ras", "Ijk">([[1, 0, 0, -10], [0, 1, 0, -10], [0, 0, 1, -50], [
      0,
      0,
      0,
      1,
    ]]),
  };
}

Deno.test("stripOf() cuts where the lesions are, from below, no two slices closer than 8 mm", () => {
  const volume = flair({ 20: 9, 21: 30, 22: 10, 60: 5, 80: 100, 81: 99, 84: 98, 90: 4, 5: 3 });
  assert.deepEqual(stripOf(volume), [-29, 10, 30, 40]);
});

Deno.test("the strip of a head has no slice without lesions, and each slice without paint beside it", () => {
  assert.deepEqual(stripOf(flair({})), []);
  const volume = flair({ 20: 90, 60: 50 }),
    { pictures, positionMm } = drawStudy({
      t1: null,
      flair: volume,
    });
  assert.deepEqual(
    [...positionMm].filter(([key]) => key.startsWith("flair")),
    [["flair_1_plain", -30], ["flair_1", -30], ["flair_2_plain", 10], ["flair_2", 10]],
  );
  const grey = (png: Uint8Array<ArrayBuffer>) => {
    const { rgb } = decodePng(png)!;
    return rgb.every((value, at) => value === rgb[at - at % 3]);
  };
  for (const n of [1, 2] as const) {
    assert.ok(grey(pictures[`flair_${n}_plain`]!) && !grey(pictures[`flair_${n}`]!));
  }
});

Deno.test("composeSlice() paints both kinds of lesions, each in its colour", () => {
  const volume = flair({});
  volume.labels.fill(PERIVENTRICULAR, 50 * 400, 50 * 400 + 200);
  volume.labels.fill(DEEP, 50 * 400 + 200, 51 * 400);
  const painted = new Uint8Array(256);
  painted[PERIVENTRICULAR] = PERI_PAINT;
  painted[DEEP] = DEEP_PAINT;
  const frame = { centreRasMm: [0, 0, 0], sideMm: 20, cutRasMm: [0, 0, 0] } as const;
  const rgb = composeSlice({ ...volume, painted }, "axial", {
    ...frame,
    centreRasMm: [0, 0, 0],
    cutRasMm: [0, 0, 0],
  }, 40);
  for (const kind of [PERIVENTRICULAR, DEEP] as const) {
    const wanted = LESION_COLOURS[kind].map((value) => Math.round(0.6 * 80 + 0.4 * value));
    let found = 0;
    for (let p = 0; p < 1600; p++) {
      if (wanted.every((value, c) => Math.abs(rgb[3 * p + c]! - value) <= 1)) found++;
    }
    assert.ok(found > 200, `${kind}: ${found}`);
  }
});

Deno.test("drawStudy() of a FLAIR alone cuts its planes through the deep structures, and the strip through the lesions", () => {
  const volume = flair({ 80: 100 }), regions = new Uint8Array(volume.labels.length);
  // both hippocampi and thalami, in slice 30
  [19, 20, 7, 8].forEach((label, n) =>
    regions.fill(label, 30 * 400 + 100 * n, 30 * 400 + 100 * n + 100)
  );
  const alone = drawStudy({ t1: null, flair: { ...volume, regions } });
  assert.equal(alone.positionMm.get("axial"), -20);
  assert.equal(alone.positionMm.get("flair_1"), 30);
  const plain = drawStudy({ t1: null, flair: volume });
  assert.equal(plain.positionMm.get("axial"), 30);
  assert.notDeepEqual(alone.pictures.axial, plain.pictures.axial);
  // the caudate is not printed in the report, and therefore not painted
  const caudate = regions.slice().fill(9, 30 * 400, 30 * 400 + 50),
    without = regions.slice().fill(0, 30 * 400, 30 * 400 + 50);
  const [withIt, asIfNot] = [caudate, without].map((labels) =>
    drawStudy({ t1: null, flair: { ...volume, regions: labels } }).pictures.axial
  );
  assert.deepEqual(withIt, asIfNot);
});

Deno.test("drawStudy() shows the intracranial space around the brain where it was measured", () => {
  const volume = { ...flair({}), labels: flair({}).labels.slice() };
  volume.labels.fill(37, 50 * 400 + 100, 50 * 400 + 300);
  const around = new Uint8Array(volume.labels.length).fill(1, 45 * 400, 55 * 400);
  const pictures = (more: object) =>
    drawStudy({ t1: { ...volume, ...more }, flair: null }).pictures;
  assert.notDeepEqual(pictures({ around }).mask_axial, pictures({}).mask_axial);
  assert.deepEqual(pictures({ around }).axial, pictures({}).axial);
});

Deno.test("PdfRenderer.draw() tells where the slices are before they are drawn", async () => {
  const renderer = new PdfRenderer();
  try {
    const told: StudyPictures["positionMm"][] = [];
    const drawing = renderer.draw(
      { t1: null, flair: flair({ 20: 9 }) },
      (positionMm) => told.push(positionMm),
    );
    const { positionMm, pictures } = await drawing;
    assert.deepEqual(told, [positionMm]);
    assert.deepEqual([...positionMm.keys()], Object.keys(pictures));
    assert.equal(positionMm.size, 5);
  } finally {
    renderer.close();
  }
});

Deno.test("drawStudy() cuts through the outlined labels and outlines them on their side", () => {
  // 2 mm voxels; x to the right, y forwards, z upwards; the right hippocampus is label 20
  const shape: [number, number, number] = [60, 60, 60], count = 60 ** 3;
  const volume: LabelledVolume = {
    intensities: new Uint8Array(count).fill(60),
    labels: new Uint8Array(count),
    shape,
    rasFromIjk: affineFromRows<"Ras", "Ijk">([[2, 0, 0, -60], [0, 2, 0, -60], [0, 0, 2, -60], [
      0,
      0,
      0,
      1,
    ]]),
  };
  const box = (label: number, [x, y, z]: readonly [number, number, number], half: number) => {
    for (let k = z - half; k <= z + half; k++) {
      for (let j = y - half; j <= y + half; j++) {
        volume.labels.fill(label, x - half + 60 * (j + 60 * k), x + half + 1 + 60 * (j + 60 * k));
      }
    }
  };
  box(19, [15, 30, 20], 3);
  box(20, [45, 30, 20], 3);
  box(7, [25, 34, 40], 3);
  box(8, [35, 34, 40], 3);
  /** White pixels in the left and the right half of the axial picture. */
  const whiteOf = (outlined: readonly number[]) => {
    const { positionMm } = drawStudy({ t1: { ...volume, outlined }, flair: null });
    const cutRasMm = (["sagittal", "coronal", "axial"] as const).map((key) =>
      positionMm.get(key)!
    ) as [
      number,
      number,
      number,
    ];
    const rgb = composeSlice(
      { ...volume, outlined },
      "axial",
      { centreRasMm: [0, 0, 0], sideMm: 120, cutRasMm },
      120,
    );
    const halves = [0, 0] as [number, number];
    for (let p = 0; p < 120 * 120; p++) {
      if (rgb[3 * p] === 255 && rgb[3 * p + 1] === 255 && rgb[3 * p + 2] === 255) {
        halves[p % 120 < 60 ? 0 : 1]!++;
      }
    }
    return { cutRasMm, halves };
  };
  const plain = whiteOf([]);
  assert.deepEqual(plain.halves, [0, 0]);
  assert.equal(plain.cutRasMm[2], 20, "through the thalami");
  const right = whiteOf([20]);
  assert.ok(right.cutRasMm[0] >= 24 && right.cutRasMm[0] <= 36, "on the patient's right");
  assert.ok(Math.abs(right.cutRasMm[2] + 20) <= 6);
  // radiological: the patient's right is on the left of the picture
  assert.ok(right.halves[0] > 20 && right.halves[1] === 0, String(right.halves));
  const left = whiteOf([19]);
  assert.ok(left.halves[1] > 20 && left.halves[0] === 0, String(left.halves));
  const both = whiteOf([19, 20]);
  assert.deepEqual(both.halves, [right.halves[0], left.halves[1]]);
});

Deno.test("drawStudy() shows a changed lesion at the same place of both studies, outlined where it is", () => {
  const grid = (offset: number, step: number, size: number): LabelledVolume => ({
    intensities: new Uint8Array(size ** 3).fill(60),
    labels: new Uint8Array(size ** 3),
    shape: [size, size, size],
    rasFromIjk: affineFromRows<"Ras", "Ijk">([
      [-step, 0, 0, -offset],
      [0, step, 0, offset],
      [0, 0, step, offset],
    ]),
  });
  /** Paints balls of 6 mm: a bright one on the patient's right, and a lesion on the left. */
  const painted = (volume: LabelledVolume, hasLesion: boolean) => {
    const { shape: [nx, ny], rasFromIjk } = volume;
    for (let v = 0; v < volume.labels.length; v++) {
      const [x, y, z] = applyAffine(rasFromIjk, [
        v % nx,
        Math.floor(v / nx) % ny,
        Math.floor(v / (nx * ny)),
      ]);
      if (Math.hypot(x - 14, y - 8, z) < 6) volume.intensities[v] = 220;
      if (hasLesion && Math.hypot(x + 10, y, z) < 6) volume.labels[v] = DEEP;
    }
    return volume;
  };
  const { pictures } = drawStudy({
    t1: null,
    flair: painted(grid(-40, 1, 80), true),
    changes: { prior: painted(grid(-45, 1.5, 60), false), placesRasMm: [[0, 0, 0]] },
  });
  const [before, now] = (["before", "now"] as const).map((visit) =>
    decodePng(pictures[`change_1_${visit}`]!)
  );
  const middleOf = ({ rgb, width }: typeof now & object, isIn: (value: number) => boolean) => {
    let n = 0, column = 0, row = 0;
    // leaves out the orientation letters at the edges
    for (let y = 60; y < width - 60; y++) {
      for (let x = 60; x < width - 60; x++) {
        if (isIn(rgb[3 * (x + width * y)]!)) n++, column += x, row += y;
      }
    }
    return { n, mm: [column / n, row / n].map((at) => (at + 0.5) * 60 / width - 30) };
  };
  const isBright = (value: number) => value > 200 && value < 240;
  for (const picture of [before!, now!]) {
    // the patient's right is on the left, anterior is above
    const { mm } = middleOf(picture, isBright);
    assert.ok(Math.abs(mm[0]! + 14) < 0.5 && Math.abs(mm[1]! + 8) < 0.5, `${mm}`);
  }
  const isWhite = (value: number) => value > 250;
  assert.equal(middleOf(before!, isWhite).n, 0);
  const outline = middleOf(now!, isWhite);
  assert.ok(outline.n > 300 && Math.abs(outline.mm[0]! - 10) < 0.5, `${outline.n} ${outline.mm}`);
});
