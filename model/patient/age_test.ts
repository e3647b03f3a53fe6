import assert from "node:assert/strict";
import { isContradictory } from "@/model/patient/plausible.ts";
import { ageAtStudy, ageInYears, yearsOfAge } from "@/model/patient/age.ts";

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

Deno.test("yearsOfAge() reads a Patient's Age, and takes no placeholder for one", () => {
  const stated: [string, number][] = [
    ["042Y", 42],
    ["42Y", 42],
    ["18m ", 1],
    ["012M", 1],
    ["011M", 0],
    ["120M", 10],
    ["780M", 65],
    ["053W", 1],
    ["999W", 19],
    ["010D", 0],
    ["730D", 1],
    ["122Y", 122],
  ];
  for (const [value, years] of stated) assert.equal(yearsOfAge(value), years, value);
  const none = ["", "000Y", "0Y", "000M", "00W", "000D", "999Y", "123Y", "42", "Y", "-42Y", "4.5Y"];
  for (const value of none) assert.equal(yearsOfAge(value), null, value);
});

Deno.test("a placeholder for an age leaves the age to the birth date; months and weeks may contradict it", () => {
  const age = (birthDate: string | null, value: string) =>
    ageAtStudy(birthDate, "2026-01-05", yearsOfAge(value));
  for (const value of ["000Y", "0Y", "999Y", "", "000D"]) {
    assert.equal(age("1960-05-20", value), 65, value);
    assert.equal(age(null, value), null, value);
  }
  const subject = (value: string) => ({
    patient_birthdate: "1960-05-20",
    study_date: "2026-01-05",
    patient_age: age("1960-05-20", value),
  });
  for (const [value, contradicts] of [["780M", false], ["065M", true], ["065W", true]] as const) {
    assert.equal(isContradictory(subject(value)), contradicts, value);
  }
});
