import assert from "node:assert/strict";
import { validForm } from "@/server/core/dicom/read/value_forms.ts";

Deno.test("validForm() writes ages, dates, times and sexes as PS3.5 demands, or not at all", () => {
  const cases: [keyword: string, value: string, expected: string | undefined][] = [
    ["PatientAge", "042Y", "042Y"],
    ["PatientAge", "42Y", "042Y"],
    ["PatientAge", "18m", "018M"],
    ["PatientAge", "42", undefined],
    ["PatientAge", "000Y", undefined],
    ["PatientAge", "999Y", undefined],
    ["PatientAge", "999W", "999W"],
    ["PatientAge", "0042Y", undefined],
    ["PatientAge", "", undefined],
    ["PatientBirthDate", "19600520", "19600520"],
    ["PatientBirthDate", "1960.05.20", "19600520"],
    ["StudyDate", "2026-01-05", "20260105"],
    ["StudyDate", "20260231", undefined],
    ["StudyDate", "20260105-20260106", undefined],
    ["StudyTime", "101530.123456", "101530.123456"],
    ["StudyTime", "10:15:30", "101530"],
    ["StudyTime", "1015", "1015"],
    ["StudyTime", "256199", undefined],
    ["PatientSex", "m", "M"],
    ["PatientSex", "Male", undefined],
    ["StudyDescription", "42", "42"],
  ];
  for (const [keyword, value, expected] of cases) {
    assert.equal(validForm(keyword, value), expected, `${keyword} ${value}`);
  }
});
