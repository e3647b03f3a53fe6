import assert from "node:assert/strict";
import { turnedTo, type TwoBodies } from "@/components/worklist/two_bodies.ts";

const of = (list: string, rows: readonly number[] = [1, 2]) => ({ list, rows });
const begin = (): TwoBodies<number> => ({ held: [of("a"), null], front: 0 });

Deno.test("turnedTo() brings a list that was drawn behind to the front, and keeps the one before", () => {
  const a = of("a"), b = of("b", [3]);
  const drawn = turnedTo(begin(), a, b);
  assert.deepEqual([drawn.front, drawn.held[1]], [0, b]);
  const turned = turnedTo(drawn, b, b);
  assert.deepEqual(turned, { held: [a, b], front: 1 });
  assert.deepEqual(turnedTo(turned, a, b), { held: [a, b], front: 0 });
});

Deno.test("turnedTo() draws a list that nobody expected in front", () => {
  const c = of("c"), drawn = turnedTo(begin(), of("a"), of("b"));
  assert.deepEqual(turnedTo(drawn, c, of("b")), { held: [c, of("b")], front: 0 });
  assert.deepEqual(turnedTo(begin(), c, null), { held: [c, null], front: 0 });
});

Deno.test("turnedTo() shows the rows that are true now, whatever was drawn behind", () => {
  const drawn = turnedTo(begin(), of("a"), of("b", [3, 4]));
  const turned = turnedTo(drawn, of("b", [4]), null);
  assert.deepEqual([turned.front, turned.held[1]], [1, of("b", [4])]);
  const changed = turnedTo(turned, of("b", [4, 5]), null);
  assert.deepEqual([changed.front, changed.held[1]], [1, of("b", [4, 5])]);
});
