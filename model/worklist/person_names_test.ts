// covers: S-14
import assert from "node:assert/strict";
import { nameForms, nameText } from "@/model/worklist/person_names.ts";

Deno.test("nameForms() puts the form in Hangul first for Korean readers, and leaves the others as they are", () => {
  const name = "Kim Minsu / 金 民秀 / 김 민수";
  assert.deepEqual(nameForms(name, "ko"), ["김 민수", "Kim Minsu", "金 民秀"]);
  assert.equal(nameText(name, "en"), name);
  assert.deepEqual(nameForms("Kim Minsu", "ko"), ["Kim Minsu"]);
  assert.deepEqual(nameForms("", "ko"), [""]);
  assert.deepEqual(nameForms("Kim Minsu / Kim Minsu", "en"), ["Kim Minsu"]);
});
