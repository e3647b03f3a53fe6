import assert from "node:assert/strict";
import { ANY_CONTRAST } from "@/server/core/engine/any_contrast.ts";
import { DEEP_STRUCTURES } from "@/server/core/engine/deep_structures.ts";
import { readNetworkWeights } from "@/server/core/engine/network_weights.ts";

for (const network of [DEEP_STRUCTURES, ANY_CONTRAST]) {
  Deno.test(`${network.file}: the shipped weights are those of the model card, of the version that the result names`, async () => {
    const bytes = await readNetworkWeights(network);
    const header = JSON.parse(
      new TextDecoder().decode(
        bytes.subarray(12, 12 + new DataView(bytes.buffer).getUint32(8, true)),
      ),
    );
    assert.equal(String(header.version), network.version);
    const path = new URL(`./models/${network.file.replace(".bin", ".md")}`, import.meta.url);
    const card = await Deno.readTextFile(path);
    assert.ok(card.includes(network.sha256));
    assert.match(card, new RegExp(`\\| Version \\| ${network.version} +\\|`));
  });
}
