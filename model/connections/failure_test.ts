import assert from "node:assert/strict";
import { readFailure, storedFailure } from "./failure.ts";

Deno.test("readFailure() gives back a stored failure, also with slashes in its message", () => {
  for (
    const failure of [
      { failure: "timeout", text: "" },
      { failure: "status", text: "0xA700 a/b//c" },
      { failure: "tls", text: "한글/오류" },
    ]
  ) assert.deepEqual(readFailure(storedFailure(failure)), failure);
  // error codes of the site are stored without a message
  assert.deepEqual(readFailure("no_gate"), { failure: "no_gate", text: "" });
});

Deno.test("storedFailure() bounds the message of another system", () => {
  assert.equal(storedFailure({ failure: "status", text: "x".repeat(10_000) }).length, 400);
});
