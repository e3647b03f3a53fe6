import assert from "node:assert/strict";
import { doubtedLabelsOf, isDoubted } from "@/model/norms/region_agreement.ts";
import limits from "@/model/norms/agreement_limits.json" with { type: "json" };

const LEFT = 19, RIGHT = 20, least = limits.least_dice["19"];

/** A result whose network agrees everywhere but on the given labels. */
const resultOf = (dice: Readonly<Record<number, number>>, isUsed = true) => ({
  deepStructures: { isUsed },
  regionAgreement: {
    deepStructures: Array.from({ length: 105 }, (_, label) => dice[label] ?? 0.99),
  },
});

Deno.test("doubtedLabelsOf() names the side on which result and network disagree", () => {
  assert.deepEqual([...doubtedLabelsOf(resultOf({ [RIGHT]: least - 0.01 }))], [RIGHT]);
  assert.deepEqual([...doubtedLabelsOf(resultOf({ [RIGHT]: least + 0.01 }))], []);
  assert.deepEqual([...doubtedLabelsOf(resultOf({ 37: 0 }))], [], "the network knows no cortex");
});

Deno.test("doubtedLabelsOf() says nothing without the network, of old results and of corrected labels", () => {
  const bad = { [LEFT]: 0.2, [RIGHT]: 0.2 };
  assert.equal(doubtedLabelsOf(resultOf(bad, false)).size, 0);
  assert.equal(doubtedLabelsOf({}).size, 0);
  assert.equal(doubtedLabelsOf({ deepStructures: { isUsed: true } }).size, 0);
  assert.deepEqual(
    [...doubtedLabelsOf({ ...resultOf(bad), corrected: { labels: [LEFT, 2] } })],
    [RIGHT],
  );
});

Deno.test("isDoubted() holds of a structure and of its pair, not of sums over many regions", () => {
  const doubted = new Set([LEFT]);
  const keys = ["19", "20", "19+20", "brain", "icv", "cortex_left", "thickness"];
  assert.deepEqual(keys.filter((key) => isDoubted(key, doubted)), ["19", "19+20"]);
  assert.ok(!isDoubted("19", undefined));
});
