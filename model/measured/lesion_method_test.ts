import assert from "node:assert/strict";
import { hasSameLesionMethod, type LesionMethod } from "@/model/measured/lesion_method.ts";

const of = (engineVersion: string | null, tissue: LesionMethod["tissue"] = "t1") => ({
  engineVersion,
  tissue,
});
const same = (a: LesionMethod, b: LesionMethod): boolean => {
  const found = hasSameLesionMethod(a, b);
  assert.equal(hasSameLesionMethod(b, a), found);
  return found;
};

Deno.test("lesion volumes beside a T1w are compared between engines that measured them alike only", () => {
  const alike = [["0.6.0", "0.5.0"], ["0.6.3", "0.6.0"], ["0.7.0", "0.7.1"], ["0.7.0", "0.10.0"], [
    "0.4.0",
    "0.1.0",
  ]];
  for (const [a, b] of alike) {
    assert.ok(same(of(`sulcus-engine ${a}`), of(`sulcus-engine ${b} with a, b`)), `${a} ${b}`);
  }
  for (const [a, b] of [["0.6.0", "0.7.0"], ["0.4.9", "0.5.0"], ["0.6.0", "1.0.0"]]) {
    assert.ok(!same(of(`sulcus-engine ${a}`), of(`sulcus-engine ${b}`)), `${a} ${b}`);
  }
});

Deno.test("a FLAIR alone is measured as before, and otherwise than beside a T1w", () => {
  assert.ok(same(of("sulcus-engine 0.6.0", "flair"), of("sulcus-engine 0.7.0", "flair")));
  assert.ok(!same(of("sulcus-engine 0.4.0", "flair"), of("sulcus-engine 0.5.0", "flair")));
  assert.ok(!same(of("sulcus-engine 0.7.0", "flair"), of("sulcus-engine 0.7.0")));
});

Deno.test("an engine of unknown name is comparable with itself alone", () => {
  assert.ok(same(of("other 3"), of("other 3")));
  assert.ok(!same(of("other 3"), of("other 4")));
  assert.ok(!same(of(null), of("sulcus-engine 0.7.0")));
});
