import assert from "node:assert/strict";
import { ANY_CONTRAST_SPREAD } from "@/model/norms/any_contrast_error.ts";
import { PARTS } from "@/model/regions/regions.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import { flairStructuresOf } from "@/server/core/analyses/service/files/flair_structures.ts";

const READ = readOnFlair((label) => 10 * label);

Deno.test("flairStructuresOf() gives sides, total and interval of each structure whose error is known", () => {
  const found = flairStructuresOf({ deepStructures: READ });
  assert.deepEqual(
    found.map(({ brain_regions }) => brain_regions),
    PARTS.map(({ part }) => part).filter((part) => ANY_CONTRAST_SPREAD[part] !== undefined),
  );
  const hippocampus = found.find(({ brain_regions }) => brain_regions === "Hippocampus")!;
  assert.deepEqual([hippocampus.volume_left, hippocampus.volume_right], [0.19, 0.2]);
  for (const { volume_total, low, high, brain_regions } of found) {
    assert.ok(low < volume_total && volume_total < high, brain_regions);
    // as many times smaller as larger
    assert.ok(Math.abs(low * high / volume_total ** 2 - 1) < 0.15, brain_regions);
  }
});

Deno.test("flairStructuresOf() gives nothing of an answer that was refused, of results without one, and beside a T1w", () => {
  assert.deepEqual(flairStructuresOf({ deepStructures: READ }, {}), []);
  const refused = { ...READ, isUsed: false, reason: "entropy", volumesMm3: new Array(105).fill(0) };
  assert.deepEqual(flairStructuresOf({ deepStructures: refused }), []);
  assert.deepEqual(flairStructuresOf({ deepStructures: null }), []);
  assert.deepEqual(flairStructuresOf({}), []);
  assert.deepEqual(flairStructuresOf(null), []);
});
