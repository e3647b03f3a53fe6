// covers: S-126
import assert from "node:assert/strict";
import { normalCdf, normOf, normOfPair, percentileOf, valueAt } from "@/model/norms/norms.ts";

const woman = { age: 70, sex: "female", icvMl: 1409 } as const;
const man = { age: 70, sex: "male", icvMl: 1596 } as const;
const near = (got: number, want: number, tolerance: number) =>
  assert.ok(Math.abs(got - want) <= tolerance, `${got} is not within ${tolerance} of ${want}`);

Deno.test("normOf() gives the published check values at 70 years", () => {
  for (
    const [subject, hippocampus, cortexMl, ventricleMl, thickness] of [
      [woman, 3609.8, 423.2, 11.46, 2.455],
      [man, 3828.3, 462.5, 15.05, 2.433],
    ] as const
  ) {
    near(normOf(19, "volume", subject)!.mean, hippocampus, 0.05);
    near(normOf("cortex", "volume", subject)!.mean / 1000, cortexMl, 0.05);
    near(valueAt(0, normOf(15, "volume", subject)!) / 1000, ventricleMl, 0.005);
    near(normOf("thickness_left", "thickness", subject)!.mean, thickness, 0.0005);
  }
});

Deno.test("normOf() refuses ages outside 18 to 100", () => {
  assert.equal(normOf(19, "volume", { ...woman, age: 17.9 }), null);
  assert.equal(normOf(19, "volume", { ...woman, age: 101 }), null);
  assert.equal(normOf(999, "volume", woman), null);
});

Deno.test("normOf() without ICV widens the spread", () => {
  assert.ok(normOf(19, "volume", { ...woman, icvMl: null })!.sd > normOf(19, "volume", woman)!.sd);
});

Deno.test("percentileOf() is 50 at the mean and 97.5 at z = 1.96", () => {
  const pair = normOfPair(19, 20, "volume", woman)!;
  near(percentileOf(pair.mean, pair), 50, 1e-4);
  near(percentileOf(valueAt(1.959964, pair), pair), 97.5, 1e-3);
  near(normalCdf(-8), 0, 1e-7);
});
