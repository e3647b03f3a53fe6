import assert from "node:assert/strict";
import { slotsOf } from "@/components/worklist/row_steps.ts";

const slots = (pids: number[], before: Map<number, number>, isSame: boolean) => [
  ...slotsOf(pids, before, isSame),
];

Deno.test("slotsOf() gives another list the elements of the one before, in order", () => {
  const before = new Map([[7, 0], [6, 1], [5, 2]]);
  assert.deepEqual(slots([5, 9], before, false), [[5, 0], [9, 1]]);
});

Deno.test("slotsOf() leaves every row of the same list its element", () => {
  const before = new Map([[7, 0], [6, 1], [5, 2]]);
  // 6 is gone, 4 comes up from the next page
  const after = slotsOf([7, 5, 4], before, true);
  assert.deepEqual([...after], [[7, 0], [5, 2], [4, 1]]);
  assert.deepEqual(slots([8, 7, 5, 4], after, true), [[7, 0], [5, 2], [4, 1], [8, 3]]);
  assert.deepEqual(slots([], before, true), []);
});
