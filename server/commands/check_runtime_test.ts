import assert from "node:assert/strict";
import { MIN_DENO_VERSION, runtimeProblem } from "@/server/commands/check_runtime.ts";

Deno.test("runtimeProblem() takes the oldest version and anything newer", () => {
  for (const version of [MIN_DENO_VERSION, "2.9.7", "2.10.0", "2.10.0-rc.1+abc", "3.0.0"]) {
    assert.equal(runtimeProblem(version), null, version);
  }
});

Deno.test("runtimeProblem() names both versions when Deno is too old", () => {
  for (const version of ["1.46.3", "2.8.9", "2.9.5"]) {
    const problem = runtimeProblem(version) ?? "";
    assert.ok(problem.includes(version) && problem.includes(MIN_DENO_VERSION), problem);
  }
});
