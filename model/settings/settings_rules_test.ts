// covers: D1-9.1, D2-5.5, D2-9.5
import assert from "node:assert/strict";
import {
  canHavePages,
  countOf,
  fieldsOf,
  isPageEnabled,
  thresholdFlags,
  thresholdListOf,
  withCount,
  withPage,
  withTyped,
} from "@/model/settings/settings_rules.ts";

// covers: D1-4.26
Deno.test("countOf() is the position of the last threshold that is not 0, at least 1", () => {
  assert.deepEqual([[], [5], [5, 25], [5, 25, 50]].map((list) => countOf(fieldsOf(list))), [
    1,
    1,
    2,
    3,
  ]);
  assert.equal(countOf([5, 0, 50]), 3);
});

// covers: D1-4.24, D1-4.25
Deno.test("withCount() clears beyond the count and fills empty fields from the one before", () => {
  assert.deepEqual(withCount([5, 25, 50], 1), [5, 0, 0]);
  assert.deepEqual(withCount([5, 25, 50], 2), [5, 25, 0]);
  assert.deepEqual(withCount([5, 0, 50], 2), [5, 5, 0]);
  assert.deepEqual(withCount([5, 0, 0], 3), [5, 5, 5]);
  assert.deepEqual(withCount([5, 25, 0], 3), [5, 25, 25]);
  assert.deepEqual(withCount([0, 0, 0], 3), [0, 0, 0]);
});

// covers: D1-5.2
Deno.test("withTyped() takes digits only, and nothing as 0", () => {
  assert.deepEqual(withTyped([5, 25, 0], 1, "3a-7."), [5, 37, 0]);
  assert.deepEqual(withTyped([5, 25, 0], 0, ""), [0, 25, 0]);
  assert.deepEqual(withTyped([5, 25, 0], 2, "abc"), [5, 25, 0]);
});

// covers: D1-5.1, D1-5.3
Deno.test("thresholdFlags() marks what is 0 while active, above 100, or smaller than the one before", () => {
  assert.deepEqual(thresholdFlags([5, 25, 0], 2), [false, false, false]);
  assert.deepEqual(thresholdFlags([5, 25, 0], 3), [false, false, true]);
  assert.deepEqual(thresholdFlags([30, 25, 25], 3), [false, true, false]);
  assert.deepEqual(thresholdFlags([0, 25, 0], 1), [true, false, false]);
  assert.deepEqual(thresholdFlags([5, 5, 101], 3), [false, false, true]);
});

// covers: D1-5.4
Deno.test("thresholdListOf() drops empty values and those beyond the count", () => {
  assert.deepEqual(thresholdListOf([5, 25, 50], 2), [5, 25]);
  assert.deepEqual(thresholdListOf([5, 0, 50], 3), [5, 50]);
});

// covers: D1-5.5
Deno.test("withPage() keeps 8 and 16 apart and refuses to clear the last page", () => {
  assert.deepEqual(withPage([1, 8], 16, true), [1, 16]);
  assert.deepEqual(withPage([1, 16], 8, true), [1, 8]);
  assert.deepEqual(withPage([1, 128], 64, true), [1, 64, 128]);
  assert.deepEqual(withPage([1, 16], 1, false), [16]);
  assert.equal(withPage([16], 16, false), null);
});

// covers: D1-5.6, D1-9.3
Deno.test("canHavePages() refuses no page, both of 8 and 16, and pages that a T2w report does not have", () => {
  assert.ok(canHavePages([1, 8, 32], "t1") && canHavePages([1, 16], "t1t2"));
  assert.ok(!canHavePages([], "t1") && !canHavePages([8, 16], "t1") && !canHavePages([4], "t1"));
  const enabled = [1, 2, 8, 16, 32, 64, 128, 512, 1024].filter((code) => isPageEnabled(code, "t2"));
  assert.deepEqual(enabled, [1, 64, 128, 1024]);
  assert.ok(!canHavePages([1, 2], "t2"));
});
