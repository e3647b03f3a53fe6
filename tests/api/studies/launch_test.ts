// Links from other systems: studies that they open, and studies that they must never open.
// covers: S-131
import assert from "node:assert/strict";
import { getAudit } from "@/client/api/site/audit.ts";
import { findLaunched } from "@/client/api/studies/launch.ts";
import { deletePatient, updatePatient } from "@/client/api/studies/patients.ts";
import { type LaunchRequest, launchRequest } from "@/model/schema/studies/launch.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { coreTest, openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";

const launch = async ({ api }: TestCore, request: Partial<LaunchRequest>, from = "pacs.test") => {
  const answer = await findLaunched(api, launchRequest.parse(request), from);
  return { ...answer, pids: answer.studies.map(({ pid }) => pid) };
};

/** Six studies: 1 to 3 of patient P-1, 4 and 5 of two people with the same ID, 6 without an ID. */
async function addPeople({ dataDir }: TestCore): Promise<void> {
  await addStudies(dataDir, 6, (n) => ({
    patientId: n <= 3 ? "P-1" : n <= 5 ? "P-2" : "",
    patientName: n <= 3 ? "Name 1" : `Name ${n}`,
    // the oldest study has the highest number, and one study has no date
    studyDate: n === 3 ? null : `2026-01-0${9 - n}`,
  }));
  const db = await openBeside(dataDir);
  for (const [pid, number] of [[1, "A-1"], [2, "A-2"], [4, "A-2"], [6, "A-6"]] as const) {
    await db.updateTable("patients").set({ accession_number: number }).where("pid", "=", pid)
      .execute();
  }
  await db.destroy();
}

coreTest(
  "a link opens a study by its UID, by its accession number and by its patient",
  async (test) => {
    await addPeople(test);
    await setCompleted(test.dataDir, 1, "2026-01-07T00:00:00Z");
    const byUid = await launch(test, { study_uids: ["1.2.3.1"], patient_id: "P-1" });
    assert.deepEqual([byUid.outcome, byUid.pids], ["open", [1]]);
    assert.deepEqual(byUid.studies[0], {
      pid: 1,
      study_uid: "1.2.3.1",
      patient_id: "P-1",
      patient_name: "Name 1",
      birth_date: "1960-05-20",
      study_date: "2026-01-08",
      accession_numbers: ["A-1"],
      received_patient_id: null,
      state: "analyzed",
    });
    const byNumber = await launch(test, { accession_numbers: ["A-1"] });
    assert.deepEqual([byNumber.outcome, byNumber.pids], ["open", [1]]);
    const all = await launch(test, { patient_id: "P-1" });
    assert.deepEqual([all.outcome, all.pids], ["choose", [1, 2, 3]], "newest first, undated last");
    const newest = await launch(test, { patient_id: "P-1", most_recent: 1 });
    assert.deepEqual([newest.outcome, newest.pids], ["open", [1]]);
    const two = await launch(test, { patient_id: "P-1", most_recent: 2 });
    assert.deepEqual([two.outcome, two.pids], ["choose", [1, 2]]);
    const before = await launch(test, { patient_id: "P-1", date_to: "2026-01-07" });
    assert.deepEqual([before.outcome, before.pids], ["open", [2]]);
    assert.equal((await launch(test, { patient_id: "P-1", modalities: ["CT"] })).outcome, "none");
    assert.equal(
      (await launch(test, { patient_id: "P-1", modalities: ["CT", "MR"] })).outcome,
      "choose",
    );
  },
);

coreTest(
  "several studies of a link are chosen from, and so are those that are not all here",
  async (test) => {
    await addPeople(test);
    const shared = await launch(test, { accession_numbers: ["A-2"] });
    assert.deepEqual([shared.outcome, shared.pids], ["choose", [2, 4]]);
    assert.equal(shared.are_several_people, true);
    const some = await launch(test, { study_uids: ["1.2.3.1", "1.2.9", "1.2.3.2"] });
    assert.deepEqual([some.outcome, some.pids, some.missing], ["choose", [1, 2], 1]);
    const half = await launch(test, { study_uids: ["1.2.3.1", "1.2.9"] });
    assert.deepEqual([half.outcome, half.pids, half.missing], ["choose", [1], 1]);
    // if the link has two accession numbers, the user may mean either
    for (const patient_id of [null, "P-1"]) {
      const one = await launch(test, { accession_numbers: ["A-1", "A-9"], patient_id });
      assert.deepEqual([one.outcome, one.pids, one.missing], ["choose", [1], 1]);
    }
    // an accession number of another patient, which no study of the link's patient has
    const other = await launch(test, { accession_numbers: ["A-1", "A-6"], patient_id: "P-1" });
    assert.deepEqual([other.outcome, other.pids, other.missing], ["choose", [1], 1]);
    // an ID shared by two people: the newest study may belong to the other person
    const people = await launch(test, { patient_id: "P-2", most_recent: 1 });
    assert.deepEqual([people.outcome, people.pids], ["choose", [4, 5]]);
    assert.equal(people.are_several_people, true);
  },
);

coreTest("a misspelled field of a program's request is refused, not ignored", async (test) => {
  await addPeople(test);
  const request = { ...launchRequest.parse({ study_uids: ["1.2.3.1"] }), patientId: "P-2" };
  await assert.rejects(findLaunched(test.api, request, "pacs.test"), { code: "input.invalid" });
});

coreTest("a link with a placeholder as the patient ID opens nothing by itself", async (test) => {
  await addPeople(test);
  const db = await openBeside(test.dataDir);
  await db.updateTable("patients").set({ patient_id: "0" }).where("pid", "=", 1).execute();
  await db.destroy();
  const alone = await launch(test, { patient_id: "0" });
  assert.deepEqual([alone.outcome, alone.pids, alone.are_several_people], ["choose", [1], true]);
  const named = await launch(test, { patient_id: "0", study_uids: ["1.2.3.1"] });
  assert.deepEqual([named.outcome, named.pids], ["open", [1]]);
});

// covers: S-98
coreTest("a study of another patient than the link's is never opened", async (test) => {
  await addPeople(test);
  const refusals: Partial<LaunchRequest>[] = [
    { study_uids: ["1.2.3.1"], patient_id: "P-2" },
    { study_uids: ["1.2.3.1"], patient_id: "p-1" },
    { study_uids: ["1.2.3.1"], patient_id: "P-1", birth_date: "1961-05-20" },
    { study_uids: ["1.2.3.1"], accession_numbers: ["A-2"] },
    // a study without an ID may belong to another patient
    { study_uids: ["1.2.3.6"], patient_id: "P-1" },
    { accession_numbers: ["A-1"], patient_id: "P-2" },
    { patient_id: "P-1", birth_date: "1961-05-20" },
  ];
  for (const request of refusals) {
    const { outcome, pids } = await launch(test, request);
    assert.equal(outcome, "refused", JSON.stringify(request));
    assert.ok(pids.length > 0, "the study is shown beside what was asked for");
  }
  // one wrong UID of two is enough for a refusal
  const one = await launch(test, { study_uids: ["1.2.3.1", "1.2.3.4"], patient_id: "P-1" });
  assert.deepEqual([one.outcome, one.pids], ["refused", [4]]);
  // of an accession number used by two hospitals, the study of the named patient opens
  const named = await launch(test, { accession_numbers: ["A-2"], patient_id: "P-1" });
  assert.deepEqual([named.outcome, named.pids], ["open", [2]]);
  // studies without an ID are not found by patient ID
  assert.equal((await launch(test, { patient_id: "P-9" })).outcome, "none");
});

coreTest("an ID that was corrected since opens nothing, and says so", async (test) => {
  const { api, dataDir } = test, pid = 1;
  await addStudies(dataDir, 1, () => ({ patientId: "OLD-1" }));
  await setCompleted(dataDir, pid, "2026-01-07T00:00:00Z");
  const db = await openBeside(dataDir), empty = "";
  await db.insertInto("series_headers").values({
    series_id: 1,
    pid,
    patient_id: "OLD-1",
    patient_name: empty,
    birth_date: empty,
    sex: empty,
    study_date: empty,
    study_time: empty,
    accession_number: "H-1",
    referring_physician: empty,
    study_description: empty,
    study_id: empty,
    modality: "MR",
    series_number: empty,
    body_part: empty,
    attributes: null,
  }).execute();
  await db.destroy();
  await updatePatient(api, pid, {
    patient_id: "NEW-1",
    patient_name: "Kim Haneul",
    patient_sex: "female",
    patient_birthdate: "1958-01-01",
    study_date: "2026-01-05",
  });
  const former = await launch(test, { patient_id: "OLD-1" });
  assert.deepEqual([former.outcome, former.pids], ["refused", [pid]]);
  assert.equal(former.studies[0]!.received_patient_id, "OLD-1");
  assert.equal((await launch(test, { patient_id: "NEW-1" })).outcome, "open");
  assert.equal((await launch(test, { accession_numbers: ["H-1"] })).outcome, "open");
  const { study_uid } = former.studies[0]!;
  const byUid = await launch(test, { study_uids: [study_uid], patient_id: "OLD-1" });
  assert.equal(byUid.outcome, "refused");
});

coreTest(
  "a study in the bin is called deleted, and one that never was here is none",
  async (test) => {
    await addPeople(test);
    await deletePatient(test.api, 1);
    const deleted = await launch(test, { study_uids: ["1.2.3.1"] });
    assert.deepEqual([deleted.outcome, deleted.pids], ["deleted", []]);
    const none = await launch(test, { study_uids: ["1.2.9", "1.2.8"] });
    assert.deepEqual([none.outcome, none.pids, none.missing], ["none", [], 2]);
    const byNumber = await launch(test, { accession_numbers: ["A-1"] });
    assert.deepEqual([byNumber.outcome, byNumber.pids], ["deleted", []]);
    assert.equal((await launch(test, { accession_numbers: ["A-9"] })).outcome, "none");
  },
);

// covers: S-85
coreTest(
  "each launch is in the audit log with its origin, and without what the link says",
  async (test) => {
    await addPeople(test);
    await launch(test, { study_uids: ["1.2.3.1"], patient_id: "P-1" }, "pacs.hospital.test:8443");
    await launch(test, { study_uids: ["1.2.3.1"], patient_id: "P-2" }, "<script>");
    await launch(test, { patient_id: "NOT-HERE" }, "");
    const { entries } = await getAudit(test.api);
    const launches = entries.filter(({ event }) => event === "study.launch").reverse();
    assert.deepEqual(launches.map(({ pid, details }) => [pid, details]), [
      [1, { origin: "pacs.hospital.test:8443", result: "open" }],
      [1, { origin: "launch", result: "refused" }],
      [null, { origin: "launch", result: "none" }],
    ]);
    assert.doesNotMatch(JSON.stringify(launches), /P-1|P-2|NOT-HERE|1\.2\.3\.1/);
  },
);

Deno.test("an auditor launches nothing, and launches have a budget like files", () =>
  withCore(async (test) => {
    const { open, dataDir } = test, auditor = { email: "a@x.test", password: "correct-horse-9" };
    await addPeople(test);
    const db = await openBeside(dataDir);
    await addQuickUser(db, { ...auditor, name: "Auditor", role: "auditor" });
    await db.destroy();
    const api = { ...open, token: (await login(open, auditor)).access_token };
    const request = { study_uids: ["1.2.3.1"] };
    await assert.rejects(launch({ ...test, api }, request), { code: "access.forbidden" });
    for (let n = 0; n < 10; n++) await launch(test, request);
    await assert.rejects(launch(test, request), { code: "call.too_often" });
  }, { callsPerMinute: 1 }));
