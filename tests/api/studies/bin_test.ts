// covers: S-113
import assert from "node:assert/strict";
import { sql } from "kysely";
import { getBin, purgeStudy, restoreStudy } from "@/client/api/studies/bin.ts";
import { deletePatient, getPatient, listPatients } from "@/client/api/studies/patients.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import { BIN_DAYS, purgeBin } from "@/server/core/studies/service/bin.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { LEFT_BEHIND, STUDY_TABLES } from "@/server/core/studies/storage/bin.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { blobsOnDisk, colleague, coreTest, openBeside, PASSWORD } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addStudies, addStudyWithFiles, setCompleted } from "@/tests/sites/stored_studies.ts";

Deno.test("the bin knows every table whose rows go with a study", async () => {
  const db = openDatabase(":memory:");
  try {
    const { rows } = await sql<{ name: string; parent: string }>`
      SELECT t.name, k."table" AS parent FROM sqlite_master AS t, pragma_foreign_key_list(t.name) AS k
      WHERE t.type = 'table' AND k.on_delete = 'CASCADE'`.execute(db);
    const all = new Set(["patients"]);
    // the set grows during the loop, so that children of children are included
    for (const parent of all) {
      for (const row of rows) if (row.parent === parent) all.add(row.name);
    }
    assert.deepEqual([...all].sort(), [...STUDY_TABLES, ...LEFT_BEHIND].sort());
  } finally {
    await db.destroy();
  }
});

coreTest(
  "a deleted study is nowhere but in the bin, and comes back as it was",
  async ({ api, dataDir, events }) => {
    await addStudies(dataDir, 1);
    await addStudyWithFiles(dataDir, "P-2");
    await addStudies(dataDir, 1, () => ({ studyUid: "1.2.3.3", patientId: "P-3" }));
    await setCompleted(dataDir, 2, "2026-01-06T00:00:00Z");
    await saveLabels(api, [{ id: -1, label_name: "Urgent", patients: [2] }]);
    const before = await getPatient(api, 2), files = blobsOnDisk(dataDir);
    await deletePatient(api, 2, "wrong <b>patient</b>");
    await assert.rejects(getPatient(api, 2), { code: "study.deleted" });
    assert.deepEqual((await listPatients(api, {})).patients.map(({ pid }) => pid), [3, 1]);
    assert.equal((await listPatients(api, { search_string: "P-2" })).total, 0);
    assert.deepEqual(
      (await getLabels(api)).labels.find(({ label_name }) => label_name === "Urgent")!.patients,
      [],
    );
    assert.deepEqual(blobsOnDisk(dataDir), files);

    const { studies, total, days } = await getBin(api);
    assert.deepEqual([total, days], [1, BIN_DAYS]);
    const [study] = studies;
    assert.deepEqual([study!.pid, study!.patient_id, study!.patient_name], [2, "P-2", "Name 1"]);
    assert.deepEqual([study!.deleted_by, study!.reason], ["Administrator", "wrong <b>patient</b>"]);
    assert.equal(Date.parse(study!.gone_at) - Date.parse(study!.deleted_at), BIN_DAYS * 86_400_000);

    events.length = 0;
    await restoreStudy(api, 2);
    assert.deepEqual(events.map(({ event }) => event), [{ event: "study_create", pid_list: [2] }]);
    assert.deepEqual(await getPatient(api, 2), before);
    assert.deepEqual((await listPatients(api, {})).patients.map(({ pid }) => pid), [3, 2, 1]);
    assert.equal((await getBin(api)).total, 0);
    await assert.rejects(restoreStudy(api, 2), { code: "entity.not_found" });
  },
);

coreTest(
  "what readers measured and chose comes back with a study, also when its reader has gone",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 1);
    const db = await openBeside(dataDir), picture = new Uint8Array([137, 80, 78, 71, 0, 255]);
    await addQuickUser(db, {
      email: "reader@x.org",
      password: PASSWORD,
      name: "R",
      role: "physician",
    });
    const reader = (await db.selectFrom("users").select("id").where("email", "=", "reader@x.org")
      .executeTakeFirstOrThrow()).id;
    const of = { pid: 1, created_at: "2026-01-06T00:00:00Z", created_by: reader };
    await db.insertInto("measurements").values({ ...of, measured: "{}", note: "", is_in_report: 1 })
      .execute();
    await db.insertInto("key_images").values({ ...of, picture, note: "here" }).execute();
    await deletePatient(api, 1);
    assert.deepEqual(await db.selectFrom("key_images").selectAll().execute(), []);
    await db.deleteFrom("users").where("id", "=", reader).execute();
    await restoreStudy(api, 1);
    const images = await db.selectFrom("key_images").selectAll().execute();
    assert.deepEqual(images.map(({ note, created_by }) => [note, created_by]), [["here", null]]);
    assert.deepEqual(Uint8Array.from(images[0]!.picture), picture);
    assert.equal((await db.selectFrom("measurements").selectAll().execute()).length, 1);
    await db.destroy();
  },
);

coreTest(
  "a restored study is not appended to a control chart a second time",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 1);
    const db = await openBeside(dataDir);
    const { id: group } = await db.insertInto("drift_groups").values({
      scanner: "Phantom 1",
      protocol: "t1",
      engine_version: "1",
      computed_at: "2026-01-06T00:00:00Z",
      studies: 1,
      is_moved: 0,
      moved: "[]",
      charts: "[]",
    }).returning("id").executeTakeFirstOrThrow();
    const charted = [{ analysis_id: 1, pid: 1, group_id: group, is_completed: 1 }];
    await db.insertInto("charted_results").values(charted).execute();
    await deletePatient(api, 1);
    assert.deepEqual(await db.selectFrom("charted_results").selectAll().execute(), []);
    await restoreStudy(api, 1);
    assert.deepEqual(await db.selectFrom("charted_results").selectAll().execute(), charted);
    await db.destroy();
  },
);

coreTest(
  "of the bin others see their own alone, and restore nothing of somebody else's",
  async ({ api, open, dataDir }) => {
    await addStudies(dataDir, 2, (n) => ({ patientId: `P-${n}` }));
    const other = await colleague(open, dataDir);
    await deletePatient(api, 1);
    await deletePatient(other, 2);
    assert.deepEqual((await getBin(api)).studies.map(({ pid }) => pid), [2, 1]);
    assert.deepEqual((await getBin(other)).studies.map(({ pid }) => pid), [2]);
    await assert.rejects(restoreStudy(other, 1), { code: "access.forbidden" });
    await assert.rejects(purgeStudy(other, 2), { code: "access.forbidden" });
    await restoreStudy(other, 2);
    await restoreStudy(api, 1);
    assert.equal((await listPatients(api, {})).total, 2);
  },
);

coreTest(
  "a study that is uploaded again is a new one, and the bin keeps the old",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 1, () => ({ patientId: "P" }));
    const db = await openBeside(dataDir);
    const { study_uid } = await db.selectFrom("patients").select("study_uid")
      .executeTakeFirstOrThrow();
    await deletePatient(api, 1);
    await addStudies(dataDir, 1, () => ({ patientId: "P" }));
    await db.updateTable("patients").set({ study_uid }).execute();
    await db.destroy();
    const [again] = (await listPatients(api, {})).patients;
    assert.ok(again!.pid > 1);
    await assert.rejects(restoreStudy(api, 1), { code: "study.not_restorable" });
    assert.equal((await getBin(api)).total, 1);
    await deletePatient(api, again!.pid);
    await restoreStudy(api, 1);
    assert.deepEqual((await getBin(api)).studies.map(({ pid }) => pid), [again!.pid]);
  },
);

coreTest(
  "the bin is emptied of what was in it long enough, with its files",
  async ({ api, dataDir }) => {
    for (const name of ["P-1", "P-2", "P-3"]) await addStudyWithFiles(dataDir, name);
    const files = blobsOnDisk(dataDir),
      db = await openBeside(dataDir),
      blobs = new DiskBlobs(`${dataDir}/blobs`);
    try {
      for (const pid of [1, 2, 3]) await deletePatient(api, pid);
      const services = { db, blobs, log: () => {} } as unknown as ServiceContext;
      const day = 86_400_000;
      assert.equal(await purgeBin(services, Date.now() + (BIN_DAYS - 1) * day), 0);
      assert.deepEqual(blobsOnDisk(dataDir), files);
      await db.updateTable("bin").set({ deleted_at: "2026-01-01T00:00:00Z" }).where("pid", "=", 2)
        .execute();
      assert.equal(await purgeBin(services), 1);
      await purgeStudy(api, 1);
      assert.deepEqual((await getBin(api)).studies.map(({ pid }) => pid), [3]);
      await assert.rejects(restoreStudy(api, 2), { code: "entity.not_found" });
      assert.equal(await purgeBin({ ...services, binDays: 7 }, Date.now() + 8 * day), 1);
      assert.equal((await db.selectFrom("blobs").selectAll().execute()).length, 0);
    } finally {
      await db.destroy();
    }
  },
);
