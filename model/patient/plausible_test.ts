// covers: S-105
import assert from "node:assert/strict";
import { doubtsOf, soundAge } from "@/model/patient/plausible.ts";

const NOW = Date.parse("2026-11-23T00:00:00Z");
const subject = (
  patient_birthdate: string | null,
  study_date: string | null,
  patient_age: number | null,
) => ({
  patient_birthdate,
  study_date,
  patient_age,
});

Deno.test("doubtsOf() marks dates and ages outside reason, and no age of such a subject is used", () => {
  const cases: [ReturnType<typeof subject>, string[]][] = [
    [subject("1960-05-20", "2026-01-05", 65), []],
    [subject(null, null, null), []],
    [subject("2026-11-23", "2026-11-24", 0), []],
    [subject("1860-05-20", "1930-01-05", 69), ["study_date"]],
    [subject("1960-05-20", "2999-01-05", 1038), ["patient_birthdate", "study_date", "patient_age"]],
    [subject("2030-05-20", "2026-01-05", null), ["patient_birthdate"]],
    [subject("1800-05-20", "2026-01-05", 225), ["patient_birthdate", "patient_age"]],
    [subject("1900-01-01", "2026-01-05", 126), ["patient_birthdate", "patient_age"]],
    // an anonymiser's date of birth beside the age that the scanner wrote
    [subject("1900-01-01", "2026-01-05", 35), ["patient_birthdate", "patient_age"]],
    [subject("1990-06-01", "2026-01-05", 53), ["patient_birthdate", "patient_age"]],
    [subject("1990-06-01", "2026-01-05", 36), []],
    [subject(null, "2026-01-05", 999), ["patient_age"]],
    [subject(null, null, -3), ["patient_age"]],
  ];
  for (const [one, expected] of cases) {
    assert.deepEqual(
      doubtsOf(one, NOW).filter((field) => expected.includes(field)),
      expected,
      JSON.stringify(one),
    );
    assert.equal(soundAge(one, NOW) === null, expected.length > 0 || one.patient_age === null);
  }
});
