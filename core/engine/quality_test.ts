import assert from "node:assert/strict";
import { LABEL_COUNT } from "@/model/regions.ts";
import { type QualityFigures, warningsOf } from "@/core/engine/quality.ts";

const usual = (): QualityFigures => ({
  ncc: 0.85,
  isRetried: false,
  hasConverged: true,
  icvMm3: 1.5e6,
  volumesMm3: Array.from({ length: LABEL_COUNT }, (_, label) => label === 0 ? 0 : 11_500),
});

Deno.test("warningsOf() is silent on a usual analysis", () => assert.deepEqual(warningsOf(usual()), []));

Deno.test("warningsOf() names each rule that fired", () => {
  assert.deepEqual(warningsOf({ ...usual(), ncc: 0.7, isRetried: true }), [
    "registration_retried",
    "correlation_low",
  ]);
  assert.deepEqual(warningsOf({ ...usual(), hasConverged: false }), ["not_converged"]);
  assert.deepEqual(warningsOf({ ...usual(), icvMm3: 2.3e6 }), [
    "icv_out_of_range",
    "brain_icv_ratio_out_of_range",
  ]);
  const empty = usual();
  empty.volumesMm3 = empty.volumesMm3.map((v, label) => label === 19 ? 0 : v);
  assert.deepEqual(warningsOf(empty), ["region_empty", "pair_unequal"]);
  const unequal = usual();
  unequal.volumesMm3 = unequal.volumesMm3.map((v, label) => label === 7 ? 30_000 : v);
  assert.deepEqual(warningsOf(unequal), ["pair_unequal"]);
});

Deno.test("warningsOf() fires on numbers that are not numbers", () => {
  assert.ok(warningsOf({ ...usual(), ncc: NaN }).includes("correlation_low"));
  assert.ok(warningsOf({ ...usual(), icvMm3: NaN }).includes("icv_out_of_range"));
});
