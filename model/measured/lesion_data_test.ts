// covers: D2-1.1
import assert from "node:assert/strict";
import { lesionDataOf, type LesionVolumes } from "@/model/measured/lesion_data.ts";

const VOLUMES: LesionVolumes = {
  periMm3: 6126,
  deepMm3: 2054,
  whiteMatterMm3: 409_000,
  lesionCount: 9,
  isLowConfidence: false,
  tissue: "t1",
};

Deno.test("lesionDataOf() gives millilitres whose parts add up as they are printed, and the part of the white matter", () => {
  assert.deepEqual(lesionDataOf(VOLUMES), {
    wm: 409,
    wmh: 8.18,
    deep_wmh: 2.05,
    peri_wmh: 6.13,
    wmh_detail: {
      ratio_percent: 2,
      lesion_count: 9,
      is_low_confidence: false,
      is_minimal: false,
      tissue: "t1",
    },
  });
  // 1.125 and 2.125 round up each: their sum is printed as 3.26, not as 3.25
  const { wmh } = lesionDataOf({ ...VOLUMES, periMm3: 1125, deepMm3: 2125 });
  assert.equal(wmh, 3.26);
});

Deno.test("lesionDataOf() says that less than 3 mL is minimal and gives no ratio without white matter", () => {
  const detailOf = (change: Partial<LesionVolumes>) =>
    lesionDataOf({ ...VOLUMES, ...change }).wmh_detail;
  assert.equal(detailOf({ periMm3: 2000, deepMm3: 999 }).is_minimal, true);
  assert.equal(detailOf({ periMm3: 2000, deepMm3: 1000 }).is_minimal, false);
  assert.equal(detailOf({ whiteMatterMm3: 0 }).ratio_percent, null);
  assert.deepEqual(lesionDataOf({ ...VOLUMES, periMm3: 0, deepMm3: 0 }).wmh, 0);
});

Deno.test("lesionDataOf() hands on the lesions that are counted", () => {
  const lesions = [{
    periMm3: 1500,
    deepMm3: 5,
    centreRasMm: [1, 2, 3] as [number, number, number],
  }];
  const { wmh_detail } = lesionDataOf({
    periMm3: 1500,
    deepMm3: 5,
    whiteMatterMm3: 400_000,
    lesionCount: 1,
    lesions,
    isLowConfidence: true,
    tissue: "t1",
  });
  assert.deepEqual(wmh_detail.lesions, [{
    peri_ml: 1.5,
    deep_ml: 0.005,
    centre_ras_mm: [1, 2, 3],
  }]);
});

Deno.test("lesionDataOf() counts the lesions that it lists, none of them below 3 mm in diameter", () => {
  const of = (periMm3: number, deepMm3: number) => ({
    periMm3,
    deepMm3,
    centreRasMm: [0, 0, 0] as [number, number, number],
  });
  const { wmh_detail } = lesionDataOf({
    ...VOLUMES,
    lesions: [of(6126, 2049), of(8, 5.9), of(8, 6.3)],
    lesionCount: 3,
  });
  assert.equal(wmh_detail.lesion_count, 2);
  assert.equal(wmh_detail.lesions!.length, 2);
});

Deno.test("lesionDataOf() calls what an image of grade C shows of low confidence", () => {
  const found = {
    periMm3: 6000,
    deepMm3: 0,
    whiteMatterMm3: 400_000,
    lesionCount: 3,
    isLowConfidence: false,
    tissue: "t1" as const,
  };
  const isLow = (grade: string) => lesionDataOf({ ...found, grade }).wmh_detail.is_low_confidence;
  assert.deepEqual([isLow("A"), isLow("B"), isLow("C")], [false, false, true]);
});
