import assert from "node:assert/strict";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import { ordinal } from "@/model/norms/rank_format.ts";
import { formatInstant, formatPercentile, zoneOf } from "@/report/model/format.ts";
import { rankBandText, rankText } from "@/model/text/ranks.ts";
import { reportText } from "@/model/text/report/report.ts";

Deno.test("formatInstant() is at the clocks of the site", () => {
  const at = "2026-11-20T23:55:01.000Z";
  assert.equal(formatInstant(at), "2026-11-20 23:55 UTC");
  assert.equal(formatInstant(at, "Asia/Seoul"), "2026-11-21 08:55 GMT+9");
  assert.equal(formatInstant("2026-07-01T00:05:00Z", "Europe/London"), "2026-07-01 01:05 GMT+1");
});

Deno.test("formatPercentile() has the interval and never says 0 or 100", () => {
  const print = (percentile: number, more: object = {}, language: "en" | "ko" = "en") =>
    formatPercentile(rankAt(percentile, more), language);
  assert.deepEqual([0.01, 4.96, 47.6, 99.97].map((p) => print(p)), [
    "<1st",
    "5th",
    "48th",
    ">99th",
  ]);
  assert.deepEqual([print(12, { sd: 0.5 }), print(12, { sd: 0.5 }, "ko")], [
    "12th, 3–30",
    "12, 3~30",
  ]);
  assert.equal(print(0.1, { sd: 0.5 }), "<1st, <1\u00a0to\u00a01");
  // without a band, only the interval is printed
  assert.equal(print(12, { sd: 0.5, hasBands: false }), "3–30");
  assert.equal(formatPercentile(null, "en"), "–");
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
  const words = Object.values({ ...reportText, ...rankText, ...rankBandText }).flatMap((
    text,
  ) => [text.en, text.ko]).join(" ");
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
