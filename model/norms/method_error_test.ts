// covers: S-126
import assert from "node:assert/strict";
import { labelsOf, THICKNESS_KEYS, VOLUME_KEYS } from "@/model/regions/measures.ts";
import { METHOD_ERROR_SOURCES, methodErrorOf } from "@/model/norms/method_error.ts";

Deno.test("methodErrorOf() knows every measure that is printed with a percentile, and no other", () => {
  const problems = ([["volume", VOLUME_KEYS], ["thickness", THICKNESS_KEYS]] as const).flatMap(
    ([measure, keys]) =>
      keys.filter((key) => {
        const errors = [false, true].map((hasOpinion) => methodErrorOf(key, measure, hasOpinion));
        return errors.some((error) =>
          !error || ![error.bias, error.biasSd, error.randomSd].every(Number.isFinite) ||
          error.biasSd < 0 || error.randomSd <= 0
        );
      }),
  );
  assert.deepEqual(problems, []);
  for (const label of [27, 28, 32, 33, 34, 35, 36]) {
    assert.equal(methodErrorOf(String(label), "volume"), null, `label ${label}`);
  }
  assert.ok(
    METHOD_ERROR_SOURCES.length > 0 && METHOD_ERROR_SOURCES.every(({ heads }) => heads > 0),
  );
});

Deno.test("methodErrorOf() combines a lobe from its regions: a smaller error than theirs", () => {
  const lobe = methodErrorOf("frontal_left", "volume")!;
  const parts = labelsOf("frontal_left").map((label) => methodErrorOf(String(label), "volume")!);
  assert.equal(parts.length, 11);
  assert.ok(lobe.randomSd < Math.min(...parts.map(({ randomSd }) => randomSd)));
  const biases = parts.map(({ bias }) => bias);
  assert.ok(lobe.bias >= Math.min(...biases) && lobe.bias <= Math.max(...biases));
});

Deno.test("methodErrorOf() bands what a report speaks of", () => {
  for (
    const key of ["cortex", "white_matter", "brain"].concat(
      [1, 7, 9, 11, 15, 19].flatMap((left) => [`${left}`, `${left + 1}`, `${left}+${left + 1}`]),
    )
  ) {
    for (const hasOpinion of [false, true]) {
      assert.equal(methodErrorOf(key, "volume", hasOpinion)!.hasBands, true, key);
    }
  }
});
