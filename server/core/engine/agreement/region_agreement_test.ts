import assert from "node:assert/strict";
import { regionAgreementOf } from "@/server/core/engine/agreement/region_agreement.ts";

const LABELS = 105;

/** Overlaps with the given voxels of one label in result, source and both. */
function overlaps(rows: [source: number, label: number, counts: number[]][]): Uint32Array {
  const out = new Uint32Array(3 * 3 * LABELS);
  for (const [source, label, counts] of rows) out.set(counts, 3 * (source * LABELS + label));
  return out;
}

Deno.test("regionAgreementOf() gives the Dice of each label and source", () => {
  const { atlas, deepStructures, secondOpinion } = regionAgreementOf(overlaps([
    [0, 0, [9e6, 9e6, 9e6]],
    [0, 19, [4000, 3000, 2800]],
    [0, 37, [100, 0, 0]],
    [1, 19, [4000, 4000, 3900]],
    [1, 37, [100, 0, 0]],
  ]));
  assert.deepEqual([atlas.length, atlas[19], atlas[37]], [105, 0.8, 0]);
  assert.equal(atlas[0], null, "the background is no region");
  assert.equal(deepStructures![19], 0.975);
  assert.equal(deepStructures![37], null, "the network does not know the cortex");
  assert.equal(secondOpinion, null, "it was not asked");
});

Deno.test("regionAgreementOf() says nothing of a region of a few voxels, and of sides that the opinion lacks", () => {
  const { atlas, secondOpinion } = regionAgreementOf(overlaps([
    [0, 17, [49, 20, 10]],
    [0, 18, [20, 50, 10]],
    [2, 15, [9000, 0, 0]],
    [2, 103, [5000, 5000, 4000]],
  ]));
  assert.deepEqual([atlas[17], atlas[18]], [null, 0.286]);
  assert.deepEqual([secondOpinion![15], secondOpinion![103]], [null, 0.8]);
});
