import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { trace, traceDocument } from "@/tools/coverage/trace.ts";

Deno.test("trace() leads from every requirement to a design, and from every test to files that there are", async () => {
  const traced = await trace(), root = new URL("../../", import.meta.url).pathname;
  assert.ok(traced.length > 100);
  for (const { requirement: { id, instead }, design, code, tests } of traced) {
    assert.ok(design.length > 0, id);
    assert.ok(tests.length > 0 || instead, id);
    for (const path of [...design, ...code]) assert.ok(existsSync(root + path), `${id}: ${path}`);
  }
  const byCode = traced.filter(({ code }) => code.length > 0).length;
  assert.ok(byCode > traced.length / 2, `${byCode} of ${traced.length} lead to code`);
  assert.equal(
    traceDocument(traced).split("\n").filter((line) => /^\| (D[12]-|S-)/.test(line)).length,
    traced.length,
  );
});
