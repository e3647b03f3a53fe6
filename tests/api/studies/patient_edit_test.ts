// covers: D1-5.16, D1-7.17
import assert from "node:assert/strict";
import {
  claimEdit,
  deletePatients,
  getAge,
  getHistory,
  getPatient,
  listPatients,
  releaseEdit,
  startAnalyses,
  startReanalysis,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { hasControlCharacter, type PatientUpdate } from "@/model/schema/studies/patients.ts";
import { colleague, coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";

const update = (values: Partial<PatientUpdate> = {}): PatientUpdate => ({
  patient_id: "P-1",
  patient_name: "Name 1",
  patient_sex: "male",
  patient_birthdate: "1960-05-20",
  study_date: "2026-01-05",
  ...values,
});

coreTest(
  "updatePatient() changes the record, its age and its history, and tells the others",
  async ({ api, dataDir, events }) => {
    await addStudies(dataDir, 2);
    const changed = update({
      patient_id: " P-2 ",
      patient_name: "김하늘",
      study_date: "2026-05-20",
    });
    assert.deepEqual(await updatePatient(api, 1, changed), { pid: 1, analysis_affected: false });
    const row = await getPatient(api, 1);
    assert.deepEqual([row.patient_id, row.patient_name, row.patient_age, row.study_date], [
      "P-2",
      "김하늘",
      66,
      "2026-05-20",
    ]);
    assert.deepEqual((await getHistory(api, 2)).history.map(({ pid }) => pid), [1, 2]);
    assert.deepEqual((await listPatients(api)).patients.map((p) => p.history_count), [2, 2]);
    assert.deepEqual((await listPatients(api, { search_string: "하늘" })).total, 1);
    assert.deepEqual(events.map(({ event }) => event), [{ event: "study_update", pid: 1, uid: 1 }]);
    // saving unchanged values sends no event
    await updatePatient(api, 1, changed);
    assert.equal(events.length, 1);
  },
);

coreTest("updatePatient() says when results may change", async ({ api, dataDir }) => {
  await addStudies(dataDir, 1);
  await setCompleted(dataDir, 1, "2026-01-06T10:00:00Z");
  const affected = async (values: Partial<PatientUpdate>) =>
    (await updatePatient(api, 1, update(values))).analysis_affected;
  assert.equal(await affected({ patient_name: "Another" }), false);
  assert.equal(await affected({ patient_sex: "female" }), true);
  assert.equal(await affected({ patient_sex: "female", patient_birthdate: "1961-05-20" }), true);
  assert.equal(await affected({ patient_sex: "female", patient_birthdate: "1961-05-20" }), false);
});

coreTest("updatePatient() refuses what D1 §5 does, with the field", async ({ api, dataDir }) => {
  await addStudies(dataDir, 1);
  const wrong: [string, Partial<PatientUpdate>][] = [
    ["patient_id", { patient_id: "  " }],
    ["patient_id", { patient_id: "x".repeat(101) }],
    ["patient_name", { patient_name: "" }],
    ["patient_name", { patient_name: "a\u0000b" }],
    ["patient_name", { patient_name: "a\tb" }],
    ["patient_id", { patient_id: "a\tb" }],
    ["patient_sex", { patient_sex: "other" as never }],
    ["patient_birthdate", { patient_birthdate: "1960-02-30" }],
    ["patient_birthdate", { patient_birthdate: "2026-01-06" }],
    ["patient_birthdate", { patient_birthdate: "1800-01-01" }],
    ["study_date", { study_date: "2026/01/05" }],
  ];
  for (const [field, values] of wrong) {
    await assert.rejects(
      updatePatient(api, 1, update(values)),
      (error: { code: string; details: { field?: string; reason?: string } }) => {
        assert.deepEqual([error.code, error.details.field], ["input.invalid", field]);
        const isControl = Object.values(values).some((value) => hasControlCharacter(value ?? ""));
        if (isControl) assert.equal(error.details.reason, "control_character");
        return true;
      },
    );
  }
  await updatePatient(api, 1, update({ patient_id: "x".repeat(100) }));
  await assert.rejects(updatePatient(api, 9, update()), { code: "entity.not_found" });
});

coreTest(
  "updatePatient() makes no second study of one patient and day",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 3, (n) => n === 3 ? { patientId: "P-2" } : {});
    await assert.rejects(updatePatient(api, 1, update({ patient_id: "P-2" })), {
      code: "study.duplicate",
    });
    // two studies of one patient and day exist: their names can still be corrected
    await updatePatient(api, 3, update({ patient_id: "P-2", patient_name: "Corrected" }));
    assert.equal((await getPatient(api, 1)).patient_id, "P-1");
  },
);

coreTest(
  "studies of one day with a placeholder as the patient ID are no duplicates",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 2, () => ({ patientId: "0" }));
    await updatePatient(api, 1, update({ patient_id: "0", study_date: "2026-02-03" }));
    await updatePatient(api, 2, update({ patient_id: "0", study_date: "2026-02-03" }));
    assert.equal((await getPatient(api, 2)).study_date, "2026-02-03");
  },
);

// covers: D1-4.40, S-25
coreTest(
  "a record that somebody edits is nobody else's until the edit ends or runs out",
  async ({ api, open, dataDir, events }) => {
    const other = await colleague(open, dataDir);
    await addStudies(dataDir, 2);
    events.length = 0;
    assert.deepEqual(await claimEdit(api, 1), { expires_in: 120 });
    await claimEdit(api, 1);
    const refused = (call: Promise<unknown>) =>
      assert.rejects(call, (error: { code: string; details: { user?: unknown } }) => {
        assert.deepEqual([error.code, error.details.user], ["study.being_edited", "Administrator"]);
        return true;
      });
    await refused(claimEdit(other, 1));
    await refused(updatePatient(other, 1, update({ patient_name: "Theirs" })));
    const { patients: [second, first] } = await listPatients(other);
    assert.deepEqual([first!.editing_user, first!.editing_uid], ["Administrator", 1]);
    assert.equal(second!.editing_user, null);
    // claiming another record releases the first one
    await claimEdit(api, 2);
    await claimEdit(other, 1);
    await releaseEdit(other, 1);
    await releaseEdit(other, 1);
    await updatePatient(api, 2, update({ patient_id: "P-2", patient_name: "Mine" }));
    const told = events.map(({ event }) =>
      event.event === "study_editing" ? [event.pid, event.user] : event.event
    );
    assert.deepEqual(told, [
      [1, "Administrator"],
      [1, null],
      [2, "Administrator"],
      [1, "Other"],
      [1, null],
      [2, null],
      "study_update",
    ]);
    // a page that was closed without releasing its claim
    await claimEdit(api, 1);
    const db = await openBeside(dataDir);
    await db.updateTable("edit_claims").set({ expires_ms: Date.now() - 1 }).execute();
    await db.destroy();
    assert.equal((await getPatient(other, 1)).editing_user, null);
    await updatePatient(other, 1, update({ patient_name: "Theirs" }));
  },
);

// covers: S-29
coreTest(
  "a study that is analysed is neither edited nor deleted; the others are",
  async ({ api, dataDir }) => {
    await uploadFiles(api, phantomSeries("short", "SP-1"));
    await addStudies(dataDir, 2);
    for (const call of [() => claimEdit(api, 1), () => updatePatient(api, 1, update())]) {
      await assert.rejects(call, { code: "study.being_analyzed" });
    }
    assert.deepEqual(await deletePatients(api, [3, 1, 2, 2, 9]), {
      deleted: [3, 2],
      excluded: [{ pid: 1, code: "study.being_analyzed" }, { pid: 9, code: "entity.not_found" }],
    });
    assert.deepEqual((await deletePatients(api, [2])).excluded, [{
      pid: 2,
      code: "study.deleted",
    }]);
    assert.equal((await listPatients(api)).total, 1);
  },
);

// covers: S-185
coreTest(
  "a study that another user edits is deleted only by a user who was asked about the edit",
  async ({ api, open, dataDir }) => {
    await addStudies(dataDir, 3);
    const other = await colleague(open, dataDir);
    await claimEdit(other, 1);
    await claimEdit(api, 2);
    const excluded = [{ pid: 1, code: "study.being_edited", user: "Other" }];
    // the caller's own edit does not prevent deletion
    assert.deepEqual(await deletePatients(api, [1, 2]), { deleted: [2], excluded });
    // the confirmation was for another study
    assert.deepEqual(await deletePatients(api, [1], "", [3]), { deleted: [], excluded });
    assert.equal((await getPatient(api, 1)).pid, 1);
    assert.deepEqual(await deletePatients(api, [1], "", [1]), { deleted: [1], excluded: [] });
    await assert.rejects(claimEdit(other, 1), { code: "study.deleted" });
    // an edit that was ended or has expired does not prevent deletion
    await claimEdit(other, 3);
    const db = await openBeside(dataDir);
    await db.updateTable("edit_claims").set({ expires_ms: Date.now() - 1 }).execute();
    await db.destroy();
    assert.deepEqual(await deletePatients(api, [3]), { deleted: [3], excluded: [] });
  },
);

coreTest(
  "the images of a study still go to its row after the patient was corrected",
  async ({ api, dataDir }) => {
    const files = phantomSeries("short", "SP-1");
    assert.deepEqual((await uploadFiles(api, files)).pid_list, [1]);
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ status: "failed" }).execute();
    await db.destroy();
    await updatePatient(api, 1, update({ patient_id: "CORRECT" }));
    const again = await uploadFiles(api, files);
    assert.deepEqual([...new Set(again.failed.map(({ code }) => code))], ["study.duplicate"]);
    assert.equal((await listPatients(api)).patients[0]!.patient_id, "CORRECT");
  },
);

// covers: D1-5.18, S-30
coreTest(
  "startAnalyses() names what waits, what it cannot take, and why",
  async ({ api, dataDir }) => {
    await uploadFiles(api, phantomSeries("short", "SP-1"));
    await addStudies(dataDir, 1);
    assert.deepEqual((await startAnalyses(api, [1, 2, 3])).excluded, [
      { pid: 1, code: "study.being_analyzed" },
      { pid: 2, code: "study.no_series" },
      { pid: 3, code: "entity.not_found" },
    ]);
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ status: "failed" }).execute();
    await db.updateTable("patients").set({ patient_sex: null }).where("pid", "=", 1).execute();
    await db.destroy();
    assert.deepEqual((await startAnalyses(api, [1])).excluded, [{
      pid: 1,
      code: "study.insufficient_info",
    }]);
  },
);

coreTest(
  "startAnalyses() leaves out finished studies; startReanalysis() asks for one",
  async ({ api, dataDir }) => {
    await uploadFiles(api, phantomSeries("short", "SP-1"));
    await uploadFiles(api, phantomSeries("short", "SP-2"));
    const db = await openBeside(dataDir);
    await db.deleteFrom("jobs").execute();
    await db.updateTable("analyses").set({ status: "completed" }).where("pid", "=", 1).execute();
    await db.updateTable("analyses").set({ status: "failed" }).where("pid", "=", 2).execute();
    const analyses = () => db.selectFrom("analyses").select("id").where("pid", "=", 1).execute();
    try {
      assert.deepEqual(await startAnalyses(api, [1, 2]), {
        accepted: [2],
        excluded: [{ pid: 1, code: "study.already_analyzed" }],
      });
      assert.equal((await analyses()).length, 1, "its results stay");
      assert.deepEqual((await startReanalysis(api, 1)).accepted, [1]);
      assert.equal((await analyses()).length, 2);
    } finally {
      await db.destroy();
    }
  },
);

coreTest(
  "startAnalyses() analyses both series of a half-finished study: neither is what it is without the other",
  async ({ api, dataDir, events }) => {
    await addStudies(dataDir, 1);
    await setCompleted(dataDir, 1, "2026-01-06T01:00:00Z", "t1");
    await setCompleted(dataDir, 1, "2026-01-06T01:00:00Z", "t2");
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ status: "failed" }).where("kind", "=", "t2").execute();
    const kinds = async () =>
      (await db.selectFrom("analyses").select("kind").orderBy("id").execute()).map(({ kind }) =>
        kind
      );
    try {
      events.length = 0;
      assert.deepEqual((await startAnalyses(api, [1])).accepted, [1]);
      assert.deepEqual(await kinds(), ["t1", "t2", "t1", "t2"]);
      const told = events.flatMap(({ event }) =>
        event.event === "study_analysis" ? [event.series] : []
      );
      assert.deepEqual(told, ["t1", "t2"]);
    } finally {
      await db.destroy();
    }
  },
);

coreTest("getAge() counts whole years and refuses days that do not exist", async ({ api }) => {
  assert.deepEqual(await getAge(api, "1960-05-20", "2026-05-19"), { age: 65 });
  assert.deepEqual(await getAge(api, "1960/05/20", "2026/05/20"), { age: 66 });
  assert.deepEqual(await getAge(api, "2024-02-29", "2025-02-28"), { age: 0 });
  await assert.rejects(getAge(api, "2024-02-30", "2025-02-28"), { code: "input.invalid" });
  await assert.rejects(getAge(api, "2025-01-01", "2024-01-01"), { code: "input.invalid" });
});
