import assert from "node:assert/strict";
import {
  ageOf,
  changedFields,
  formOfRow,
  type PatientForm,
  problemsOfPatient,
  updateOf,
  withEdited,
} from "@/model/worklist/patient_edit.ts";
import { type PatientRow, patientUpdate } from "@/model/schema/studies/patients.ts";

const form: PatientForm = {
  patient_id: "P-1",
  patient_name: "Kim",
  patient_sex: "male",
  patient_birthdate: "1960-05-20",
  study_date: "2026-01-05",
};
const problems = (change: Partial<PatientForm>, before = form) =>
  problemsOfPatient({ ...form, ...change }, before, "2026-11-21");

// covers: D1-5.16
Deno.test("problemsOfPatient() refuses what D1 §5 does", () => {
  assert.deepEqual(problems({}), {});
  assert.deepEqual(problems({ patient_id: " ", patient_name: "" }), {
    patient_id: "required",
    patient_name: "required",
  });
  assert.deepEqual(problems({ patient_id: "x".repeat(100), patient_name: "x".repeat(101) }), {
    patient_name: "tooLong",
  });
  assert.deepEqual(problems({ patient_sex: "" }), { patient_sex: "check" });
  assert.deepEqual(problems({ patient_name: "Kim\tMinsu" }), { patient_name: "controlCharacter" });
  assert.deepEqual(problems({ patient_birthdate: "", study_date: "2026-02-30" }), {
    patient_birthdate: "check",
    study_date: "check",
  });
  assert.deepEqual(problems({ patient_birthdate: "2026-01-06" }), { age: "check" });
  assert.deepEqual(problems({ patient_birthdate: "1826-01-05" }), { age: "check" });
  assert.deepEqual(problems({ patient_birthdate: "1826-01-06" }), {});
});

Deno.test("problemsOfPatient() takes a study date ahead of today only when it came with the images", () => {
  assert.deepEqual(problems({ study_date: "2026-11-22" }), { study_date: "check" });
  const ahead = { study_date: "2030-01-01" };
  assert.deepEqual(problems({ ...ahead, patient_name: "Lee" }, { ...form, ...ahead }), {});
});

// covers: D1-5.16
Deno.test("problemsOfPatient() lets nothing through that the server refuses", () => {
  const values: Partial<PatientForm>[] = [
    { patient_id: "  ", patient_name: "x" },
    { patient_id: " x ".repeat(40) },
    { patient_birthdate: "2026-01-06" },
    { patient_birthdate: "1826-01-05" },
    { study_date: "2026-13-01" },
    { patient_name: " Lee " },
    { patient_name: "Kim\tMinsu" },
    { patient_id: "P\n1" },
    { patient_name: "Lee\t" },
  ];
  for (const change of values) {
    const isRefused = !patientUpdate.safeParse(updateOf({ ...form, ...change })).success;
    if (isRefused) assert.notDeepEqual(problems(change), {}, JSON.stringify(change));
  }
});

Deno.test("ageOf() counts whole years, the birthday included", () => {
  assert.equal(ageOf(form), 65);
  assert.equal(ageOf({ ...form, study_date: "2026-05-20" }), 66);
  assert.equal(ageOf({ ...form, study_date: "" }), null);
});

Deno.test("changedFields() does not count space at the ends", () => {
  assert.deepEqual(changedFields(form, { ...form, patient_name: " Kim ", patient_id: "P-2" }), [
    "patient_id",
  ]);
});

Deno.test("withEdited() keeps the row in edit where it was when the list has lost it", () => {
  const row = (pid: number) => ({ pid, patient_sex: null }) as PatientRow;
  const rows = [row(1), row(2), row(3)], edited = { row: rows[1]!, index: 1 };
  assert.equal(withEdited(rows, edited), rows);
  assert.deepEqual(withEdited([row(1), row(3)], edited).map(({ pid }) => pid), [1, 2, 3]);
  assert.deepEqual(withEdited([], edited).map(({ pid }) => pid), [2]);
  assert.equal(withEdited(rows, null), rows);
  assert.equal(formOfRow(row(1)).patient_sex, "");
});
