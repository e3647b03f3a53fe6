import assert from "node:assert/strict";
import { outcomeOf } from "@/tests/mutations/run.ts";

const report = (cases: string) =>
  `<testsuites><testsuite name="a">${cases}</testsuite></testsuites>`;

Deno.test("outcomeOf() reads how the test of that very name ended, and takes no other for it", () => {
  const junit = report(
    '<testcase name="a &quot;b&quot; c" classname="x" time="0.1" line="1"></testcase>' +
      '<testcase name="a" classname="x" time="0.1"><failure message="m">t</failure></testcase>' +
      '<testcase name="d" time="0.1"><skipped/></testcase><testcase name="e" time="0.1"/>',
  );
  assert.equal(outcomeOf(junit, 'a "b" c'), "passed");
  assert.equal(outcomeOf(junit, "a"), "failed");
  assert.equal(outcomeOf(junit, "d"), "absent");
  assert.equal(outcomeOf(junit, "e"), "passed");
  assert.equal(outcomeOf(junit, "a "), "absent");
  assert.equal(outcomeOf("", "a"), "absent");
});
