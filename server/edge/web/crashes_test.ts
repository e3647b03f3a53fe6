import assert from "node:assert/strict";
import { CrashLimit, scrubMessage, scrubStack } from "@/server/edge/web/crashes.ts";

Deno.test("scrubMessage() keeps what the language says, and nothing that may be a patient's", () => {
  const kept = "TypeError: Cannot read properties of undefined";
  assert.equal(scrubMessage(`${kept} (reading 'KIM^HANEUL')`), `${kept} (reading [text])`);
  assert.equal(
    scrubMessage("Error: no study 20260105 of Hong Gildong"),
    "Error: no study # of [name] [name]",
  );
  assert.equal(scrubMessage("Error: 김하늘 KIM^HANEUL kim@h.org"), "Error: … [name] [address]");
  assert.equal(
    scrubMessage("Error: GET https://h.org/viewer/7?search=Kim failed"),
    "Error: GET [address] failed".replace("GET", "[name]"),
  );
  assert.equal(scrubMessage('Error: "a quote that does not end: Kim'), "Error: [text]");
  assert.equal(
    scrubMessage("RangeError: Maximum call stack size exceeded"),
    "RangeError: Maximum call stack size exceeded",
  );
  assert.ok(scrubMessage("Error: " + "x ".repeat(9999)).length <= 300);
});

Deno.test("scrubStack() keeps functions, files and places of the build", () => {
  const stack = `Error: Kim Haneul 12345
    at kt (https://h.org/static/build/Worklist-A1B2C3D4.js:1:2345)
    at https://h.org/static/build/chunk-7BREV76V.js?name=Kim:9:1
    at async Object.go (https://h.org/viewer/77?search=Kim:1:1)
    at Kim Haneul (https://h.org/static/build/client-A.js:1:1)
wt@https://h.org/static/build/client-4W5CNY6C.js:3:4`;
  assert.deepEqual(scrubStack(stack), [
    "kt Worklist-A1B2C3D4.js:1:2345",
    "? chunk-7BREV76V.js:9:1",
    "wt client-4W5CNY6C.js:3:4",
  ]);
  assert.equal(scrubStack("at a (https://h/static/build/a.js:1:1)\n".repeat(99)).length, 12);
});

Deno.test("CrashLimit allows thirty of one address and a hundred in all, each minute", () => {
  const limit = new CrashLimit();
  const taken = (address: string, now: number, times: number) =>
    Array.from({ length: times }, () => limit.allows(address, now)).filter(Boolean).length;
  assert.equal(taken("a", 1, 99), 30);
  assert.equal(
    Array.from({ length: 99 }, (_, n) => limit.allows(`b${n}`, 2)).filter(Boolean).length,
    70,
  );
  assert.equal(taken("a", 60_001, 99), 30);
});

Deno.test("a crash report is read in linear time, whatever repeats in it", () => {
  const startMs = performance.now();
  for (const text of ["\n", "\u2028", " ", "at ", "async\n", "a", "a.1", "a@", "/static/build/"]) {
    assert.deepEqual(scrubStack(text.repeat(60_000)), []);
    for (let n = 0; n < 100; n++) scrubMessage(text.repeat(1200));
  }
  // with patterns that began anywhere it took minutes
  assert.ok(performance.now() - startMs < 10_000);
});
