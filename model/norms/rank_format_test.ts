// covers: S-257
import assert from "node:assert/strict";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { limitsOf, rankOfZ } from "@/model/norms/percentile_rank.ts";
import {
  formatRank,
  intervalDigits,
  intervalText,
  isDetermined,
  printedInterval,
  printedPercentile,
} from "@/model/norms/rank_format.ts";

const READING = { limits: limitsOf(DEFAULT_THRESHOLDS), isInverted: false };

Deno.test("isDetermined() refuses intervals as wide as <1–>99 and 5–95", () => {
  const at = (low: number, high: number) => isDetermined({ low, high });
  assert.deepEqual([at(0.2, 99.8), at(5, 95), at(0, 90)], [false, false, false]);
  assert.deepEqual([at(6, 95), at(60, 99.9), at(0.1, 40), at(12, 12)], [true, true, true, true]);
  // "5–95" after rounding, too
  assert.deepEqual([at(5.48, 94.52), at(4.5, 95.49), at(5.5, 94.5)], [false, false, true]);
});

Deno.test("no interval is printed whose digits are 90 percentiles apart", () => {
  const number = (digits: string) => digits === "<1" ? 0 : digits === ">99" ? 100 : Number(digits);
  for (let low = 0; low <= 12; low += 0.01) {
    for (let high = 88; high <= 100; high += 0.13) {
      const said = intervalDigits({ low, high }, "en").match(/[<>]?\d+/g);
      assert.ok(
        said === null || number(said[1]!) - number(said[0]!) < 90,
        `${low} to ${high}: ${said}`,
      );
    }
  }
});

Deno.test("a rank of any error is printed with an interval that says something, or as not determined", () => {
  for (const canHaveBands of [true, false]) {
    for (let sd = 0; sd <= 4; sd += 0.1) {
      for (let z = -5; z <= 5; z += 0.25) {
        const rank = rankOfZ(z, sd, READING, canHaveBands);
        const isSaid = Math.round(rank.high) - Math.round(rank.low) < 90;
        assert.equal(isDetermined(rank), isSaid);
        assert.equal(formatRank(rank, "en") === "not determined", !isSaid);
        assert.equal(formatRank(rank, "ko") === "산출 불가", !isSaid);
        assert.equal(intervalDigits(rank, "en") === "not determined", !isSaid);
        assert.equal(/\d/.test(intervalText(rank, "en")), isSaid);
        assert.doesNotMatch(intervalText(rank, "en"), /(?<![<>\d])([<>]?\d+) to \1(?!\d)/);
        assert.doesNotMatch(intervalText(rank, "ko"), /(?<![<>\d])([<>]?\d+)~\1(?!\d)/);
        assert.equal(printedInterval(rank) !== null, isSaid);
        if (isSaid) continue;
        assert.equal(printedPercentile(rank), null);
        assert.deepEqual([rank.has_bands, rank.level, rank.possible_level, rank.is_usual], [
          false,
          0,
          0,
          false,
        ]);
      }
    }
  }
});

Deno.test("formatRank() writes a percentile in one way, be it an interval of a single number or not", () => {
  const rank = (percentile: number, has_bands: boolean) => ({
    ...rankOfZ(0, 0.2, READING),
    percentile,
    low: percentile,
    high: percentile,
    has_bands,
  });
  const said = [0.2, 1, 12, 99.8].map((percentile) =>
    [true, false].map((has) => formatRank(rank(percentile, has), "en"))
  );
  assert.deepEqual(said, ["<1st", "1st", "12th", ">99th"].map((words) => [words, words]));
  assert.equal(formatRank(rank(0.2, false), "ko"), "<1");
});

Deno.test("printedPercentile() is that of a rank with bands", () => {
  assert.equal(printedPercentile(rankOfZ(0, 0.2, READING)), 50);
  assert.equal(printedPercentile(rankOfZ(0, 0.2, READING, false)), null);
  assert.equal(printedPercentile(null), null);
});
