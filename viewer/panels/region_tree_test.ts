// covers: S-43
import assert from "node:assert/strict";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import { PARTS, REGIONS } from "@/model/regions/regions.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { Aggregate, RegionData } from "@/model/schema/studies/patients.ts";
import {
  contralateral,
  filterLobes,
  findTyped,
  markOf,
  moveInTree,
  prioritised,
  sortParts,
  thicknessLobes,
  treeRows,
  volumeLobes,
} from "@/viewer/panels/region_tree.ts";

Deno.test("prioritised() puts lobes with chosen parts first, and within them those parts", () => {
  const lobes = volumeLobes(results, [], "region");
  const sorted = prioritised(lobes, new Set(["Insula", "Precuneus"]));
  assert.deepEqual(sorted.slice(0, 3).map(({ group }) => group), ["parietal", "insula", "frontal"]);
  assert.equal(sorted[0]!.parts[0]!.part, "Precuneus");
  assert.equal(sorted.flatMap(({ parts }) => parts).length, PARTS.length);
  assert.equal(prioritised(lobes, new Set()), lobes);
});

/** Left n mL at percentile n, right n + 2 mL at percentile 50; the same for ventricles. */
const results: RegionData[] = PARTS.map(({ part, labels: [first, second] }) => ({
  part_index: second === undefined ? [first] : [first, second],
  brain_regions: part,
  volume_total: second === undefined ? first : 2 * first + 2,
  volume_left: second === undefined ? null : first,
  volume_right: second === undefined ? null : first + 2,
  np_volume_total: 50,
  np_volume_left: second === undefined ? null : Math.min(first, 100),
  np_volume_right: second === undefined ? null : 50,
  np_icv_total: null,
  np_icv_left: null,
  np_icv_right: null,
  rank_volume_total: rankAt(50),
  rank_volume_left: second === undefined ? null : rankAt(Math.min(first, 100)),
  rank_volume_right: second === undefined ? null : rankAt(50),
  rank_icv_total: null,
  rank_icv_left: null,
  rank_icv_right: null,
}));
const occipital: Aggregate = {
  key: "occipital",
  volume_left: 1,
  volume_right: 1,
  volume_total: 2,
  np_icv_left: 7,
  np_icv_right: 8,
  np_icv_total: 9,
  thick_left: 1.9,
  thick_right: 2.1,
  np_thick_left: 11,
  np_thick_right: 12,
  rank_icv_left: rankAt(7),
  rank_icv_right: rankAt(8),
  rank_icv_total: rankAt(9),
  rank_thick_left: rankAt(11),
  rank_thick_right: rankAt(12),
};
const lobes = volumeLobes(results, [occipital], "region");
const names = (parts: readonly { part: string }[]) => parts.map(({ part }) => part);

Deno.test("volumeLobes() holds every label once, with the sums of each side", () => {
  assert.deepEqual(
    lobes.flatMap(({ labels }) => labels).sort((a, b) => a - b),
    REGIONS.map(({ label }) => label).sort((a, b) => a - b),
  );
  for (const { group, left, right, total, parts } of lobes) {
    // the value of a lobe is the sum of unrounded values
    if (group === "occipital") {
      assert.deepEqual([left.value, right.value, total], [1, 1, 2]);
      continue;
    }
    const sum = (n: number) =>
      parts.filter((p) => p.sides.length === 2).reduce((all, p) => all + p.sides[n]!.value!, 0);
    assert.equal(left.value ?? 0, sum(0));
    assert.equal(right.value ?? 0, sum(1));
    assert.equal(total, parts.reduce((all, p) => all + p.total!, 0));
  }
});

Deno.test("volumeLobes() gives a lobe's percentile by ICV alone", () => {
  const lobe = (basis: "region" | "icv") =>
    volumeLobes(results, [occipital], basis).find(({ group }) => group === "occipital")!;
  assert.deepEqual([lobe("region").left.rank, lobe("icv").left.rank?.percentile], [null, 7]);
  assert.equal(lobe("icv").right.rank?.percentile, 8);
});

Deno.test("thicknessLobes() has 34 regions; 0 mm is no measurement; a lobe has its weighted mean", () => {
  const [left, right] = PARTS.find(({ part }) => part === "Cuneus")!.labels;
  const thick = thicknessLobes([{
    part_index: [left, right!],
    brain_regions: "Cuneus",
    thick_left: 1.8,
    thick_right: 0,
    np_thick_left: 4,
    np_thick_right: null,
    rank_thick_left: rankAt(4),
    rank_thick_right: null,
  }], [occipital]);
  assert.equal(thick.flatMap(({ parts }) => parts).length, 34);
  const lobe = thick.find(({ group }) => group === "occipital")!;
  assert.deepEqual([lobe.left, lobe.total], [{ value: 1.9, rank: occipital.rank_thick_left }, 2]);
  const cuneus = lobe.parts.find(({ part }) => part === "Cuneus")!;
  assert.deepEqual(cuneus.sides.map(({ value }) => value), [1.8, null]);
  assert.deepEqual([cuneus.total, cuneus.asymmetry], [1.8, null]);
});

Deno.test("filterLobes() finds names in both languages, abbreviations and lobes", () => {
  const found = (words: string) =>
    names(filterLobes(lobes, words, null).flatMap(({ parts }) => parts));
  assert.deepEqual(found(" HIPPOCAMPUS "), ["Hippocampus"]);
  assert.ok(found("해마").includes("Hippocampus"));
  assert.deepEqual(found("thal-l"), ["Thalamus"]);
  assert.equal(found("전두엽").length, 11);
  assert.deepEqual(found("liver"), []);
});

Deno.test("filterLobes() under a threshold reads the ventricles from the other end", () => {
  const low = filterLobes(lobes, "", 20).flatMap(({ parts }) => parts);
  const lowest = low.flatMap(({ labels }) => labels);
  assert.ok(lowest.includes(19) && !lowest.includes(37), "19 has percentile 19");
  assert.ok(!lowest.includes(15), "a ventricle at the 15th percentile is small");
});

Deno.test("sortParts() orders by size, by what is most abnormal and by asymmetry", () => {
  const size = sortParts(lobes, "value");
  for (const [n, part] of size.entries()) assert.ok(n === 0 || size[n - 1]!.total! >= part.total!);
  const thin = sortParts(lobes, "value", true);
  assert.ok(thin[0]!.total! < thin.at(-1)!.total!);
  assert.deepEqual(sortParts(lobes, "percentile")[0]!.labels, [1, 2]);
  const skew = sortParts(lobes, "asymmetry");
  assert.deepEqual(skew[0]!.labels, [1, 2]);
  assert.equal(skew.at(-1)!.asymmetry, null);
});

Deno.test("markOf() tells low tissue from large ventricles without colour", () => {
  const sign = (label: number, rank: PercentileRank | null) =>
    markOf(label, rank, DEFAULT_THRESHOLDS);
  assert.deepEqual([3, 24, 26].map((p) => sign(19, rankAt(p))), ["▼", "▽", ""]);
  assert.deepEqual([3, 74, 76, 96].map((p) => sign(15, rankAt(p, { isInverted: true }))), [
    "",
    "",
    "△",
    "▲",
  ]);
  assert.deepEqual([sign(19, null), sign(19, rankAt(1, { hasBands: false }))], ["", ""]);
  assert.deepEqual([4, 33].map((p) => sign(19, rankAt(p, { sd: 0.8 }))), ["(▼)", ""]);
  assert.equal(sign(19, rankAt(4, { sd: 0.3 })), "▽(▼)");
  assert.equal(sign(19, rankAt(99.95)), "!");
});

Deno.test("moveInTree() goes through lobes, regions and sides, and not over the ends", () => {
  const rows = treeRows(lobes, "lobe", new Set(["parietal"]));
  const at = (row: number, side: 0 | 1 | 2 = 0) => ({ row, side });
  assert.deepEqual(moveInTree(rows, at(0), "ArrowUp"), at(0));
  assert.deepEqual(moveInTree(rows, at(0), "ArrowRight"), at(1));
  assert.deepEqual(moveInTree(rows, at(1), "ArrowRight"), at(1, 1));
  assert.deepEqual(moveInTree(rows, at(1, 1), "ArrowRight"), at(1, 2));
  assert.equal(moveInTree(rows, at(1, 2), "ArrowRight"), null);
  assert.deepEqual(moveInTree(rows, at(1, 2), "ArrowDown"), at(2, 2));
  assert.deepEqual(moveInTree(rows, at(2, 1), "ArrowLeft"), at(2));
  assert.deepEqual(moveInTree(rows, at(2), "ArrowLeft"), at(0));
  assert.equal(moveInTree(rows, at(0), "ArrowLeft"), "close");
  const parietal = rows.findIndex((row) => row.kind === "lobe" && row.lobe.group === "parietal");
  assert.equal(moveInTree(rows, at(parietal), "ArrowRight"), "open");
  assert.equal(rows[parietal + 1]!.kind, "lobe", "a closed lobe hides its regions");
  assert.deepEqual(moveInTree(rows, at(3), "End"), at(rows.length - 1));
  assert.deepEqual(moveInTree(rows, at(rows.length - 1), "ArrowDown"), at(rows.length - 1));
});

Deno.test("findTyped() finds a name below, then from the top again", () => {
  const rows = treeRows(lobes, "lobe", new Set());
  const hippocampus = rows.findIndex((row) =>
    row.kind === "part" && row.part.part === "Hippocampus"
  );
  assert.equal(findTyped(rows, 0, "hip", "en"), hippocampus);
  assert.equal(findTyped(rows, hippocampus + 1, "hip", "en"), hippocampus);
  assert.equal(findTyped(rows, 0, "zz", "en"), -1);
});

Deno.test("contralateral() pairs left and right, and leaves the midline alone", () => {
  for (const { labels: [left, right] } of PARTS) {
    assert.equal(contralateral(left), right ?? 0);
    if (right !== undefined) assert.equal(contralateral(right), left);
  }
  assert.equal(contralateral(0), 0);
});
