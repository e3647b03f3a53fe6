// covers: S-126
import assert from "node:assert/strict";
import type { FitPrior } from "@/model/norms/indirect/healthy_fit.ts";
import {
  addHistograms,
  AGE_BANDS,
  bandOf,
  BINS,
  histogramOf,
  type Residual,
  sizeOf,
} from "@/model/norms/indirect/histogram.ts";
import { indirectNorm, MIN_ROUTINE } from "@/model/norms/indirect/indirect_norm.ts";
import { Random } from "@/model/random.ts";

const PRIOR: FitPrior = { offsetSd: 0.6, randomSd: 0.5, direction: -1 };

/** Residuals of groups: people, mean, sd. Ages go through all bands. */
function residuals(random: Random, ...groups: [n: number, mean: number, sd: number][]): Residual[] {
  return groups.flatMap(([n, mean, sd]) =>
    Array.from(
      { length: n },
      (_, i) => ({ age: 20 + (i * 7) % 75, z: mean + sd * random.normal() }),
    )
  );
}
const fitOf = (values: readonly Residual[], prior = PRIOR) =>
  indirectNorm(histogramOf(values), prior);

Deno.test("residuals are counted once, by age band, and those far away beside them", () => {
  assert.deepEqual([18, 49.9, 50, 64, 65, 80, 100].map(bandOf), [0, 0, 1, 1, 2, 3, 3]);
  const values = [{ age: 30, z: 0 }, { age: 66, z: -7.99 }, { age: 66, z: 9 }, {
    age: 66,
    z: -8.1,
  }];
  const histogram = histogramOf(values);
  assert.deepEqual([sizeOf(histogram), histogram.outside], [4, 2]);
  assert.deepEqual([histogram.counts[0]![80], histogram.counts[2]![0]], [1, 1]);
  assert.ok(histogram.counts.length === AGE_BANDS.length);
  assert.ok(histogram.counts.every((band) => band.length === BINS));
  assert.equal(sizeOf(addHistograms(histogram, histogram)), 8);
});

Deno.test("a value that is not finite is a fault, not a count", () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    assert.throws(() => histogramOf([{ age: 40, z: bad }]), RangeError);
    assert.throws(() => histogramOf([{ age: bad, z: 0 }]), RangeError);
  }
});

Deno.test("the offset and the scale of the healthy are had though 40 % are ill, either way", () => {
  for (const direction of [-1, 1] as const) {
    for (const offset of [-0.8, 0, 0.8]) {
      const fit = fitOf(
        residuals(new Random(4), [240, offset, 1.12], [160, offset + direction * 2, 1.3]),
        { ...PRIOR, direction },
      );
      assert.equal(fit.refusal, null);
      const { offsetLow, offsetHigh, scaleLow, scaleHigh, healthyShare } = fit.part!;
      assert.ok(offsetLow < offset && offset < offsetHigh, JSON.stringify({ offset, ...fit }));
      assert.ok(scaleLow < 1.12 && 1.12 < scaleHigh && offsetHigh - offsetLow < 1.4);
      assert.ok(healthyShare > 0.4 && healthyShare < 0.8, String(healthyShare));
    }
  }
});

Deno.test("the same counts give the same answer", () => {
  const values = residuals(new Random(9), [120, 0.3, 1.1], [80, -1.7, 1.3]);
  assert.deepEqual(fitOf(values), fitOf([...values].reverse()));
});

Deno.test("fewer than 100 studies are refused, whatever they show", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const n = Math.floor(MIN_ROUTINE * new Random(seed).uniform());
    const { refusal } = fitOf(residuals(new Random(seed), [n, 0, 1]));
    assert.equal(refusal, "too_few");
  }
  assert.equal(fitOf(residuals(new Random(1), [MIN_ROUTINE - 1, 0, 1])).refusal, "too_few");
  assert.equal(fitOf(residuals(new Random(1), [MIN_ROUTINE, 0, 1.1])).refusal, null);
});

Deno.test("no norm from populations without a healthy part: bimodal, flat, far away, one value", () => {
  const random = new Random(12);
  for (const prior of [PRIOR, { ...PRIOR, direction: 1 as const }, { ...PRIOR, offsetSd: 0.2 }]) {
    const nonsense: [string, Residual[]][] = [
      ["two ill groups on both sides", residuals(random, [150, -3.5, 0.8], [150, 3.5, 0.8])],
      ["two ill groups on one side", residuals(random, [150, -3, 0.6], [150, -6, 0.6])],
      ["two groups near", residuals(random, [150, -2.2, 0.3], [150, 2.2, 0.3])],
      ["all far away", residuals(random, [300, -4, 0.8])],
      ["all outside", residuals(random, [300, 20, 0.8])],
      ["flat", Array.from({ length: 300 }, (_, i) => ({ age: 60, z: -7 + i * 14 / 300 }))],
      ["one value", Array.from({ length: 300 }, () => ({ age: 60, z: 0.05 }))],
      ["three lines", Array.from({ length: 300 }, (_, i) => ({ age: 60, z: [-3, 0, 3][i % 3]! }))],
    ];
    for (const [name, values] of nonsense) {
      const { refusal, part } = fitOf(values, prior);
      assert.notEqual(refusal, null, `${name}: ${JSON.stringify(part)}`);
    }
  }
});
