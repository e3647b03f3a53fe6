// covers: S-251
import assert from "node:assert/strict";
import { planReadings, washoutEnd } from "@/model/reading_study/design.ts";
import { Random } from "@/model/random.ts";

const BOTH = ["without", "with"] as const;

Deno.test("planReadings() shows every reader every case once in each arm, balanced", () => {
  const random = new Random(46);
  for (let round = 0; round < 300; round++) {
    const cases = 2 + Math.floor(random.uniform() * 60);
    const readers = 1 + Math.floor(random.uniform() * 9);
    const references = Array.from(
      { length: cases },
      () => [true, false, null][Math.floor(random.uniform() * 3)]!,
    );
    const seed = Math.floor(random.uniform() * 1e9);
    const plans = planReadings(references, readers, BOTH, new Random(seed));
    assert.deepEqual(plans, planReadings(references, readers, BOTH, new Random(seed)));
    assert.equal(plans.length, readers);
    const firstWith = new Array<number>(cases).fill(0);
    for (const plan of plans) {
      assert.deepEqual(plan.map(({ place }) => place), plan.map((_, n) => n));
      assert.equal(
        new Set(plan.map(({ caseIndex, arm }) => `${caseIndex} ${arm}`)).size,
        2 * cases,
      );
      assert.equal(plan.length, 2 * cases);
      // sessions follow one another, each with every case
      plan.forEach(({ session }, n) => assert.equal(session, n < cases ? 0 : 1));
      assert.equal(new Set(plan.slice(0, cases).map(({ caseIndex }) => caseIndex)).size, cases);
      const first = plan.slice(0, cases).filter(({ arm }) => arm === "with");
      assert.ok(Math.abs(2 * first.length - cases) <= 1, `${first.length} of ${cases}`);
      for (const { caseIndex } of first) firstWith[caseIndex]!++;
      for (const reference of [true, false, null]) {
        const all = references.filter((each) => each === reference).length;
        const shown = first.filter(({ caseIndex }) => references[caseIndex] === reference).length;
        assert.ok(Math.abs(2 * shown - all) <= 1, `${shown} of ${all}`);
      }
    }
    if (readers % 2 === 0) assert.ok(firstWith.every((count) => count === readers / 2));
  }
});

Deno.test("planReadings() mixes the arms, and readers have orders of their own", () => {
  const plans = planReadings(Array(30).fill(true), 4, BOTH, new Random(9));
  const orders = plans.map((plan) => plan.map(({ caseIndex }) => caseIndex).join());
  assert.equal(new Set(orders).size, 4);
  for (const plan of plans) {
    const changes = plan.slice(1, 30).filter(({ arm }, n) => arm !== plan[n]!.arm).length;
    assert.ok(changes > 5, String(changes));
  }
});

Deno.test("planReadings() with one arm has one session", () => {
  for (const arm of BOTH) {
    const [plan] = planReadings([true, false, null], 1, [arm], new Random(1));
    assert.deepEqual(plan!.map((reading) => [reading.arm, reading.session]), [
      [arm, 0],
      [arm, 0],
      [arm, 0],
    ]);
  }
});

Deno.test("washoutEnd() counts days of 24 hours", () => {
  assert.equal(washoutEnd("2026-03-28T12:00:00.000Z", 28), "2026-04-25T12:00:00.000Z");
  assert.equal(washoutEnd("2026-03-28T12:00:00.000Z", 0), "2026-03-28T12:00:00.000Z");
});
