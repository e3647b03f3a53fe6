import assert from "node:assert/strict";
import { REGIONS } from "@/model/regions/regions.ts";
import type { RegionData } from "@/model/schema/studies/patients.ts";
import {
  bandKindOf,
  bandText,
  factsOf,
  percentileText,
  regionPhrases,
} from "@/viewer/session/region_facts.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { limitsOf, rankOfZ, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { textIn } from "@/model/text.ts";
import { rankText } from "@/model/text/ranks.ts";
import { bandText as bandNames } from "@/model/text/report/band_names.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";

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
  rank_volume_total: rankAt(30),
  rank_volume_left: rankAt(21.4, { sd: 0.3 }),
  rank_volume_right: rankAt(42),
  rank_icv_total: rankAt(31),
  rank_icv_left: rankAt(0.2),
  rank_icv_right: null,
}];

// covers: D2-3.1
Deno.test("factsOf() takes the side of the label and the basis asked for", () => {
  assert.deepEqual(
    factsOf(left, results, "region"),
    { name: "Left hippocampus", side: "left", volumeMl: 3.4, rank: results[0]!.rank_volume_left },
  );
  assert.deepEqual(factsOf(right, results, "icv")?.rank, null);
  assert.equal(factsOf(0, results, "region"), null);
  assert.equal(factsOf(105, results, "region"), null);
});

Deno.test("bandKindOf() reads fluid from the other end", () => {
  assert.deepEqual([4, 6, 24, 26].map((p) => bandKindOf(rankAt(p), DEFAULT_THRESHOLDS)), [
    "low",
    "watch",
    "watch",
    "usual",
  ]);
  assert.equal(bandKindOf(rankAt(97, { isInverted: true }), DEFAULT_THRESHOLDS), "low");
  assert.equal(bandKindOf(rankAt(3, { isInverted: true }), DEFAULT_THRESHOLDS), "usual");
  assert.equal(bandKindOf(null, DEFAULT_THRESHOLDS), "none");
});

Deno.test("bandKindOf() tells what may be from what is, and nothing without a band", () => {
  assert.equal(bandKindOf(rankAt(4, { sd: 0.8 }), DEFAULT_THRESHOLDS), "possible");
  assert.equal(bandKindOf(rankAt(28, { sd: 0.8 }), DEFAULT_THRESHOLDS), "unsure");
  assert.equal(bandKindOf(rankAt(99.95), DEFAULT_THRESHOLDS), "doubt");
  assert.equal(bandKindOf(rankAt(1, { sd: 2, hasBands: false }), DEFAULT_THRESHOLDS), "none");
});

Deno.test("bandText() says firm, possible and doubtful bands in the report's words, and nothing of the usual", () => {
  const words = (rank: PercentileRank, label = left, language: "en" | "ko" = "en") =>
    bandText(label, rank, DEFAULT_THRESHOLDS, language);
  assert.equal(words(rankAt(4)), "below the 5th percentile");
  assert.equal(words(rankAt(22)), "below the 25th percentile");
  assert.equal(words(rankAt(4, { sd: 0.8 })), "possibly below the 5th percentile");
  assert.equal(words(rankAt(28, { sd: 0.8 })), bandNames.notDistinguishable.en);
  assert.equal(words(rankAt(60)), "");
  assert.equal(
    words({ ...rankAt(60), is_usual: false, doubt: "sides" }, left, "ko"),
    rankText.doubtSides.ko,
  );
  assert.equal(
    words({ ...rankAt(4), doubt: "sides" }),
    "below the 5th percentile, left–right difference too large: check the segmentation",
  );
  assert.equal(words(rankAt(97, { isInverted: true }), 15), "above the 95th percentile");
  assert.equal(words(rankAt(1, { hasBands: false })), "");
});

Deno.test("bandText() and bandKindOf() begin where the reader's reports do", () => {
  const thresholds = [10],
    rank = rankOfZ(zOfPercentile(7), 0, { limits: limitsOf(thresholds), isInverted: false });
  assert.deepEqual([bandKindOf(rank, thresholds), bandText(left, rank, thresholds, "en")], [
    "low",
    "below the 10th percentile",
  ]);
});

Deno.test("percentileText() says a percentile or why there is none", () => {
  const words = (percentile: number, language: "en" | "ko" = "en", hasBands = true) =>
    percentileText(left, rankAt(percentile, { sd: 0.5, hasBands }), null, language);
  assert.equal(words(21.4), "21st percentile, 80\u00a0% interval 8 to 44");
  assert.equal(
    words(12, "en", false),
    textIn(rankText.intervalAlone, "en", { low: "3", high: "30" }),
  );
  assert.equal(words(0.1), "<1st percentile, 80\u00a0% interval <1 to 1");
  assert.equal(words(21.4, "ko"), "백분위 21, 80\u00a0% 구간 8~44");
  assert.equal(
    percentileText(left, null, "age_outside_norms", "en"),
    viewerText.noNormAge.en,
  );
  assert.equal(percentileText(27, null, "age_outside_norms", "en"), viewerText.notMeasured.en);
  assert.equal(percentileText(28, null, null, "en"), viewerText.noNormRegion.en);
});

Deno.test("regionPhrases() names region, side, volume and percentile", () => {
  assert.deepEqual(regionPhrases(left, results, "region", DEFAULT_THRESHOLDS, null, "en"), [
    "Left hippocampus",
    "Left",
    "3.40\u00a0mL",
    "21st percentile, 80\u00a0% interval 12 to 34 (Age, sex)",
    "possibly below the 25th percentile",
  ]);
  // the basis that the report uses is not named
  assert.ok(
    !regionPhrases(left, results, "icv", DEFAULT_THRESHOLDS, null, "en").some((words) =>
      words.includes("(")
    ),
  );
  assert.deepEqual(regionPhrases(0, results, "region", DEFAULT_THRESHOLDS, null, "en"), [
    viewerText.background.en,
  ]);
});
