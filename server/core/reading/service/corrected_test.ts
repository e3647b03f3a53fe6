// covers: S-124
import assert from "node:assert/strict";
import {
  correctedFlair,
  correctedResults,
  fitsInto,
  touchedBy,
} from "@/server/core/reading/service/corrected.ts";
import type { AnalysisResults, FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import type { StoredStroke } from "@/server/core/reading/storage/strokes.ts";

const stroke = (id: number, runs: number[], value: number, isUndone = false): StoredStroke => ({
  id,
  analysisId: 1,
  runs,
  value,
  createdAt: `2026-01-0${id}T00:00:00Z`,
  creator: "Reader",
  isUndone,
});

/** 10 × 10 × 10 voxels of 2 mm³: label 19 in voxels 100..199, 20 in 200..299. */
const ROWS = [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const LABELS = Uint8Array.from(
  { length: 1000 },
  (_, v) => v < 100 || v >= 300 ? 0 : v < 200 ? 19 : 20,
);
const T1 = {
  volumesMm3: Array.from(
    { length: 105 },
    (_, label) => label === 19 ? 200.5 : label === 20 ? 201.5 : 0,
  ),
  icvMm3: 1000,
  shape: [10, 10, 10],
  rasFromIjkRows: ROWS,
  quality: {},
} as AnalysisResults;

Deno.test("fitsInto() refuses runs beyond the volume", () => {
  assert.ok(fitsInto([0, 10, 990, 10], 1000));
  assert.ok(!fitsInto([991, 10], 1000) && !fitsInto([0, 0], 1000));
});

Deno.test("correctedResults() moves what voxels became, as the last stroke that holds says", () => {
  const strokes = [stroke(1, [150, 10], 20), stroke(2, [155, 10], 0), stroke(3, [0, 50], 19, true)];
  assert.equal(touchedBy(strokes).size, 15);
  const { volumesMm3, corrected } = correctedResults(T1, LABELS, strokes);
  assert.deepEqual([volumesMm3[19], volumesMm3[20], volumesMm3[0]], [200.5 - 30, 201.5 + 10, 0]);
  assert.deepEqual(corrected, {
    at: "2026-01-02T00:00:00Z",
    by: "Reader",
    strokes: 2,
    labels: [19, 20],
  });
  // all taken back: as it was
  const back = correctedResults(T1, LABELS, strokes.map((one) => ({ ...one, isUndone: true })));
  assert.deepEqual(back, T1);
});

/** Two lesions of 8 voxels; both measured a little larger than they count. */
const MASK = new Uint8Array(1000);
for (const first of [111, 777]) {
  for (const step of [0, 1, 10, 11, 100, 101, 110, 111]) MASK[first + step] = first === 111 ? 1 : 2;
}
const FLAIR = {
  shape: [10, 10, 10],
  rasFromIjkRows: ROWS,
  periMm3: 17,
  deepMm3: 18,
  whiteMatterMm3: 500,
  lesionCount: 2,
  lesions: [
    { periMm3: 0, deepMm3: 18, centreRasMm: [7.5, 15, 7.5] },
    { periMm3: 17, deepMm3: 0, centreRasMm: [1.5, 3, 1.5] },
  ],
  isLowConfidence: false,
  tissue: "t1",
} as unknown as FlairResults;

Deno.test("correctedFlair() counts what strokes touched, and leaves other lesions as they were measured", () => {
  // the first grows, a third begins
  const grown = correctedFlair(FLAIR, MASK, [stroke(1, [113, 2], 1), stroke(2, [505, 3], 2)]);
  assert.deepEqual([grown.periMm3, grown.deepMm3, grown.lesionCount], [17 + 4, 18 + 6, 3]);
  assert.deepEqual(grown.lesions!.map(({ periMm3, deepMm3 }) => [periMm3, deepMm3]), [[20, 0], [
    0,
    18,
  ], [
    0,
    6,
  ]]);
  // the first is erased
  const erased = correctedFlair(FLAIR, MASK, [stroke(1, [0, 300], 0)]);
  assert.deepEqual([erased.periMm3, erased.deepMm3, erased.lesions!.length], [1, 18, 1]);
  assert.deepEqual(erased.lesions![0], FLAIR.lesions![0]);
  assert.equal(correctedFlair(FLAIR, MASK, [stroke(1, [0, 300], 0, true)]), FLAIR);
});
