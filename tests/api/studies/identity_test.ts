// covers: D1-3.8
import assert from "node:assert/strict";
import {
  getPatient,
  listPatients,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

coreTest(
  "a series' or acquisition's date stands in for an empty study date, marked until a physician enters one",
  async ({ api }) => {
    const upload = async (study: number, attributes: NonNullable<Acquisition["attributes"]>) => {
      const { pid_list } = await uploadFiles(
        api,
        writeAcquisition({ name: "t1_mprage", attributes, ...TIMING.mprage }, study, 1),
      );
      return await getPatient(api, pid_list[0]!);
    };
    const bySeries = await upload(1, [[0x00080020, "DA", ""], [0x00080021, "DA", "20260203"]]);
    assert.deepEqual([bySeries.study_date, bySeries.study_date_source], ["2026-02-03", "series"]);
    const byAcquisition = await upload(2, [[0x00080020, "DA", ""], [
      0x0008002a,
      "DT",
      "20260204101500",
    ]]);
    assert.deepEqual([byAcquisition.study_date, byAcquisition.study_date_source], [
      "2026-02-04",
      "acquisition",
    ]);
    const own = await upload(3, [[0x00080021, "DA", "20260203"]]);
    assert.deepEqual([own.study_date, own.study_date_source], ["2026-01-05", undefined]);
    const none = await upload(4, [[0x00080020, "DA", ""]]);
    assert.deepEqual([none.study_date, none.study_date_source], [null, undefined]);
  },
);

coreTest("a study date that a physician enters is no longer marked", async ({ api, dataDir }) => {
  await addStudies(dataDir, 1);
  const db = await openBeside(dataDir);
  await db.updateTable("patients").set({ study_date: "2026-02-03", study_date_source: "series" })
    .execute();
  await db.destroy();
  const edited = {
    patient_id: "P-1",
    patient_name: "Kim",
    patient_sex: "male" as const,
    patient_birthdate: "1960-05-20",
  };
  const sourceOf = async () => (await listPatients(api)).patients[0]!.study_date_source;
  await updatePatient(api, 1, { ...edited, study_date: "2026-02-03" });
  assert.equal(await sourceOf(), "series");
  await updatePatient(api, 1, { ...edited, study_date: "2026-02-01" });
  assert.equal(await sourceOf(), undefined);
});

coreTest(
  "a date of birth that contradicts Patient's Age gives no age of its own",
  async ({ api }) => {
    const attributes: Acquisition["attributes"] = [[0x00100030, "DA", "19000101"], [
      0x00101010,
      "AS",
      "035Y",
    ]];
    const { pid_list } = await uploadFiles(
      api,
      writeAcquisition({ name: "t1_mprage", attributes, ...TIMING.mprage }, 1, 1),
    );
    const { patient_age, patient_birthdate } = await getPatient(api, pid_list[0]!);
    assert.deepEqual([patient_age, patient_birthdate], [35, "1900-01-01"]);
  },
);
