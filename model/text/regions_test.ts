import assert from "node:assert/strict";
import { PARTS } from "@/model/regions/regions.ts";
import { partName, regionText, sidedPartName } from "@/model/text/regions.ts";

Deno.test("regionText names every part once in Korean and keeps its English name", () => {
  assert.deepEqual(Object.keys(regionText).sort(), PARTS.map((part) => part.part).sort());
  // the atlas's name of the horn is no radiologist's word
  assert.deepEqual(
    Object.entries(regionText).filter(([part, text]) => text.en !== part).map(([part]) => part),
    ["Inferior lateral ventricle"],
  );
  assert.equal(new Set(Object.values(regionText).map((text) => text.en)).size, PARTS.length);
  assert.ok(Object.values(regionText).every((text) => /^[가-힣0-9 ]+$/.test(text.ko)));
  assert.equal(new Set(Object.values(regionText).map((text) => text.ko)).size, PARTS.length);
});

Deno.test("sidedPartName() puts the patient's side in front", () => {
  assert.equal(sidedPartName("Hippocampus", "L", "en"), "Left hippocampus");
  assert.equal(sidedPartName("Hippocampus", "R", "ko"), "우측 해마");
  assert.equal(sidedPartName("Brain stem", "", "ko"), "뇌간");
  assert.equal(partName("no part", "ko"), "no part");
});
