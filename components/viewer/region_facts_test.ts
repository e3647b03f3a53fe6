import assert from "node:assert/strict";
import { REGIONS } from "@/model/regions.ts";
import type { RegionData } from "@/model/schema/patients.ts";
import {
  bandOf,
  factsOf,
  percentileDigits,
  percentileWords,
  regionPhrases,
} from "@/components/viewer/region_facts.ts";

const hippocampus = REGIONS.filter((r) => r.part === "Hippocampus");
const left = hippocampus.find((r) => r.hemisphere === "L")!.label;
const right = hippocampus.find((r) => r.hemisphere === "R")!.label;
const results: RegionData[] = [{
  part_index: [left, right],
  brain_regions: "Hippocampus",
  volume_total: 7.1,
  volume_left: 3.4,
  volume_right: 3.7,
  np_volume_total: 30,
  np_volume_left: 21.4,
  np_volume_right: 42,
  np_icv_total: 31,
  np_icv_left: 0.2,
  np_icv_right: null,
}];

Deno.test("factsOf() takes the side of the label and the basis asked for", () => {
  assert.deepEqual(
    factsOf(left, results, "region"),
    { name: "Left hippocampus", side: "left", volumeMl: 3.4, percentile: 21.4 },
  );
  assert.deepEqual(factsOf(right, results, "icv")?.percentile, null);
  assert.equal(factsOf(0, results, "region"), null);
  assert.equal(factsOf(105, results, "region"), null);
});

Deno.test("bandOf() reads fluid from the other end", () => {
  assert.deepEqual([4, 5, 19, 20, 21].map((p) => bandOf(left, p)), ["low", "low", "watch", "watch", "usual"]);
  for (const fluid of [15, 16, 17, 18, 25, 26, 27, 28]) {
    assert.equal(bandOf(fluid, 97), "low");
    assert.equal(bandOf(fluid, 3), "usual");
  }
  assert.equal(bandOf(left, null), "none");
});

Deno.test("percentileWords() says a percentile or why there is none", () => {
  assert.deepEqual([0.2, 1, 21.4, 99.7].map(percentileDigits), ["<1", "1", "21", ">99"]);
  assert.equal(percentileWords(left, 21.4, null, "en"), "21st percentile");
  assert.equal(percentileWords(left, 12, null, "en"), "12th percentile");
  assert.equal(percentileWords(left, 0.1, null, "en"), "<1st percentile");
  assert.equal(percentileWords(left, 21.4, null, "ko"), "백분위 21");
  assert.equal(percentileWords(left, null, "age_outside_norms", "en"), "no norm: age outside 18–100");
  assert.equal(percentileWords(27, null, "age_outside_norms", "en"), "no norm for this region");
});

Deno.test("regionPhrases() names region, side, volume and percentile", () => {
  assert.deepEqual(regionPhrases(left, results, "region", null, "en"), [
    "Left hippocampus",
    "Left",
    "3.40 mL",
    "21st percentile",
  ]);
  assert.deepEqual(regionPhrases(0, results, "region", null, "en"), ["Outside the labelled regions"]);
});
