// covers: S-119
import assert from "node:assert/strict";
import { CallLimit } from "@/server/core/site/service/call_limit.ts";

Deno.test("CallLimit lets so many calls of a user through at once, then one by one as time goes by", () => {
  let now = 0;
  const limit = new CallLimit(30, () => now), wait = (uid = 1) => limit.take(uid).seconds;
  for (let n = 0; n < 30; n++) assert.equal(wait(), 0);
  assert.equal(wait(), 2);
  // somebody else is not concerned
  assert.equal(wait(2), 0);
  now = 1999;
  assert.equal(wait(), 1);
  now = 2000;
  assert.deepEqual([wait(), wait()], [0, 2]);
  now = 10 * 60_000;
  assert.deepEqual(Array.from({ length: 31 }, () => wait()).filter((seconds) => seconds > 0), [2]);
});

Deno.test("CallLimit names the first of the calls that it refuses in a row", () => {
  let now = 0;
  const limit = new CallLimit(1, () => now), isFirst = () => limit.take(1).isFirst;
  assert.deepEqual([isFirst(), isFirst(), isFirst()], [false, true, false]);
  now = 60_000;
  assert.deepEqual([isFirst(), isFirst()], [false, true]);
});

Deno.test("CallLimit of 0 limits nothing", () => {
  const limit = new CallLimit(0);
  for (let n = 0; n < 10_000; n++) assert.equal(limit.take(1).seconds, 0);
});
