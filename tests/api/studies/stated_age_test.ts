// covers: D1-3.8, D1-5.16
// An age that contradicts the birth date keeps its mark until birth date or study date agree with it.
import assert from "node:assert/strict";
import { getPatient, updatePatient, uploadFiles } from "@/client/api/studies/patients.ts";
import { ageInYears } from "@/model/patient/age.ts";
import { doubtsOf, soundAge } from "@/model/patient/plausible.ts";
import type { PatientUpdate } from "@/model/schema/studies/patients.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import {
  changeIdentities,
  withHospital,
} from "@/server/core/studies/service/headers/hospital_identity.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import { coreTest, openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

/** Uploads a T1w of a patient with a birth date and a stated age. @returns the study's number. */
async function upload({ api, dataDir }: TestCore, birthDate: string, age: string): Promise<number> {
  const attributes: Acquisition["attributes"] = [
    [0x00100030, "DA", birthDate],
    [0x00101010, "AS", age],
  ];
  const files = writeAcquisition({ name: "t1_mprage", attributes, ...TIMING.mprage }, 1, 1);
  const pid = (await uploadFiles(api, files)).pid_list[0]!;
  // a study that waits for its analysis cannot be edited
  const db = await openBeside(dataDir);
  await db.updateTable("patients").set({ t1_analysis_id: null }).execute();
  await db.destroy();
  return pid;
}

/** Record of a study as an edit sends it. */
async function recordOf({ api }: TestCore, pid: number): Promise<PatientUpdate> {
  const row = await getPatient(api, pid);
  return {
    patient_id: row.patient_id || "P-1",
    patient_name: row.patient_name || "Name",
    patient_sex: row.patient_sex ?? "male",
    patient_birthdate: row.patient_birthdate!,
    study_date: row.study_date!,
  };
}

/** Age, fields with a mark, and the age for norms. */
async function agesOf({ api }: TestCore, pid: number) {
  const row = await getPatient(api, pid);
  return [row.patient_age, doubtsOf(row), soundAge(row)];
}

const MARKED = ["patient_birthdate", "patient_age"];

coreTest("a correction of the name keeps a contradicting age and its mark", async (test) => {
  const pid = await upload(test, "19400615", "035Y"), record = await recordOf(test, pid);
  const marked = [35, MARKED, null];
  assert.deepEqual(await agesOf(test, pid), marked);
  await updatePatient(test.api, pid, { ...record, patient_name: "Other Name" });
  assert.deepEqual(await agesOf(test, pid), marked);
  await updatePatient(test.api, pid, { ...record, patient_birthdate: "1945-06-15" });
  assert.deepEqual(await agesOf(test, pid), marked, "another birth date that contradicts, too");
  await updatePatient(test.api, pid, { ...record, patient_birthdate: "1990-06-15" });
  assert.deepEqual(await agesOf(test, pid), [35, [], 35]);
  await updatePatient(test.api, pid, { ...record, patient_birthdate: "1940-06-15" });
  assert.deepEqual(await agesOf(test, pid), marked, "the stated age is kept");
});

coreTest("random edits and messages never lose the mark of a contradiction", async (test) => {
  const seed = Number(Deno.env.get("SEED") ?? 40), random = randomOf(seed);
  const stated = 35, pid = 1;
  await addStudies(test.dataDir, 1, () => ({ birthDate: "1990-06-15", age: 35, statedAge: 35 }));
  const births = ["1989-11-02", "1990-06-15", "1991-01-05", "1940-06-15", "1988-01-01"];
  const days = ["2026-01-05", "2025-06-15", "2025-12-31", "2020-02-29"];
  const one = <T>(all: readonly T[]): T => all[random(all.length)]!;
  const db = await openBeside(test.dataDir);
  try {
    for (let step = 0; step < 60; step++) {
      const before = await recordOf(test, pid), [ageBefore] = await agesOf(test, pid);
      const edit = { ...before };
      if (random(2)) edit.patient_name = `Name ${step}`;
      if (random(3) === 0) edit.patient_id = `P-${step}`;
      if (random(3) === 0) edit.patient_sex = one(["male", "female"] as const);
      if (random(3) === 0) edit.patient_birthdate = one(births);
      if (random(3) === 0) {
        // the hospital's system sends no study date
        await db.transaction().execute(async (tx) => {
          const patient = (await findPatient(tx, pid))!;
          const after = withHospital(patient, {
            patientId: edit.patient_id,
            name: edit.patient_name,
            birthDate: edit.patient_birthdate,
            sex: edit.patient_sex,
          });
          const message = { cause: "update", at: "2026-01-05T00:00:00Z" } as const;
          await changeIdentities(tx, [{ patient, after }], message);
        });
      } else {
        if (random(3) === 0) edit.study_date = one(days);
        await updatePatient(test.api, pid, edit);
      }
      const after = await recordOf(test, pid);
      const computed = ageInYears(after.patient_birthdate, after.study_date)!;
      const isMarked = Math.abs(computed - stated) > 1;
      const isOther = after.patient_birthdate !== before.patient_birthdate ||
        after.study_date !== before.study_date;
      const age = isOther ? isMarked ? stated : computed : ageBefore;
      assert.deepEqual(
        await agesOf(test, pid),
        [age, isMarked ? MARKED : [], isMarked ? null : age],
        `seed ${seed}, step ${step}: ${JSON.stringify([before, after])}`,
      );
    }
  } finally {
    await db.destroy();
  }
});
