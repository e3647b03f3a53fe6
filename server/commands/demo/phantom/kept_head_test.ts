import assert from "node:assert/strict";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import { keptHead } from "@/server/commands/demo/phantom/kept_head.ts";

Deno.test("keptHead() gives the head of makeHead(), made or read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  try {
    const options = { resolutionMm: 2 as const, lesionsMl: [1] }, made = makeHead(options);
    assert.deepEqual(keptHead(options, folder), made);
    assert.equal([...Deno.readDirSync(folder)].length, 2);
    assert.deepEqual(keptHead(options, folder), made);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
