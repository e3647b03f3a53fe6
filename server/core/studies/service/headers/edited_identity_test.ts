import assert from "node:assert/strict";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import {
  editedIdentity,
  editedName,
  withEditsInJson,
} from "@/server/core/studies/service/headers/edited_identity.ts";

Deno.test("editedName() keeps the components of the images where the words allow it", () => {
  for (
    const [edited, image, expected] of [
      ["Doe Janet", "Doe^Jane", "Doe^Janet"],
      ["DOE JANE MARIA", "DOE^JANE^MARY", "DOE^JANE^MARIA"],
      ["Doe Jane Dr", "Doe^Jane^^Prof", "Doe^Jane^^Dr"],
      ["van der Berg Jan", "van der Burg^Jan", "van der Berg^Jan"],
      ["Doe", "Doe^Jane", "Doe"],
      [
        "Lee Haneul / 李 하늘 / 이 하늘",
        "Kim^Haneul=金^하늘=김^하늘",
        "Lee^Haneul=李^하늘=이^하늘",
      ],
      // groups that are the same are shown once: what was entered then is the first group
      ["이하늘", "Kim^Haneul=金^하늘=김^하늘", "이하늘"],
      ["Kim / Haneul", "Kim^Haneul", "Kim^Haneul"],
      ["Lee^Haneul=李^하늘", "Kim^Haneul", "Lee^Haneul=李^하늘"],
      // a backslash would begin a second value
      ["A\\B", "", "A B"],
      ["Doe", "", "Doe"],
    ] as const
  ) assert.equal(editedName(edited, image), expected);
});

Deno.test("editedIdentity() changes the attributes that a person has edited, and no others", () => {
  const identity = {
    PatientName: "Doe^Jane",
    PatientID: "1",
    IssuerOfPatientID: "HOSPITAL",
    PatientBirthDate: "19600101",
    PatientSex: "F",
    PatientAge: "066Y",
    StudyDate: "20260105",
    AccessionNumber: "A1",
  };
  const row = {
    patient_id: "1",
    patient_name: "Doe Jane",
    patient_birthdate: "1960-01-01",
    patient_sex: "female",
    patient_age: 66,
    study_date: "2026-01-05",
  };
  const received = { patientId: "1", patientName: "Doe Jane", birthDate: "1960-01-01" };
  const identityWith = (edits: Partial<typeof row>, isEdited = true) =>
    editedIdentity(identity, {
      row: { ...row, ...edits },
      received: isEdited ? received : null,
    } as unknown as StoredPatient);

  // a record that was never edited, and one that was edited back
  assert.deepEqual(identityWith({ patient_name: "Of another reading" }, false), identity);
  assert.deepEqual(identityWith({}), identity);
  assert.deepEqual(identityWith({ patient_id: "2" }), { ...identity, PatientID: "2" });
  assert.deepEqual(identityWith({ patient_name: "Roe Jane" }), {
    ...identity,
    PatientName: "Roe^Jane",
  });
  assert.deepEqual(identityWith({ patient_sex: "male" }), { ...identity, PatientSex: "M" });
  assert.deepEqual(identityWith({ patient_birthdate: "1950-02-03", patient_age: 75 }), {
    ...identity,
    PatientBirthDate: "19500203",
    PatientAge: "075Y",
  });
  assert.deepEqual(identityWith({ study_date: "2026-02-05" }), {
    ...identity,
    StudyDate: "20260205",
  });
  // a date that came from a series is the program's
  const dated = { study_date: "2026-02-05", study_date_source: "series" };
  assert.deepEqual(identityWith(dated), identity);
});

Deno.test("withEditsInJson() changes every attribute that an edit changes, in all groups of a name", () => {
  const pn = (Alphabetic: string, Ideographic: string) => ({
    vr: "PN",
    Value: [{ Alphabetic, Ideographic }],
  });
  const json = {
    "00080020": { vr: "DA", Value: ["20260105"] },
    "00080060": { vr: "CS", Value: ["MR"] },
    "00100010": pn("Kim^Haneul", "金^하늘"),
    "00100020": { vr: "LO", Value: ["1"] },
    "00100030": { vr: "DA", Value: ["19600101"] },
    "00100040": { vr: "CS", Value: ["F"] },
    "00101010": { vr: "AS", Value: ["066Y"] },
  };
  const row = {
    patient_id: "2",
    patient_name: "Lee Haneul / 李 하늘",
    patient_birthdate: "1961-02-02",
    patient_sex: "male" as const,
    patient_age: 65,
    study_date: "2026-02-03",
  };
  const received = { patientId: "1", patientName: "Kim Haneul / 金 하늘", birthDate: "1960-01-01" };
  assert.equal(withEditsInJson(json, { row, received: null }), json);
  assert.deepEqual(withEditsInJson(json, { row, received }), {
    "00080020": { vr: "DA", Value: ["20260203"] },
    "00080060": { vr: "CS", Value: ["MR"] },
    "00100010": pn("Lee^Haneul", "李^하늘"),
    "00100020": { vr: "LO", Value: ["2"] },
    "00100030": { vr: "DA", Value: ["19610202"] },
    "00100040": { vr: "CS", Value: ["M"] },
    "00101010": { vr: "AS", Value: ["065Y"] },
  });
  // a record with an unknown age
  const { "00101010": _, ...ageless } = withEditsInJson(json, { row, received });
  assert.deepEqual(
    withEditsInJson(json, { row: { ...row, patient_age: null }, received }),
    ageless,
  );
});
