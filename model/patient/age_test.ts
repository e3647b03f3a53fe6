import assert from "node:assert/strict";
import { ageAtStudy, ageInYears } from "@/model/patient/age.ts";

Deno.test("ageInYears() counts whole years up to the birthday", () => {
  assert.equal(ageInYears("1956-03-12", "2026-03-11"), 69);
  assert.equal(ageInYears("1956-03-12", "2026-03-12"), 70);
  assert.equal(ageInYears("2000-02-29", "2001-02-28"), 0);
  assert.equal(ageInYears(null, "2026-03-12"), null);
  assert.equal(ageInYears("2026-03-13", "2026-03-12"), null);
});

Deno.test("ageAtStudy() keeps a stated age that contradicts the date of birth, so that both can be marked", () => {
  assert.equal(ageAtStudy("1900-01-01", "2026-01-05", 35), 35);
  assert.equal(ageAtStudy("1960-05-20", "2026-01-05", 66), 65, "rounded up by the scanner");
  assert.equal(ageAtStudy("1960-05-20", "2026-01-05", null), 65);
  assert.equal(ageAtStudy(null, "2026-01-05", 42), 42);
  assert.equal(ageAtStudy("1960-05-20", null, 65), 65);
  assert.equal(ageAtStudy(null, null, null), null);
});
