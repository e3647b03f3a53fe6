// Links that name a study in the bin: another person's study is never opened in its place.
// covers: S-131, S-98
import assert from "node:assert/strict";
import { findLaunched } from "@/client/api/studies/launch.ts";
import { deletePatient } from "@/client/api/studies/patients.ts";
import { type LaunchRequest, launchRequest } from "@/model/schema/studies/launch.ts";
import { restoreBinned } from "@/server/core/studies/storage/bin.ts";
import { coreTest, openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";

const launch = async ({ api }: TestCore, request: Partial<LaunchRequest>) => {
  const answer = await findLaunched(api, launchRequest.parse(request), "pacs.test");
  return { ...answer, pids: answer.studies.map(({ pid }) => pid) };
};

/**
 * Studies 1 to 4 of P-1 to P-4; 1, 2 and 3 are in the bin. The number A-1 is only in the bin, A-2
 * also has study 4, and study 3 has A-3 in its images alone.
 */
async function addBinned(test: TestCore): Promise<void> {
  const { api, dataDir } = test;
  await addStudies(dataDir, 4, (n) => ({ patientId: `P-${n}`, patientName: `Name ${n}` }));
  await setCompleted(dataDir, 3, "2026-01-07T00:00:00Z");
  const db = await openBeside(dataDir);
  for (const [pid, number] of [[1, "A-1"], [2, "A-2"], [4, "A-2"]] as const) {
    await db.updateTable("patients").set({ accession_number: number }).where("pid", "=", pid)
      .execute();
  }
  const empty = "";
  await db.insertInto("series_headers").values({
    series_id: 1,
    pid: 3,
    patient_id: "P-3",
    patient_name: empty,
    birth_date: empty,
    sex: empty,
    study_date: empty,
    study_time: empty,
    accession_number: "A-3",
    referring_physician: empty,
    study_description: empty,
    study_id: empty,
    modality: "MR",
    series_number: empty,
    body_part: empty,
    attributes: null,
  }).execute();
  await db.destroy();
  for (const pid of [1, 2, 3]) await deletePatient(api, pid);
}

const CASES: readonly [Partial<LaunchRequest>, string, number[], boolean?][] = [
  [{ accession_numbers: ["A-1"] }, "deleted", []],
  [{ accession_numbers: ["A-3"] }, "deleted", []],
  [{ accession_numbers: ["A-1"], patient_id: "P-1" }, "deleted", []],
  [{ patient_id: "P-1" }, "deleted", []],
  [{ patient_id: "P-1^^^HOSP" }, "deleted", []],
  [{ pid: 1, patient_id: "P-1" }, "deleted", []],
  // values of another patient
  [{ accession_numbers: ["A-1"], patient_id: "P-4" }, "refused", [1]],
  [{ accession_numbers: ["A-1"], birth_date: "1999-09-09" }, "refused", [1]],
  [{ study_uids: ["1.2.3.1"], patient_id: "P-4" }, "refused", [1]],
  [{ study_uids: ["1.2.3.1"], accession_numbers: ["A-2"] }, "refused", [1], true],
  [{ patient_id: "P-1", birth_date: "1999-09-09" }, "refused", [1]],
  [{ pid: 1, patient_id: "P-4" }, "refused", [1]],
  // the number of a stored study of another patient
  [{ accession_numbers: ["A-2"], patient_id: "P-2" }, "deleted", []],
  [{ accession_numbers: ["A-2"], patient_id: "P-4" }, "open", [4]],
  // the number of a study in the bin beside a stored study
  [{ study_uids: ["1.2.3.4"], accession_numbers: ["A-1"] }, "refused", [4], true],
  [{ pid: 4, accession_numbers: ["A-3"] }, "refused", [4], true],
  [{ study_uids: ["1.2.3.4", "1.2.3.1"], patient_id: "P-4" }, "refused", [1]],
  // never in this site
  [{ accession_numbers: ["A-9"] }, "none", []],
  [{ patient_id: "P-9" }, "none", []],
];

coreTest(
  "a link to a study in the bin names the bin, and opens nobody else's study",
  async (test) => {
    await addBinned(test);
    for (const [request, outcome, pids, isOther = false] of CASES) {
      const answer = await launch(test, request), note = JSON.stringify(request);
      assert.deepEqual([answer.outcome, answer.pids], [outcome, pids], note);
      assert.equal(answer.is_accession_of_other, isOther, note);
      const states = answer.studies.filter(({ pid }) => pid < 4).map(({ state }) => state);
      assert.ok(states.every((state) => state === "deleted"), note);
    }
  },
);

coreTest("an accession number of a stored study and one in the bin opens neither", async (test) => {
  await addBinned(test);
  const shared = await launch(test, { accession_numbers: ["A-2"] });
  assert.deepEqual(
    [shared.outcome, shared.pids, shared.are_several_people],
    ["choose", [4], true],
  );
  // of several values, those in the bin are not called missing from the site
  const both = await launch(test, { study_uids: ["1.2.3.4", "1.2.3.1", "1.2.9"] });
  assert.deepEqual([both.outcome, both.pids, both.missing, both.in_bin], ["choose", [4], 2, 1]);
  const numbers = await launch(test, { accession_numbers: ["A-2", "A-1"], patient_id: "P-4" });
  assert.deepEqual([numbers.outcome, numbers.missing], ["choose", 1]);
});

coreTest(
  "after a restore, the number opens the study again, and the bin has no number",
  async (test) => {
    await addBinned(test);
    const db = await openBeside(test.dataDir);
    try {
      assert.ok(await db.transaction().execute((tx) => restoreBinned(tx, 1)));
      const numbers = await db.selectFrom("bin_accessions").select("accession_number")
        .orderBy("pid").execute();
      assert.deepEqual(numbers.map((one) => one.accession_number), ["A-2", "A-3"]);
    } finally {
      await db.destroy();
    }
    const open = await launch(test, { accession_numbers: ["A-1"] });
    assert.deepEqual([open.outcome, open.pids], ["open", [1]]);
  },
);
