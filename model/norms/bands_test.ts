import assert from "node:assert/strict";
import { bandOf, bandOfRank } from "@/model/norms/bands.ts";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import { limitsOf, rankOfZ, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import { rankBandText, rankText } from "@/model/text/ranks.ts";

Deno.test("bandOf() names the deepest threshold that was crossed", () => {
  const text = (level: number, thresholds: number[], isInverted = false) =>
    bandOf(level, thresholds, isInverted, "en").text;
  assert.equal(text(0, [5, 25]), "Not low (25th percentile or above)");
  assert.equal(text(1, [5, 25]), "Below the 25th percentile");
  assert.equal(text(2, [5, 25]), "Below the 5th percentile");
  assert.equal(text(1, [1, 3, 10]), "Below the 10th percentile");
  assert.equal(text(2, [1, 3, 10]), "Below the 3rd percentile");
  assert.equal(text(3, [1, 3, 10]), "Below the 1st percentile");
  assert.equal(text(1, [5]), "Below the 5th percentile");
});

Deno.test("bandOf() reads fluid from the other end", () => {
  assert.equal(bandOf(0, [5, 25], true, "en").text, "Not high (75th percentile or below)");
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

Deno.test("bandOfRank() tells firm, possible, usual, open and doubtful ranks apart", () => {
  const band = (
    percentile: number,
    sd: number,
    isInverted = false,
    language: "en" | "ko" = "en",
  ) => {
    const rank = rankOfZ(zOfPercentile(percentile), sd, { limits: limitsOf([5, 25]), isInverted });
    const { symbol, text } = bandOfRank(rank, [5, 25], isInverted, language)!;
    return `${symbol} ${text}`;
  };
  assert.equal(band(3, 0), "▼ Below the 5th percentile");
  assert.equal(band(4, 0.8), "(▼) Possibly below the 5th percentile");
  const bands = rankBandText.belowPossibly.en.replace("{percentile}", "25th");
  assert.equal(band(4, 0.3), `▽(▼) ${bands.replace("{possible}", "5th")}`);
  assert.equal(band(60, 0.2), "○ Not low (25th percentile or above)");
  assert.equal(band(30, 0.8), `≈ ${rankText.notDistinguishable.en}`);
  assert.equal(band(99.95, 0), `! ${rankText.doubtValue.en}`);
  assert.equal(band(97, 0, true), "▲ Above the 95th percentile");
  assert.equal(band(96, 0.8, true, "ko"), "(▲) 백분위 95 초과 가능성");
  assert.equal(bandOfRank(null, [5, 25], false, "en"), null);
  assert.equal(bandOfRank(rankAt(1, { hasBands: false }), [5, 25], false, "en"), null);
});
