import assert from "node:assert/strict";
import { DEEP_STRUCTURES } from "@/core/engine/deep_structures.ts";
import { readNetworkWeights } from "@/core/engine/network_weights.ts";

Deno.test("the shipped weights are those of the model card, of the version that the result names", async () => {
  const bytes = await readNetworkWeights(DEEP_STRUCTURES);
  const header = JSON.parse(
    new TextDecoder().decode(bytes.subarray(12, 12 + new DataView(bytes.buffer).getUint32(8, true))),
  );
  assert.equal(String(header.version), DEEP_STRUCTURES.version);
  const card = await Deno.readTextFile(new URL("./models/deep_structures.md", import.meta.url));
  assert.ok(card.includes(DEEP_STRUCTURES.sha256));
  assert.match(card, new RegExp(`\\| Version \\| ${DEEP_STRUCTURES.version} +\\|`));
});
