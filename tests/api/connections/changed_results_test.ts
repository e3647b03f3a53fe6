// covers: S-121, S-123
// What other systems get after anything but a label has changed what they were sent.
import assert from "node:assert/strict";
import dicomParser, { type DataSet } from "dicom-parser";
import { sql } from "kysely";
import { getConnections, getSentResults, savePeer } from "@/client/api/connections/connections.ts";
import { addStroke, changeStrokes } from "@/client/api/reading/strokes.ts";
import { saveMta } from "@/client/api/report/report.ts";
import { getReportText, signReportText } from "@/client/api/report/report_text.ts";
import { deletePatient, getPatientRow, updatePatient } from "@/client/api/studies/patients.ts";
import {
  noteChanges,
  queueChange,
  queuePending,
  queueResults,
  STUDIES_PER_MINUTE,
} from "@/server/core/connections/service/result_queue.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { claimOutbox, finishOutbox, outboxOf } from "@/server/core/connections/storage/outbox.ts";
import { changeInstants } from "@/server/core/connections/storage/result_changes.ts";
import { readMta } from "@/server/core/reports/service/mta.ts";
import type { Database } from "@/server/core/database/database.ts";
import { coreTest, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { analysedPhantom, studyFiles, T1_RESULTS } from "@/tests/sites/dicom_study.ts";
import { LateGate, openArchive } from "@/tests/sites/connections/gate_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { until } from "@/tests/sites/until.ts";

const SR = "1.2.840.10008.5.1.4.1.1.88.22", PDF = "1.2.840.10008.5.1.4.1.1.104.1";
const SEG = "1.2.840.10008.5.1.4.1.1.66.4", KO = "1.2.840.10008.5.1.4.1.1.88.59";

/** Ends the quiet time. */
const endQuiet = (db: Database) =>
  db.updateTable("outbox").set({ lease_ms: null }).where("state", "=", "waiting").execute();

/** Text of an attribute, in UTF-8. */
function textOf(of: DataSet, tag: string): string {
  const { dataOffset, length } = of.elements[tag]!;
  return new TextDecoder().decode(of.byteArray.subarray(dataOffset, dataOffset + length)).trimEnd();
}
const items = (of: DataSet, tag: string) =>
  (of.elements[tag]?.items ?? []).map(({ dataSet }) => dataSet!);

/** Objects that a rejection note with a title is about: the evidence, and the items that are shown. */
function rejectedBy(note: DataSet, title: string): string[] {
  const listed = items(note, "x0040a375").flatMap((study) => items(study, "x00081115"))
    .flatMap((series) => items(series, "x00081199"));
  const content = items(note, "x0040a730");
  const references = content.filter((item) => item.string("x0040a040") === "IMAGE")
    .flatMap((item) => items(item, "x00081199"));
  const uidsOf = (all: DataSet[]) => all.map((reference) => reference.string("x00081155")!);
  assert.deepEqual(uidsOf(listed), uidsOf(references));
  assert.equal(items(note, "x0040a043")[0]!.string("x00080100"), title);
  return uidsOf(listed);
}

/** UIDs of the objects that an object says it replaces: an SR, and any other one. */
const predecessorsOf = (object: DataSet): (string | undefined)[] =>
  [
    ...items(object, "x0040a360").flatMap((study) => items(study, "x00081115"))
      .flatMap((series) => items(series, "x00081199")),
    ...items(object, "x0008114a"),
  ].map((reference) => reference.string("x00081155"));
const uidOf = (object: DataSet | undefined) => object?.string("x00080018");
const patientOf = (message: string[][]) => message.find(([name]) => name === "PID")!;

databaseTest(
  "archive and EHR get a grade, an edited patient and an erased last lesion, each once",
  (database) => {
    const gate = new LateGate(), messages: string[][][] = [];
    const ask: typeof gate.ask = (task, signal) => {
      if (task.kind !== "mllp") return gate.ask(task, signal);
      messages.push(task.message.split("\r").map((segment) => segment.split("|")));
      return Promise.resolve({ body: "MSH|^~\\&|EHR\rMSA|AA|1\r" });
    };
    return withCore(
      async (test) => {
        const { api, dataDir } = test;
        await gate.open(dataDir);
        const archive = await openArchive("PACS", ["SULCUS"]), db = await openBeside(dataDir);
        try {
          const pid = await analysedPhantom(test, studyFiles());
          const address = { ae_title: "PACS", host: "127.0.0.1", port: archive.gate.port };
          await savePeer(api, null, {
            name: "PACS",
            kind: "dicom",
            config: { ...address, results: ["report", "measurements", "lesions"] },
          });
          await savePeer(api, null, {
            name: "EHR",
            kind: "hl7",
            config: { host: "127.0.0.1", port: 2575, results: ["hl7"] },
          });
          const seen = new Set<string>(), notes: DataSet[] = [];
          const latest = new Map<string, string>();
          /** What the archive has got since the last call, by SOP class. */
          const arrived = async () => {
            await endQuiet(db);
            await until(async () =>
              (await getSentResults(api, pid)).results.every(({ state }) => state === "sent")
            );
            const paths = archive.files().filter((path) => !seen.has(path));
            for (const path of paths) seen.add(path);
            const objects = paths.map((path) => dicomParser.parseDicom(Deno.readFileSync(path)));
            notes.push(...objects.filter((object) => object.string("x00080016") === KO));
            const byClass = new Map(objects.map((object) => [object.string("x00080016")!, object]));
            for (const [sopClass, object] of byClass) latest.set(sopClass, uidOf(object)!);
            return byClass;
          };
          const waiting = async () =>
            (await outboxOf(db, pid)).filter(({ state }) => state === "waiting").map(({ kind }) =>
              kind
            )
              .toSorted();

          await db.transaction().execute((tx) => queueResults(tx, pid));
          const first = await arrived();
          assert.deepEqual([...first.keys()].toSorted(), [PDF, SEG, SR].toSorted());

          await saveMta(api, pid, { left: 1, right: 2 });
          assert.deepEqual(await waiting(), ["hl7", "report"]);
          assert.equal((await getPatientRow(api, pid)).sent, "waiting");
          await saveMta(api, pid, { left: 1, right: 3 });
          await saveMta(api, pid, { left: 1, right: 3 });
          assert.deepEqual(await waiting(), ["hl7", "report"], "one of each");
          const graded = await arrived();
          assert.deepEqual([...graded.keys()], [PDF]);
          assert.deepEqual(predecessorsOf(graded.get(PDF)!), [uidOf(first.get(PDF))]);
          await saveMta(api, pid, { left: 1, right: 3 });
          assert.deepEqual(await waiting(), [], "the same grade changes nothing");

          // a text is about the grade too
          const { version, results } = await getReportText(api, pid);
          const text = "Atrophy of both hippocampi.";
          await signReportText(api, pid, { based_on: version, language: "en", text, results });
          await arrived();
          await saveMta(api, pid, { left: 0, right: 0 });
          const graded2 = await getReportText(api, pid);
          assert.equal(graded2.signed!.is_outdated, true);
          // an editor that was opened before the grade is not refused for it, and its text is current
          const based_on = graded2.version;
          await signReportText(api, pid, { based_on, language: "en", text, results });
          assert.equal((await getReportText(api, pid)).signed!.is_outdated, false);
          await arrived();

          const row = await getPatientRow(api, pid);
          const edit = {
            patient_id: row.patient_id,
            patient_name: "Park Haneul / 朴 하늘 / 박 하늘",
            patient_sex: row.patient_sex!,
            patient_birthdate: row.patient_birthdate!,
            study_date: row.study_date!,
          };
          const beforeEdit = new Map(latest);
          await updatePatient(api, pid, edit);
          assert.deepEqual(await waiting(), ["hl7", "lesions", "measurements", "report"]);
          const edited = await arrived();
          assert.deepEqual([...edited.keys()].toSorted(), [PDF, SEG, SR].toSorted());
          for (const object of edited.values()) {
            assert.equal(textOf(object, "x00100010"), "Park^Haneul=朴^하늘=박^하늘");
            assert.equal(textOf(object, "x00100020"), row.patient_id);
          }
          // each names the object in the place of which it comes
          for (const [sopClass, object] of edited) {
            assert.deepEqual(predecessorsOf(object), [beforeEdit.get(sopClass)]);
          }
          const said = new TextDecoder("latin1").decode(edited.get(SR)!.byteArray);
          assert.ok(
            said.includes(uidOf(edited.get(SEG))!) && !said.includes(uidOf(first.get(SEG))!),
          );
          await updatePatient(api, pid, edit);
          assert.deepEqual(await waiting(), [], "the same values change nothing");
          const statuses = messages.map((message) => message.find(([name]) => name === "OBR")![25]);
          assert.deepEqual(statuses, ["P", "P", "F", "C", "C"]);
          const controls = new Set(messages.map((message) => message[0]![9]));
          assert.equal(controls.size, messages.length, "each is a message of its own");
          assert.equal(patientOf(messages.at(-1)!)[5], "Park^Haneul");

          // under another patient ID, each kind of objects takes a note along that rejects the earlier ones
          await updatePatient(api, pid, { ...edit, patient_id: "SP-0002" });
          const moved = await arrived();
          assert.deepEqual([...moved.keys()].toSorted(), [KO, PDF, SEG, SR].toSorted());
          assert.equal(textOf(moved.get(SR)!, "x00100020"), "SP-0002");
          assert.equal(patientOf(messages.at(-1)!)[3], "SP-0002");
          assert.equal(notes.length, 3);
          for (const note of notes) assert.equal(textOf(note, "x00100020"), row.patient_id);
          const rejected = notes.flatMap((note) => rejectedBy(note, "113037"));
          for (const object of [...first.values(), ...edited.values(), ...graded.values()]) {
            assert.ok(rejected.includes(uidOf(object)!));
          }
          // back again: the objects are further ones, although they say the same as the edited ones
          notes.length = 0;
          await updatePatient(api, pid, edit);
          const back = await arrived();
          assert.equal(textOf(back.get(SEG)!, "x00100020"), row.patient_id);
          assert.notEqual(uidOf(back.get(SEG)), uidOf(edited.get(SEG)));
          assert.deepEqual(
            notes.flatMap((note) => rejectedBy(note, "113037")).toSorted(),
            [PDF, SEG, SR].map((sopClass) => uidOf(moved.get(sopClass))).toSorted(),
          );
          for (const note of notes) assert.equal(textOf(note, "x00100020"), "SP-0002");

          // the last lesion is erased: a note rejects the segmentation, which the SR names no longer
          const [nx, ny, nz] = T1_RESULTS.shape as unknown as [number, number, number];
          const erase = () =>
            addStroke(api, pid, { series: "t2", runs: [0, nx * ny * nz], value: 0 });
          await erase();
          const erased = await arrived();
          assert.ok(!erased.has(SEG));
          assert.deepEqual(rejectedBy(erased.get(KO)!, "113001"), [uidOf(back.get(SEG))]);
          assert.equal(erased.get(KO)!.string("x0020000d"), first.get(SEG)!.string("x0020000d"));
          assert.equal(textOf(erased.get(KO)!, "x00100020"), row.patient_id);
          const bytes = new TextDecoder("latin1").decode(erased.get(SR)!.byteArray);
          assert.ok(!bytes.includes(uidOf(back.get(SEG))!));
          // brought back, it is another object; erased again, that one alone is rejected
          await changeStrokes(api, pid, "t2", "undo");
          const restored = await arrived();
          assert.notEqual(uidOf(restored.get(SEG)), uidOf(back.get(SEG)));
          assert.ok(!restored.has(KO));
          await changeStrokes(api, pid, "t2", "redo");
          const again = await arrived();
          assert.deepEqual(rejectedBy(again.get(KO)!, "113001"), [uidOf(restored.get(SEG))]);
          assert.notEqual(uidOf(again.get(KO)), uidOf(erased.get(KO)));
        } finally {
          await db.destroy();
          await archive.close();
          await gate.close();
        }
      },
      { gate: { ask, aeTitle: "SULCUS" } },
      database,
    );
  },
);

coreTest("a change of many studies is queued a few a minute, and each study once", async (site) => {
  const { api, dataDir } = site, count = 20, db = await openBeside(dataDir);
  const published: number[] = [];
  const services = {
    db,
    publish: ({ pid }: { pid: number }) => published.push(pid),
  } as unknown as ServiceContext;
  try {
    await addReported(dataDir, count, 12);
    const peerId = await savePeer(api, null, {
      name: "PACS",
      kind: "dicom",
      config: { ae_title: "PACS", host: "127.0.0.1", port: 104, results: ["measurements"] },
    });
    const pids = Array.from({ length: count }, (_, n) => n + 1), sent = pids.slice(0, -1);
    for (const pid of sent) await db.transaction().execute((tx) => queueResults(tx, pid));
    const at = "2026-01-06T10:00:00.000Z";
    await db.updateTable("outbox").set({ state: "sent", sent_at: at }).execute();
    const waiting = async () =>
      (await db.selectFrom("outbox").select("pid").where("state", "=", "waiting").orderBy("pid")
        .execute()).map(({ pid }) => pid);
    const pending = async () => (await getConnections(api)).counts.changed;

    await db.transaction().execute((tx) => noteChanges(tx, pids, "norms"));
    assert.deepEqual([await pending(), await waiting()], [sent.length, []]);
    // the list says so before anything is queued; nothing of the last study is anywhere
    assert.equal((await getPatientRow(api, count - 1)).sent, "waiting");
    assert.equal((await getPatientRow(api, count)).sent ?? null, null);

    for (let n = 0; n < 3; n++) await queuePending(services);
    assert.deepEqual(await waiting(), sent.slice(0, STUDIES_PER_MINUTE));
    assert.deepEqual(published, sent.slice(0, STUDIES_PER_MINUTE));
    assert.equal(await pending(), sent.length - STUDIES_PER_MINUTE);
    const later = () =>
      db.updateTable("result_changes").set((e) => ({ queued_ms: e("queued_ms", "-", 60_001) }))
        .where("queued_ms", "is not", null).execute();
    // a system that does not answer keeps its queue short
    await later();
    const crowd = Array.from({ length: 50 }, (_, n) => ({
      peer_id: peerId,
      pid: count,
      run: `${n}`,
      kind: "regions",
      state: "waiting" as const,
      owner: null,
      lease_ms: null,
      last_error: null,
      transaction_uid: null,
      committed_at: null,
      created_at: at,
      sent_at: null,
    }));
    await db.insertInto("outbox").values(crowd).execute();
    await queuePending(services);
    assert.equal(await pending(), sent.length - STUDIES_PER_MINUTE);
    await db.deleteFrom("outbox").where("kind", "=", "regions").execute();
    // a grade in between is queued at once, and does not take the other's place
    await db.transaction().execute((tx) => queueChange(tx, sent.at(-1)!, "grade"));
    for (let n = 0; n < 4; n++) {
      await queuePending(services);
      await later();
    }
    assert.deepEqual([await pending(), await waiting()], [0, sent]);
    const runs = await db.selectFrom("outbox").select(["pid", "run"]).where("state", "=", "waiting")
      .execute();
    assert.ok(runs.every(({ run }) => run.includes("@")));
    // undone: another state, queued once more
    await db.updateTable("outbox").set({ state: "sent", sent_at: at }).execute();
    await db.transaction().execute((tx) => noteChanges(tx, pids, "norms"));
    await queuePending(services);
    assert.equal((await waiting()).length, STUDIES_PER_MINUTE);
  } finally {
    await db.destroy();
  }
});

coreTest("a change that cannot be noted is not made: both are one transaction", async (site) => {
  const { api, dataDir } = site, db = await openBeside(dataDir), pid = 1;
  const rename = (from: string, to: string) =>
    sql`ALTER TABLE ${sql.table(from)} RENAME TO ${sql.table(to)}`.execute(db);
  const refused = async (change: () => Promise<unknown>) => {
    await rename("result_changes", "result_changes_away");
    try {
      await assert.rejects(change(), { code: "internal" });
    } finally {
      await rename("result_changes_away", "result_changes");
    }
  };
  try {
    await addReported(dataDir, 1, 12);
    const row = await getPatientRow(api, pid);
    const edit = {
      patient_id: row.patient_id,
      patient_name: "Other Name",
      patient_sex: row.patient_sex!,
      patient_birthdate: row.patient_birthdate ?? "1950-01-01",
      study_date: row.study_date!,
    };
    await refused(() => saveMta(api, pid, { left: 2, right: 2 }));
    assert.equal(await readMta(db, pid), null);
    await refused(() => updatePatient(api, pid, edit));
    assert.equal((await getPatientRow(api, pid)).patient_name, row.patient_name);
    // with the table both are made, and noted
    await saveMta(api, pid, { left: 2, right: 2 });
    await updatePatient(api, pid, edit);
    assert.deepEqual([...(await changeInstants(db, pid)).keys()].toSorted(), ["grade", "patient"]);
  } finally {
    await db.destroy();
  }
});

coreTest("a change during a delivery follows it; a removed study is left out", async (site) => {
  const { api, dataDir } = site, db = await openBeside(dataDir);
  try {
    await addReported(dataDir, 2, 12);
    const config = { ae_title: "PACS", host: "127.0.0.1", port: 104, results: ["report" as const] };
    const peerId = await savePeer(api, null, { name: "PACS", kind: "dicom", config });
    for (const pid of [1, 2]) await db.transaction().execute((tx) => queueResults(tx, pid));
    const claim = () => claimOutbox(db, peerId, "own", Date.now() + 3_600_000, 7_200_000);
    const first = await claim();
    assert.equal(first?.pid, 1);
    await saveMta(api, 1, { left: 2, right: 2 });
    await saveMta(api, 1, { left: 2, right: 3 });
    const rows = async () => (await outboxOf(db, 1)).map(({ state }) => state);
    assert.deepEqual(await rows(), ["sending", "waiting"]);
    assert.equal((await claim())?.pid, 2, "the state of before arrives first");
    assert.equal(await claim(), null);
    await finishOutbox(db, first!.id, "own", { state: "sent", sentAt: new Date().toISOString() });
    const second = await claim();
    assert.equal(second?.pid, 1);
    assert.notEqual(second!.run, first!.run);

    await db.transaction().execute((tx) => noteChanges(tx, [1, 2], "norms"));
    assert.equal((await getConnections(api)).counts.changed, 2);
    await deletePatient(api, 2);
    assert.equal((await getConnections(api)).counts.changed, 1);
    await queuePending({ db, publish: () => {} } as unknown as ServiceContext);
    assert.equal((await getConnections(api)).counts.changed, 0);
    const pids = await db.selectFrom("outbox").select("pid").distinct().execute();
    assert.deepEqual(pids.map(({ pid }) => pid), [1]);
  } finally {
    await db.destroy();
  }
});
