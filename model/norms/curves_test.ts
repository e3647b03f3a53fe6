import assert from "node:assert/strict";
import { curveOf, normOfTotal, sumOfLogNorms } from "@/model/norms/curves.ts";
import { normOf, percentileOf, valueAt } from "@/model/norms/norms.ts";

const woman = { age: 70, sex: "female", icvMl: 1409 } as const;
const near = (got: number, want: number, tolerance: number) =>
  assert.ok(Math.abs(got - want) <= tolerance, `${got} is not within ${tolerance} of ${want}`);

/** Two independent standard normal values from a small generator, so that the check is the same every time. */
function* normals(seed: number): Generator<[number, number], never> {
  let state = seed;
  const next =
    () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, (state + 0.5) / 2 ** 32);
  while (true) {
    const r = Math.sqrt(-2 * Math.log(next())), angle = 2 * Math.PI * next();
    yield [r * Math.cos(angle), r * Math.sin(angle)];
  }
}

Deno.test("sumOfLogNorms() has the percentiles of simulated pairs", () => {
  const left = normOf(15, "volume", woman)!, right = normOf(16, "volume", woman)!;
  const total = sumOfLogNorms(left, right);
  const sums: number[] = [];
  const pairs = normals(7);
  for (let i = 0; i < 200_000; i++) {
    const [a, b] = pairs.next().value;
    sums.push(valueAt(a, left) + valueAt(0.8 * a + 0.6 * b, right));
  }
  sums.sort((a, b) => a - b);
  for (const percentile of [5, 25, 50, 75, 95]) {
    near(percentileOf(sums[Math.round(sums.length * percentile / 100)]!, total), percentile, 0.6);
  }
});

Deno.test("normOfTotal() adds the means of the two sides and widens by their correlation", () => {
  const total = normOfTotal([19, 20], woman)!;
  const left = normOf(19, "volume", woman)!, right = normOf(20, "volume", woman)!;
  near(total.mean, left.mean + right.mean, 1e-9);
  assert.ok(total.sd > Math.hypot(left.sd, right.sd) && total.sd < left.sd + right.sd);
  assert.equal(normOfTotal([32], woman) === null, normOf(32, "volume", woman) === null);
  assert.deepEqual(normOfTotal([25], woman), normOf(25, "volume", woman));
});

Deno.test("curveOf() is ordered, in mL, and its middle at 70 years is the norm", () => {
  for (const labels of [[19, 20], [15, 16]]) {
    const curve = curveOf(labels, woman, { from: 20, to: 90 });
    assert.equal(curve.length, 71);
    for (const p of curve) {
      assert.ok(p.p5 < p.p25 && p.p25 < p.p50 && p.p50 < p.p75 && p.p75 < p.p95);
    }
  }
  const hippocampus = curveOf([19, 20], woman, { from: 70, to: 70 })[0]!;
  const right = normOf(20, "volume", woman)!;
  near(hippocampus.p50, (3609.8 + right.mean) / 1000, 1e-4);
  const total = normOfTotal([15, 16], woman)!;
  near(
    percentileOf(curveOf([15, 16], woman, { from: 70, to: 70 })[0]!.p95 * 1000, total),
    95,
    0.01,
  );
});

Deno.test("curveOf() is empty outside of the norms", () => {
  assert.deepEqual(curveOf([19, 20], woman, { from: 3, to: 17 }), []);
});
