import assert from "node:assert/strict";
import { rankOfZ, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import { ordinal } from "@/model/norms/rank_format.ts";
import { bandOf, bandOfRank, formatInstant, formatPercentile, zoneOf } from "@/report/model/format.ts";
import { reportText } from "@/model/text/report/report.ts";

Deno.test("bandOf() names the deepest threshold that was crossed", () => {
  const text = (level: number, thresholds: number[], isInverted = false) =>
    bandOf(level, thresholds, isInverted, "en").text;
  assert.equal(text(0, [5, 25]), "25th percentile or above");
  assert.equal(text(1, [5, 25]), "Below the 25th percentile");
  assert.equal(text(2, [5, 25]), "Below the 5th percentile");
  assert.equal(text(1, [1, 3, 10]), "Below the 10th percentile");
  assert.equal(text(2, [1, 3, 10]), "Below the 3rd percentile");
  assert.equal(text(3, [1, 3, 10]), "Below the 1st percentile");
  assert.equal(text(1, [5]), "Below the 5th percentile");
});

Deno.test("bandOf() reads fluid from the other end", () => {
  assert.equal(bandOf(0, [5, 25], true, "en").text, "75th percentile or below");
  assert.equal(bandOf(2, [5, 25], true, "en").text, "Above the 95th percentile");
  assert.equal(bandOf(1, [5, 25], true, "ko").text, "백분위 75 초과");
});

Deno.test("bandOf() has a mark of its own for every level, so that grey print is enough", () => {
  for (const isInverted of [false, true]) {
    const marks = [0, 1, 2, 3].map((level) => bandOf(level, [1, 5, 25], isInverted, "en").symbol);
    assert.equal(new Set(marks).size, 4);
  }
  assert.equal(bandOf(1, [5], false, "en").level, 2);
});

Deno.test("formatInstant() is at the clocks of the site", () => {
  const at = "2026-11-20T23:55:01.000Z";
  assert.equal(formatInstant(at), "2026-11-20 23:55 UTC");
  assert.equal(formatInstant(at, "Asia/Seoul"), "2026-11-21 08:55 GMT+9");
  assert.equal(formatInstant("2026-07-01T00:05:00Z", "Europe/London"), "2026-07-01 01:05 GMT+1");
});

Deno.test("formatPercentile() has the interval and never says 0 or 100", () => {
  const print = (percentile: number, more: object = {}, language: "en" | "ko" = "en") =>
    formatPercentile(rankAt(percentile, more), language);
  assert.deepEqual([0.01, 4.96, 47.6, 99.97].map((p) => print(p)), ["<1st", "5th", "48th", ">99th"]);
  assert.deepEqual([print(12, { sd: 0.5 }), print(12, { sd: 0.5 }, "ko")], ["12th, 3–30", "12, 3–30"]);
  assert.equal(print(0.1, { sd: 0.5 }), "<1st, <1–1");
  // without a band the interval stands alone
  assert.equal(print(12, { sd: 0.5, hasBands: false }), "3–30");
  assert.equal(formatPercentile(null, "en"), "–");
});

Deno.test("bandOfRank() tells firm, possible, usual, open and doubtful ranks apart", () => {
  const band = (percentile: number, sd: number, isInverted = false, language: "en" | "ko" = "en") => {
    const rank = rankOfZ(zOfPercentile(percentile), sd, { thresholds: [5, 25], isInverted });
    const { symbol, text } = bandOfRank(rank, [5, 25], isInverted, language)!;
    return `${symbol} ${text}`;
  };
  assert.equal(band(3, 0), "▼ Below the 5th percentile");
  assert.equal(band(4, 0.8), "(▼) Possibly below 5th percentile");
  assert.equal(band(4, 0.3), "▽(▼) Below 25th, possibly 5th percentile");
  assert.equal(band(60, 0.2), "○ 25th percentile or above");
  assert.equal(band(30, 0.8), "≈ Not distinguishable from usual");
  assert.equal(band(99.95, 0), "! Beyond the norms: check the segmentation");
  assert.equal(band(97, 0, true), "▲ Above the 95th percentile");
  assert.equal(band(96, 0.8, true, "ko"), "(▲) 백분위 95 초과 가능성");
  assert.equal(bandOfRank(null, [5, 25], false, "en"), null);
  assert.equal(bandOfRank(rankAt(1, { hasBands: false }), [5, 25], false, "en"), null);
});

Deno.test("ordinal() follows English and leaves Korean its own word", () => {
  assert.deepEqual([1, 2, 3, 5, 11, 12, 13, 21, 25, 93, 99].map((n) => ordinal(n, "en")), [
    "1st",
    "2nd",
    "3rd",
    "5th",
    "11th",
    "12th",
    "13th",
    "21st",
    "25th",
    "93rd",
    "99th",
  ]);
  assert.equal(ordinal(25, "ko"), "25");
});

Deno.test("reportText names no disease", () => {
  const words = Object.values(reportText).flatMap((text) => [text.en, text.ko]).join(" ");
  assert.ok(!/atroph|dementia|alzheimer|disease|위축|치매|질환/i.test(words));
});

Deno.test("zoneOf() gives server and browser one name for no offset", () => {
  assert.deepEqual(["GMT", "GMT+0", "GMT−0", "GMT+9", "GMT-3:30"].map(zoneOf), [
    "UTC",
    "UTC",
    "UTC",
    "GMT+9",
    "GMT-3:30",
  ]);
});
