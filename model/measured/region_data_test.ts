// covers: D2-1.1
import assert from "node:assert/strict";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { isMeasured, LABEL_COUNT, PARTS, REGIONS } from "@/model/regions/regions.ts";
import {
  NO_NORM,
  normReasonOf,
  percentileMapOf,
  regionDataOf,
} from "@/model/measured/region_data.ts";

const labelOf = (name: RegExp, hemisphere: string) =>
  REGIONS.find((r) => name.test(r.part) && r.hemisphere === hemisphere)!.label;
const LEFT = labelOf(/^hippocampus$/i, "L"), RIGHT = labelOf(/^hippocampus$/i, "R");
const volumes = Array.from({ length: LABEL_COUNT }, () => 1000);
const factor = Math.exp(methodErrorOf(String(LEFT), "volume")!.bias);
volumes[LEFT] = 3609.8 * factor;
volumes[RIGHT] = 3700 * factor;
const woman = { age: 70, sex: "female" as const };
const rowOf = (label: number, subject: Parameters<typeof regionDataOf>[2], icvMm3 = 1_409_000) =>
  regionDataOf(volumes, icvMm3, subject).find((r) => r.part_index.includes(label))!;

Deno.test("regionDataOf() puts the expected volume of a woman of 70 at the 50th percentile", () => {
  const row = rowOf(LEFT, woman);
  assert.deepEqual(row.part_index, [LEFT, RIGHT]);
  assert.ok(Math.abs(row.np_icv_left! - 50) < 0.1, String(row.np_icv_left));
  assert.ok(Math.abs(row.np_volume_left! - 50) < 0.1, String(row.np_volume_left));
  // each side has a bias of its own
  assert.equal(row.volume_left, Math.round(volumes[LEFT]! / 10) / 100);
  assert.ok(Math.abs(row.volume_left! - 3.61 * factor) < 0.02, String(row.volume_left));
  assert.equal(row.volume_total, Math.round((volumes[LEFT]! + volumes[RIGHT]!) / 10) / 100);
  const { low, high, percentile } = row.rank_icv_left!;
  assert.ok(percentile === row.np_icv_left && low < 40 && high > 60, `${low} ${high}`);
});

Deno.test("regionDataOf() reads np_icv at the patient's own ICV and np_volume at the mean of the sex", () => {
  const small = rowOf(LEFT, woman, 1_200_000), large = rowOf(LEFT, woman, 1_700_000);
  assert.ok(small.np_icv_left! > large.np_icv_left!);
  assert.equal(small.np_volume_left, large.np_volume_left);
});

Deno.test("regionDataOf() has a row for every measured part and no percentile where the norms do not hold", () => {
  for (
    const subject of [{ age: 3, sex: "male" as const }, { age: null, sex: null }, {
      age: 101,
      sex: null,
    }]
  ) {
    const rows = regionDataOf(volumes, 1.4e6, subject);
    assert.equal(rows.length, PARTS.filter(({ labels }) => isMeasured(labels[0])).length - 1);
    assert.ok(
      !rows.some((row) => row.part_index.includes(28)),
      "hypointensities need the FLAIR series",
    );
    for (const row of rows) {
      const {
        np_volume_total,
        np_volume_left,
        np_volume_right,
        np_icv_total,
        np_icv_left,
        np_icv_right,
      } = row;
      const all = [
        np_volume_total,
        np_volume_left,
        np_volume_right,
        np_icv_total,
        np_icv_left,
        np_icv_right,
      ];
      assert.ok(all.every((value) => value === null));
    }
  }
  for (const label of [27, 32, 36]) {
    assert.equal(rowOf(label, woman), undefined, `${label} is no measurement`);
  }
});

Deno.test("normReasonOf() says why there is no percentile", () => {
  assert.equal(normReasonOf({ age: 3, sex: "male" }), "age_outside_norms");
  assert.equal(normReasonOf({ age: null, sex: "male" }), "age_unknown");
  assert.equal(normReasonOf({ age: 50, sex: null }), "sex_unknown");
  assert.equal(normReasonOf({ age: 50, sex: "male", grade: "C" }), "quality");
  assert.equal(normReasonOf({ age: 3, sex: "male", grade: "C" }), "age_outside_norms");
  assert.equal(normReasonOf({ age: 18, sex: "female", grade: "B" }), null);
});

Deno.test("regionDataOf() gives a region without a band its interval alone, and thresholds their point", () => {
  for (const { label, hemisphere } of REGIONS) {
    const error = methodErrorOf(String(label), "volume");
    if (!error || hemisphere !== "L") continue;
    const row = rowOf(label, woman);
    assert.equal(row.rank_icv_left!.has_bands, error.hasBands);
    assert.equal(row.np_icv_left, error.hasBands ? row.rank_icv_left!.percentile : null);
  }
});

Deno.test("regionDataOf() doubts all of a pair whose sides differ too much", () => {
  const unequal = volumes.map((mm3, label) => label === LEFT ? mm3 / 2.5 : mm3);
  const row = regionDataOf(unequal, 1_409_000, woman).find((r) => r.part_index.includes(LEFT))!;
  for (const rank of [row.rank_icv_left, row.rank_icv_right, row.rank_icv_total]) {
    assert.deepEqual([rank!.doubt, rank!.is_usual], ["sides", false]);
  }
  assert.equal(rowOf(LEFT, woman).rank_icv_total!.doubt, null);
});

Deno.test("percentileMapOf() writes each side's percentile, and 255 where there is none", () => {
  const map = percentileMapOf(
    new Uint8Array([0, LEFT, RIGHT, 27]),
    regionDataOf(volumes, 1.409e6, woman),
  );
  const row = rowOf(LEFT, woman);
  assert.deepEqual([...map], [
    NO_NORM,
    Math.round(row.np_volume_left!),
    Math.round(row.np_volume_right!),
    NO_NORM,
  ]);
});
