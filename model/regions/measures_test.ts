import assert from "node:assert/strict";
import { labelsOf, normOfMeasure, VOLUME_KEYS } from "@/model/regions/measures.ts";
import { normOf, type NormSubject } from "@/model/norms/norms.ts";

const WOMAN: NormSubject = { age: 70, sex: "female", icvMl: 1409 };

Deno.test("labelsOf() gives the labels of a key", () => {
  assert.deepEqual(labelsOf("19+20"), [19, 20]);
  assert.deepEqual(labelsOf("insula_left"), [103]);
  assert.equal(labelsOf("cortex_right").length, 34);
  assert.equal(labelsOf("frontal").length, 22);
  assert.deepEqual(labelsOf("white_matter"), [1, 2]);
  assert.equal(labelsOf("brain").includes(15), false);
  assert.deepEqual([labelsOf("icv"), labelsOf("nothing")], [[], []]);
});

Deno.test("normOfMeasure() adds the regions of a cortex to nearly the norm of the cortex", () => {
  for (const side of ["left", "right"]) {
    const own = normOf(`cortex_${side}`, "volume", WOMAN)!;
    const key = labelsOf(`cortex_${side}`).map(String);
    const mean = key.reduce((sum, label) => sum + normOf(label, "volume", WOMAN)!.mean, 0);
    assert.ok(Math.abs(mean / own.mean - 1) < 0.02, `${mean} and ${own.mean}`);
    // the correlation within a lobe is that which gives the spread of the whole
    const sds = key.map((label) => normOf(label, "volume", WOMAN)!.sd);
    const sum = sds.reduce((a, b) => a + b, 0), squares = sds.reduce((a, b) => a + b * b, 0);
    assert.ok(Math.abs(Math.sqrt(0.85 * squares + 0.15 * sum * sum) / own.sd - 1) < 0.02);
  }
});

Deno.test("normOfMeasure() has a norm for every key but the ICV's", () => {
  const missing = VOLUME_KEYS.filter((key) =>
    key !== "icv" && normOfMeasure(key, "volume", WOMAN) === null
  );
  assert.deepEqual(missing, []);
  const lobe = normOfMeasure("frontal", "volume", WOMAN)!,
    left = normOfMeasure("frontal_left", "volume", WOMAN)!;
  assert.ok(lobe.mean > 1.9 * left.mean && lobe.sd > 1.6 * left.sd && lobe.sd < 2.1 * left.sd);
});
