// covers: S-125
import assert from "node:assert/strict";
import { limitsFromRepeats } from "@/model/norms/change_limits.ts";

Deno.test("limitsFromRepeats() is t times the spread of the differences", () => {
  const pair = (percent: number) =>
    [{ brain: 1000 }, { brain: 1000 * (1 + percent / 100) }] as const;
  const limits = limitsFromRepeats([pair(1), pair(-1), pair(1)])!;
  assert.equal(limits.pairs, 3);
  // three pairs that differ by 1 %: 3.18 × 1 %
  assert.ok(Math.abs(limits.percent.brain! - 3.18) < 0.03, String(limits.percent.brain));
});

Deno.test("limitsFromRepeats() says nothing of fewer than three pairs, nor of what was not measured", () => {
  const pair = [{ brain: 1, thickness: 2 }, { brain: 1 }] as const;
  assert.equal(limitsFromRepeats([pair, pair]), null);
  assert.deepEqual(Object.keys(limitsFromRepeats([pair, pair, pair])!.percent), ["brain"]);
});
