import assert from "node:assert/strict";
import { readElements, writeElements } from "@/server/gate/dimse/elements.ts";

Deno.test("a sequence is written in the data set's own syntax, explicit or implicit, and read again", () => {
  const item = {
    "00081150": { vr: "UI", Value: ["1.2.3"] },
    "00081197": { vr: "US", Value: [0x0112] },
  };
  const dataSet = {
    "00081195": { vr: "UI", Value: ["1.2.99"] },
    "00081198": { vr: "SQ", Value: [item, item] },
  };
  for (const isExplicit of [true, false]) {
    const bytes = writeElements(dataSet, isExplicit);
    assert.deepEqual(readElements(bytes, isExplicit), dataSet);
    assert.equal(new TextDecoder("latin1").decode(bytes).includes("UI"), isExplicit);
  }
});
