import assert from "node:assert/strict";
import { ghosting } from "@/core/engine/ghosting.ts";
import { Random } from "@/tests/phantom/random.ts";

const SIDE = 256;

/** A ball of brightness 100 in air of brightness 4 to 8, repeated along one axis with a part of its brightness. */
function ball(axis: number, part: number): Uint8Array {
  const random = new Random(5), out = new Uint8Array(SIDE ** 3);
  for (let k = 0, at = 0; k < SIDE; k++) {
    for (let j = 0; j < SIDE; j++) {
      for (let i = 0; i < SIDE; i++, at++) {
        const p = [i - 128, j - 128, k - 128], along = p[axis]!;
        const aside = p.reduce((sum, v) => sum + v * v, 0) - along * along;
        const isIn = (shift: number) => aside + (along - shift) ** 2 < 70 ** 2;
        const air = 4 + Math.floor(4 * random.uniform());
        out[at] = isIn(0) ? 100 : air + (isIn(100) || isIn(-100) ? 100 * part : 0);
      }
    }
  }
  return out;
}

Deno.test("ghosting() sees a head repeated along any axis, and none in noise alone", () => {
  assert.ok(ghosting(ball(0, 0)) < 0.002);
  for (const axis of [0, 1, 2]) {
    const found = ghosting(ball(axis, 0.1));
    assert.ok(found > 0.02 && found < 0.1, `axis ${axis}: ${found}`);
  }
});

Deno.test("ghosting() is 0 where no air is left to look at", () => {
  assert.equal(ghosting(new Uint8Array(SIDE ** 3)), 0);
  assert.equal(ghosting(new Uint8Array(SIDE ** 3).fill(90)), 0);
});
