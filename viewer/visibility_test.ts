import { rankAt } from "@/model/norms/rank_fixture.ts";
import assert from "node:assert/strict";
import { PARTS, REGIONS } from "@/model/regions/regions.ts";
import type { RegionData } from "@/model/schema/studies/patients.ts";
import { DEEP, PERIVENTRICULAR } from "@/viewer/colours.ts";
import {
  percentilesOf,
  shownLesions,
  shownRegions,
  shownThickness,
  thicknessMm,
  thicknessRange,
} from "@/viewer/visibility.ts";

/** Percentiles: left 10, right 30, midline 15 by age and sex; with the ICV 40, 5, 60. */
const results: RegionData[] = PARTS.map(({ part, labels: [first, second] }) => {
  const isPair = second !== undefined;
  return {
    part_index: isPair ? [first, second] : [first],
    brain_regions: part,
    volume_total: 1,
    volume_left: isPair ? 1 : null,
    volume_right: isPair ? 1 : null,
    np_volume_total: 15,
    np_volume_left: isPair ? 10 : null,
    np_volume_right: isPair ? 30 : null,
    np_icv_total: 60,
    np_icv_left: isPair ? 40 : null,
    np_icv_right: isPair ? 5 : null,
    rank_volume_total: rankAt(15),
    rank_volume_left: isPair ? rankAt(10) : null,
    rank_volume_right: isPair ? rankAt(30) : null,
    rank_icv_total: rankAt(60),
    rank_icv_left: isPair ? rankAt(40) : null,
    rank_icv_right: isPair ? rankAt(5) : null,
  };
});
const shownOf = (flags: Uint8Array) => [...flags.keys()].filter((value) => flags[value] === 1);

Deno.test("percentilesOf() takes each label's side, by the mask type", () => {
  const region = percentilesOf(results, "region"), icv = percentilesOf(results, "icv");
  for (const { label, hemisphere } of REGIONS) {
    const wanted = { L: [10, 40], R: [30, 5], "": [15, 60] }[hemisphere];
    assert.deepEqual([region[label], icv[label]], wanted, `label ${label}`);
  }
  assert.ok(Number.isNaN(region[0]!) && Number.isNaN(region[105]!));
  assert.ok(percentilesOf([], "region").every(Number.isNaN));
});

Deno.test("percentilesOf() and the threshold leave out what the list gives no percentile of", () => {
  const unsure = results.map((row) => ({
    ...row,
    rank_volume_left: row.rank_volume_left && rankAt(10, { sd: 2, hasBands: false }),
  }));
  const region = percentilesOf(unsure, "region");
  for (const { label, hemisphere } of REGIONS) {
    assert.equal(Number.isNaN(region[label]!), hemisphere === "L", `label ${label}`);
  }
  const shown = shownOf(shownRegions(new Set(), region, 20));
  assert.ok(shown.length > 0 && shown.every((label) => !Number.isNaN(region[label]!)));
});

// covers: D2-4.5
Deno.test("shownRegions() shows the range 0..threshold, of 100 − p for fluid: 15–18 and 25–28", () => {
  const region = percentilesOf(results, "region");
  const isFluid = (label: number) => (label >= 15 && label <= 18) || (label >= 25 && label <= 28);
  const at = (threshold: number | null) => shownOf(shownRegions(new Set(), region, threshold));
  assert.deepEqual(at(null), REGIONS.map(({ label }) => label));
  const small = REGIONS.filter(({ label, hemisphere }) => hemisphere !== "R" && !isFluid(label));
  assert.deepEqual(at(20), small.map(({ label }) => label));
  assert.deepEqual(
    at(10),
    small.filter(({ hemisphere }) => hemisphere === "L").map(({ label }) => label),
  );
  assert.deepEqual(at(9), []);
  assert.deepEqual(
    shownOf(shownRegions(new Set(), region.map((p) => 100 - p), 20)),
    [
      ...REGIONS.filter(({ label, hemisphere }) => hemisphere !== "R" && isFluid(label)),
    ].map(({ label }) => label),
  );
});

Deno.test("shownRegions() leaves out what is hidden, and under a threshold what has no norm", () => {
  const none = percentilesOf([], "region");
  assert.deepEqual(shownOf(shownRegions(new Set(), none, 20)), []);
  const shown = shownOf(shownRegions(new Set([19, 20]), none, null));
  assert.equal(shown.length, REGIONS.length - 2);
  assert.ok(!shown.includes(19) && !shown.includes(20));
});

Deno.test("shownThickness() shows the values inside the range, never 0", () => {
  assert.equal(shownOf(shownThickness(0, 5)).length, 255);
  for (const [low, high] of [[1.5, 2.5], [2, 2], [0, 0.1], [4.9, 5]] as const) {
    for (const value of shownOf(shownThickness(low, high))) {
      assert.ok(thicknessMm(value) > low - 0.01 && thicknessMm(value) < high + 0.01, `${value}`);
    }
  }
  assert.deepEqual(shownOf(shownThickness(2, 2)), [102], "2 mm is a value that exists");
});

Deno.test("shownLesions() switches the two kinds apart", () => {
  assert.deepEqual(shownOf(shownLesions(false, false)), []);
  assert.deepEqual(shownOf(shownLesions(true, false)), [DEEP]);
  assert.deepEqual(shownOf(shownLesions(false, true)), [PERIVENTRICULAR]);
  assert.deepEqual(shownOf(shownLesions(true, true)), [PERIVENTRICULAR, DEEP]);
});

// covers: D2-5.3
Deno.test("thicknessRange() keeps to 0..5 mm in steps of 0.1, low end first", () => {
  assert.deepEqual(thicknessRange(-1, 9), { low: 0, high: 5 });
  assert.deepEqual(thicknessRange(1.234, 3.28), { low: 1.2, high: 3.3 });
  assert.deepEqual(thicknessRange(4, 2), { low: 2, high: 4 });
});
