// covers: S-126
import assert from "node:assert/strict";
import { simulateSite, USUAL_ILLNESS } from "@/bench/norms/simulated_site.ts";

const SMALL = { studies: 200, illness: USUAL_ILLNESS, scanners: 2, readers: 40, every: 6 };

Deno.test("of 200 routine studies, 40 % ill: printed percentiles are within 12 points on average, and intervals hold", () => {
  const figures = simulateSite({ ...SMALL, illShare: 0.4, seed: 31 }),
    words = JSON.stringify(figures);
  assert.ok(figures.errorWith <= 12 && figures.errorWith < figures.errorWithoutSame - 2, words);
  assert.ok(figures.printedWith > figures.printedWithout, words);
  assert.ok(figures.held >= 0.85 * figures.proposed, words);
  assert.ok(figures.scaleHeld >= 0.85 * figures.proposed && figures.proposed > 30, words);
});
