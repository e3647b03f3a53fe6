import assert from "node:assert/strict";
import { bandOf, ordinal, printPercentile } from "@/model/report_print.ts";
import { reportText } from "@/model/text/report.ts";

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

Deno.test("printPercentile() keeps a decimal where thresholds lie and never says 0 or 100", () => {
  assert.deepEqual(
    [null, 0.01, 4.96, 10, 47.6, 94.96, 99.97].map(printPercentile),
    ["–", "<0.1", "5.0", "10", "48", "95.0", ">99.9"],
  );
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
