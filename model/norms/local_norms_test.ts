// covers: S-126
import firstBiases from "@/model/norms/first_biases.json" with { type: "json" };
import assert from "node:assert/strict";
import {
  chiSquare,
  LOCAL_MEASURES,
  localNormsOf,
  MIN_CONTROLS,
  proposalOf,
  summaryOf,
  t975,
} from "@/model/norms/local_norms.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { normOf, valueAt } from "@/model/norms/norms.ts";
import { normOfMeasure } from "@/model/regions/measures.ts";
import { limitsOf, measuredZ, PLAIN_METHOD, rankOf } from "@/model/norms/percentile_rank.ts";

/** The same numbers every time. */
function* normals(seed: number): Generator<number> {
  const uniform =
    () => (seed = (1103515245 * seed + 12345) % 2147483648, (seed + 0.5) / 2147483648);
  while (true) yield Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
function draw(n: number, mean: number, sd: number, source: Generator<number>): number[] {
  return Array.from({ length: n }, () => mean + sd * source.next().value!);
}

/** Where a density's integral from `from` reaches a share, by adding up thin slices. */
function quantile(density: (x: number) => number, from: number, to: number, share: number): number {
  const step = (to - from) / 400_000, at = (i: number) => density(from + (i + 0.5) * step) * step;
  let whole = 0, sum = 0;
  for (let i = 0; i < 400_000; i++) whole += at(i);
  for (let i = 0; i < 400_000; i++) {
    sum += at(i);
    if (sum >= share * whole) return from + (i + 1) * step;
  }
  return to;
}

Deno.test("the quantiles are those of the densities added up in thin slices", () => {
  for (const freedom of [9, 19, 59]) {
    const t = quantile((x) => (1 + x * x / freedom) ** (-(freedom + 1) / 2), -60, 60, 0.975);
    assert.ok(Math.abs(t - t975(freedom)) < 0.003, `t of ${freedom}: ${t}, ${t975(freedom)}`);
    for (const [z, share] of [[-1.959964, 0.025], [1.959964, 0.975]] as const) {
      const log = (x: number) => (freedom / 2 - 1) * Math.log(x) - x / 2;
      const peak = log(freedom - 2),
        chi = quantile((x) => Math.exp(log(x) - peak), 0, 8 * freedom, share);
      assert.ok(Math.abs(chi / chiSquare(z, freedom) - 1) < 0.02, `chi² of ${freedom}: ${chi}`);
    }
  }
});

Deno.test("of simulated scanners, the intervals hold the true mean and spread in about 95 of 100", () => {
  const source = normals(7), trials = 2000;
  let meanHeld = 0, sdHeld = 0;
  for (let i = 0; i < trials; i++) {
    const found = summaryOf(draw(24, 0.6, 1.3, source))!;
    if (found.meanLow <= 0.6 && found.meanHigh >= 0.6) meanHeld++;
    if (found.sdLow <= 1.3 && found.sdHigh >= 1.3) sdHeld++;
  }
  for (const held of [meanHeld, sdHeld]) {
    assert.ok(Math.abs(held / trials - 0.95) < 0.015, String(held));
  }
});

Deno.test("a verdict needs 20 controls and says where the norm lies", () => {
  const source = normals(3);
  assert.equal(summaryOf([]), null);
  assert.equal(summaryOf([1]), null);
  assert.equal(summaryOf(draw(MIN_CONTROLS - 1, 3, 1, source))!.verdict, "too_few");
  assert.equal(proposalOf(summaryOf(draw(MIN_CONTROLS - 1, 3, 1, source))!), null);
  assert.equal(summaryOf(draw(200, 1, 1, source))!.verdict, "shifted");
  assert.equal(summaryOf(draw(200, -1, 1, source))!.verdict, "shifted");
  const centred = (sd: number) => {
    const z = draw(100, 0, sd, source), mean = z.reduce((a, b) => a + b) / z.length;
    return summaryOf(z.map((value) => value - mean))!.verdict;
  };
  assert.deepEqual([centred(2), centred(0.4), centred(1)], ["wider", "narrower", "agrees"]);
  // every control alike: no spread to divide by
  assert.equal(proposalOf(summaryOf(Array(20).fill(0.3))!)!.scale, 0.5);
  assert.equal(proposalOf(summaryOf(draw(50, 0, 9, source))!)!.scale, 2);
});

Deno.test("with the norms that controls propose, people of the same scanner have mean 0 and spread 1", () => {
  const source = normals(11), subject = { age: 40, sex: "female" as const, icvMl: 1450 };
  const norm = normOfMeasure("19", "volume", subject)!, { bias } = methodErrorOf("19", "volume")!;
  // this scanner adds 12 % to every hippocampus
  const volumes = (n: number) =>
    draw(n, norm.mean, norm.sd, source).map((mm3) => 1.12 * mm3 * Math.exp(bias));
  const z = (mm3: number) => measuredZ("volume", "19", mm3, subject)!.z;
  const values = {
    "volume:19": {
      ...proposalOf(summaryOf(volumes(400).map(z))!)!,
      bias: methodErrorOf("19", "volume")!.bias,
    },
  };
  const local = { ...PLAIN_METHOD, localNorms: localNormsOf(values, false) };
  const after = summaryOf(
    volumes(2000).map((mm3) => measuredZ("volume", "19", mm3, subject, local)!.z),
  )!;
  assert.ok(Math.abs(after.mean) < 0.15 && Math.abs(after.sd - 1) < 0.08, JSON.stringify(after));
  const reading = { limits: limitsOf([5, 20]), isInverted: false },
    usual = 1.12 * norm.mean * Math.exp(bias);
  assert.ok(rankOf("volume", "19", usual, subject, reading)!.percentile > 75);
  assert.ok(Math.abs(rankOf("volume", "19", usual, subject, reading, local)!.percentile - 50) < 6);
  // the others stay as they are
  assert.deepEqual(
    rankOf("volume", "20", usual, subject, reading, local),
    rankOf("volume", "20", usual, subject, reading),
  );
});

Deno.test("every measure is there once", () => {
  const names = LOCAL_MEASURES.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (
    const name of ["volume:19+20", "volume:cortex", "volume:icv", "thickness:thickness"] as const
  ) {
    assert.ok(names.includes(name), name);
  }
});

Deno.test("a local norm reads a person as it read its controls, whatever the error table says since", () => {
  const subject = { age: 45, sex: "female", icvMl: 1409 } as const,
    reading = { limits: [], isInverted: false };
  const norm = normOf("19", "volume", subject)!,
    first = firstBiases.without_second_opinion["volume:19"];
  const rankWith = (bias: number, stored: number | undefined) => {
    const value = {
      offset: 0.4,
      scale: 1.1,
      offsetSd: 0.1,
      n: 40,
      ...(stored === undefined ? {} : { bias: stored }),
    };
    const localNorms = localNormsOf({ "volume:19": value }, false);
    // a person at the mean of the controls, as they were measured with that bias
    const mm3 = valueAt(0.4, norm) * Math.exp(bias);
    return rankOf("volume", "19", mm3, subject, reading, { ...PLAIN_METHOD, localNorms })!
      .percentile;
  };
  assert.notEqual(first, methodErrorOf("19", "volume")!.bias);
  assert.deepEqual([rankWith(first, undefined), rankWith(0.2, 0.2), rankWith(-0.1, -0.1)], [
    50,
    50,
    50,
  ]);
});
