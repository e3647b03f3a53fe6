// The grade of a study whose intracranial volume is implausible for the patient's sex, in the list,
// its order, the viewer and the report; also after the patient's sex has been edited.
// covers: S-233
import assert from "node:assert/strict";
import {
  getPatient,
  getPatientRow,
  listPatients,
  updatePatient,
} from "@/client/api/studies/patients.ts";
import { getReport } from "@/client/api/report/report.ts";
import type { Sex } from "@/model/norms/norms.ts";
import { readTested } from "@/server/core/norms/service/acceptance_studies.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

/** ICV in mL: plausible for men only, and plausible for both sexes. */
const LARGE = 1850, USUAL = 1500;

coreTest(
  "an ICV beyond three standard deviations limits the grade to B wherever it is shown, until the patient's sex is corrected",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 4, 12);
    const db = await openBeside(dataDir);
    const studies: [icvMl: number, sex: Sex, grade: "A" | "B" | "C"][] = [
      [LARGE, "female", "A"],
      [USUAL, "female", "A"],
      [LARGE, "female", "C"],
      [LARGE, "male", "A"],
    ];
    for (const [at, [icvMl, sex, grade]] of studies.entries()) {
      const pid = at + 1;
      await db.updateTable("patients").set({
        patient_sex: sex,
        patient_age: 60,
        patient_birthdate: "1966-01-01",
        study_date: "2026-01-06",
      }).where("pid", "=", pid).execute();
      const { results } = await db.selectFrom("analyses").select("results").where("pid", "=", pid)
        .executeTakeFirstOrThrow();
      await db.updateTable("analyses").set({
        grade,
        results: JSON.stringify({
          ...JSON.parse(results!),
          icvMm3: 1000 * icvMl,
          quality: { grade, warnings: [] },
        }),
      }).where("pid", "=", pid).execute();
    }
    await refreshFindings(db, [1, 2, 3, 4]);
    const shown = async (pid: number) => {
      const report = await getReport(api, pid), { t1_quality } = await getPatient(api, pid);
      const { patients } = await listPatients(api);
      const listed = patients.find((row) => row.pid === pid)!.quality_grade;
      assert.equal((await getPatientRow(api, pid)).quality_grade, listed);
      const hasWarning = report.qc.warnings.includes("icv_beyond_norms");
      return [listed, t1_quality?.grade, report.qc.grade, hasWarning];
    };
    const sorted = async () =>
      (await listPatients(api, { sort_key: "quality_grade", sort_direction: "asc" })).patients
        .map(({ quality_grade }) => quality_grade).join("");
    try {
      assert.deepEqual(await shown(1), ["B", "B", "B", true]);
      assert.deepEqual(await shown(2), ["A", "A", "A", false]);
      assert.deepEqual(await shown(3), ["C", "C", "C", false]);
      assert.deepEqual(await shown(4), ["A", "A", "A", false]);
      assert.equal(await sorted(), "AABC");
      const tested = await readTested({ db }, [1, 2, 3, 4]);
      assert.deepEqual(tested.map(({ grade }) => grade), ["B", "A", "C", "A"]);
      const row = await getPatientRow(api, 1);
      await updatePatient(api, 1, {
        patient_id: row.patient_id,
        patient_name: row.patient_name,
        patient_sex: "male",
        patient_birthdate: row.patient_birthdate!,
        study_date: row.study_date!,
      });
      assert.deepEqual(await shown(1), ["A", "A", "A", false]);
      assert.equal(await sorted(), "AAAC");
      // during a new analysis, the row's grade is that of no ICV
      await db.updateTable("analyses").set({ status: "processing" }).where("pid", "=", 1).execute();
      assert.equal((await getPatientRow(api, 1)).quality_grade, "A");
    } finally {
      await db.destroy();
    }
  },
);
