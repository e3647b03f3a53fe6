// covers: S-126
import assert from "node:assert/strict";
import { driftOf } from "@/model/norms/indirect/drift.ts";
import { histogramOf, sizeOf } from "@/model/norms/indirect/histogram.ts";
import { canPool, histogramFrom, pooled, sparseOf } from "@/model/norms/indirect/pooling.ts";
import { Random } from "@/model/random.ts";

const site = (seed: number, n: number, mean: number) => {
  const random = new Random(seed);
  return histogramOf(Array.from({ length: n }, (_, i) => ({
    age: 20 + (i * 7) % 75,
    z: mean + 1.1 * random.normal(),
  })));
};

Deno.test("counts are the same after they were stored or exchanged", () => {
  const histogram = site(1, 300, 0.4);
  assert.deepEqual(histogramFrom(sparseOf(histogram)), histogram);
  assert.deepEqual(histogramFrom(JSON.parse(JSON.stringify(sparseOf(histogram)))), histogram);
});

Deno.test("foreign counts that are none are refused, and never counted", () => {
  const empty = [[], [], []];
  for (
    const [bands, outside] of [
      [[[], []], 0],
      [[[1], ...empty], 0],
      [[[160, 1], ...empty], 0],
      [[[-1, 1], ...empty], 0],
      [[[3, 0], ...empty], 0],
      [[[3, 1.5], ...empty], 0],
      [[[3, NaN], ...empty], 0],
      [[[3, 1, 3, 1], ...empty], 0],
      [[[4, 1, 3, 1], ...empty], 0],
      [[[], ...empty], -1],
      [[[], ...empty], Infinity],
    ] as [number[][], number][]
  ) assert.throws(() => histogramFrom({ bands, outside }), RangeError, JSON.stringify(bands));
});

Deno.test("sites that read alike are pooled, a site that reads otherwise is left out", () => {
  const here = site(2, 150, 0.3), alike = site(3, 150, 0.35), otherwise = site(4, 150, 1.6);
  assert.ok(canPool(here, alike) && !canPool(here, otherwise));
  const { histogram, isWhole } = pooled(here, [alike, otherwise]);
  assert.deepEqual([sizeOf(histogram), isWhole], [300, false]);
});

Deno.test("a few measures beyond their interval are chance, many are an alarm", () => {
  const names = Array.from({ length: 40 }, (_, n) => `volume:${n}`);
  const inForce = Object.fromEntries(
    names.map((name) => [name, { offset: 0.2, offsetSd: 0.2, scale: 1, n: 200 }]),
  );
  const estimates = (moved: number) =>
    Object.fromEntries(names.map((name, n) => [name, { offset: n < moved ? 0.6 : 0.5 }]));
  for (const [moved, isAlarm] of [[0, false], [4, false], [5, true], [40, true]] as const) {
    const drift = driftOf(inForce, estimates(moved));
    assert.deepEqual([drift.moved.length, drift.isAlarm], [moved, isAlarm]);
  }
  assert.deepEqual(driftOf(inForce, {}), { moved: [], isAlarm: false });
});
