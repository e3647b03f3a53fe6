import assert from "node:assert/strict";
import { readDeepStructures } from "@/core/engine/deep_structures.ts";

Deno.test("readDeepStructures() gives the file as it is, and null where there is none", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeFile(file, Uint8Array.of(7, 0, 255));
    assert.deepEqual(await readDeepStructures(file), Uint8Array.of(7, 0, 255));
  } finally {
    await Deno.remove(file);
  }
  assert.equal(await readDeepStructures(file), null);
});
