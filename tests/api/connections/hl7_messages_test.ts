// covers: S-144, S-145, S-146
// Messages of the hospital information system change patients here: updates, merges, their undo.
import assert from "node:assert/strict";
import {
  dropMessage,
  getConnections,
  repeatMessage,
  savePeer,
  undoMerge,
} from "@/client/api/connections/connections.ts";
import {
  claimEdit,
  getHistory,
  getPatientRow,
  listPatients,
  releaseEdit,
  updatePatient,
} from "@/client/api/studies/patients.ts";
import type { PatientUpdate } from "@/model/schema/studies/patients.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";
import { Hl7Sender } from "@/tests/sites/connections/hl7_sender.ts";
import { adt, type AdtFields } from "@/tests/sites/connections/hl7_messages.ts";
import { noPython, startPython } from "@/tests/sites/connections/python_peers.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { addStudies, newStudy, setCompleted } from "@/tests/sites/stored_studies.ts";
import { until, untilEqual } from "@/tests/sites/until.ts";

interface Hospital extends TestCore {
  db: Database;
  /** HL7 port of the gate */
  port: number;
  /** Sends a message, which must be accepted. */
  send(fields: Partial<AdtFields> & { id: string }): Promise<void>;
  /** patient ID and name of each study, by its number */
  patients(): Promise<string[]>;
}

/** A site with a gate and a sender; P-1 has the studies 1 and 2, P-3 has study 3. */
async function withHospital(
  database: TestDatabase,
  body: (hospital: Hospital) => Promise<void>,
  authority = "",
): Promise<void> {
  const gate = new LateGate();
  await withCore(
    async (test) => {
      const { api, dataDir } = test;
      await addStudies(
        dataDir,
        3,
        (n) => n === 2 ? { patientId: "P-1", patientName: "Name 1" } : {},
      );
      const open = await gate.open(dataDir), db = await openBeside(dataDir);
      const config = { may_send: true, addresses: ["127.0.0.1"], id_authority: authority };
      await savePeer(api, null, { name: "HIS", kind: "hl7", config });
      // the gate reads settings once a second, and may refuse the first connections
      const sender = await until(async () => {
        const one = await Hl7Sender.connect(open.hl7Port!);
        if (await one.send(adt({ event: "A03", id: "", control: "0" })).catch(() => null)) {
          return one;
        }
        one.close();
      });
      let sent = 0;
      const send = async (fields: Partial<AdtFields> & { id: string }) => {
        const message = adt({ event: "A08", control: `T${++sent}`, ...fields });
        assert.equal(await sender.send(message), "AA");
      };
      const patients = async () =>
        (await db.selectFrom("patients").select(["pid", "patient_id", "patient_name"]).orderBy(
          "pid",
        )
          .execute()).map((row) => `${row.pid} ${row.patient_id} ${row.patient_name}`);
      try {
        await body({ ...test, db, port: open.hl7Port!, send, patients });
      } finally {
        sender.close();
        await gate.close();
        await db.destroy();
      }
    },
    { gate: { ask: gate.ask, aeTitle: "SULCUS" } },
    database,
  );
}

const stateOf = async ({ api }: Hospital, event = "") =>
  (await getConnections(api)).messages.filter((one) => one.event.endsWith(event))
    .map(({ state, reason }) => [state, reason].filter(Boolean).join(" "));

databaseTest(
  "an update changes every study of a patient, once and in order, and the rows say so",
  (database) =>
    withHospital(database, async (hospital) => {
      const { api, db, send, patients } = hospital;
      await db.insertInto("study_reports").values({ pid: 1, reported_at: "2026-02-01T00:00:00Z" })
        .execute();
      const at = "20260301120000";
      const name = "김^민수^^^^^^I~Kim^Minsu";
      await send({ id: "P-1", name, birth: "19600520", sex: "M", at });
      await untilEqual(patients, [
        "1 P-1 Kim Minsu / 김 민수",
        "2 P-1 Kim Minsu / 김 민수",
        "3 P-3 Name 3",
      ]);
      // a corrected birth date
      await send({ id: "P-1", name, birth: "19500101", sex: "M", at });
      const row = await until(async () => {
        const one = await getPatientRow(api, 1);
        return one.patient_birthdate === "1950-01-01" ? one : null;
      });
      assert.deepEqual([row.patient_sex, row.patient_age], ["male", 76]);
      assert.ok(row.hospital_at !== undefined && row.is_report_outdated);
      assert.equal((await getPatientRow(api, 2)).is_report_outdated, undefined);
      assert.equal((await getPatientRow(api, 3)).hospital_at, undefined);
      // an older message, the same name in capitals, and a patient without studies
      await send({ id: "P-1", name: "Old^Name", at: "20260301115959" });
      await send({ id: "P-1", name: "KIM^MINSU", at });
      await send({ id: "P-9", name: "Not^Here" });
      await until(async () => (await stateOf(hospital, "A08")).length === 5);
      await until(async () =>
        !(await stateOf(hospital)).some((state) => state.startsWith("waiting"))
      );
      assert.deepEqual((await stateOf(hospital, "A08")).sort(), [
        "applied",
        "applied",
        "applied",
        "ignored no_study",
        "ignored older",
      ]);
      assert.equal((await patients())[0], "1 P-1 Kim Minsu / 김 민수");
      const changes = await db.selectFrom("identity_changes").select(["pid", "before"]).orderBy(
        "id",
      )
        .execute();
      assert.deepEqual(changes.map(({ pid, before }) => [pid, JSON.parse(before).patientName]), [
        [1, "Name 1"],
        [2, "Name 1"],
        [1, "Kim Minsu / 김 민수"],
        [2, "Kim Minsu / 김 민수"],
      ]);
      const audited = await db.selectFrom("audit").select(["event", "pid", "user_id"])
        .where("event", "like", "patient.%").orderBy("seq").execute();
      assert.deepEqual(audited.map(({ event, pid, user_id }) => [event, pid, user_id]), [
        ["patient.update", 1, null],
        ["patient.update", 2, null],
        ["patient.update", 1, null],
        ["patient.update", 2, null],
      ]);
    }),
);

// covers: S-186
databaseTest(
  "a user's later change takes the hospital's mark off a row, and marks a report printed before",
  (database) =>
    withHospital(database, async ({ api, db, send, patients }) => {
      const edit = async (change: Partial<PatientUpdate>) => {
        const row = await getPatientRow(api, 1);
        await updatePatient(api, 1, {
          patient_id: row.patient_id,
          patient_name: row.patient_name,
          patient_sex: row.patient_sex!,
          patient_birthdate: row.patient_birthdate!,
          study_date: row.study_date!,
          ...change,
        });
        return await getPatientRow(api, 1);
      };
      await send({ id: "P-1", name: "Given^Name", at: "20260301120000" });
      await untilEqual(async () => (await patients())[0], "1 P-1 Given Name");
      const printed = new Date(Date.now() + 1).toISOString();
      await db.insertInto("study_reports").values({ pid: 1, reported_at: printed }).execute();
      // a change of the study date is no change of the patient's identity
      const redated = await edit({ study_date: "2026-01-04" });
      assert.ok(redated.hospital_at !== undefined && redated.edited_at === undefined);
      assert.equal(redated.is_report_outdated, undefined);
      await until(() => Date.now() > Date.parse(printed));
      const edited = await edit({ patient_name: "Typed Name" });
      assert.ok(edited.edited_at! > edited.hospital_at!);
      assert.equal(edited.is_report_outdated, true);
      await send({ id: "P-1", name: "Third^Name", at: "20260302120000" });
      await untilEqual(async () => (await patients())[0], "1 P-1 Third Name");
      const again = await getPatientRow(api, 1);
      assert.ok(again.hospital_at! > again.edited_at!);
    }),
);

databaseTest(
  "a message with an impossible time waits, and later messages do not, and two authorities are no merge",
  (database) =>
    withHospital(database, async (hospital) => {
      const { send, patients } = hospital, now = new Date(Date.now() + 2000).toISOString();
      await send({ id: "P-3", name: "Wrong^Name", at: "20991231000000" });
      await untilEqual(() => stateOf(hospital, "A08"), ["failed future_time"]);
      await send({ id: "P-3", name: "True^Name", at: now.replaceAll(/\D/g, "").slice(0, 14) });
      await untilEqual(async () => (await patients())[2], "3 P-3 True Name");
      await send({ event: "A40", id: "P-3^^^HOSP^MR", prior: "P-1^^^OTHER^MR" });
      await untilEqual(() => stateOf(hospital, "A40"), ["failed id_uncertain"]);
      const { messages } = await getConnections(hospital.api);
      assert.deepEqual(messages.find(({ event }) => event === "ADT^A40")!.uncertain, {
        ids: ["P-3 (HOSP)"],
        prior_ids: ["P-1 (OTHER)"],
        doubt: "two_authorities",
      });
      await send({ event: "A40", id: "P-3^^^HOSP^MR", prior: "P-1^^^HOSP^MR" });
      // the merge is older than the update, so the identity is taken from the update
      await untilEqual(async () => (await patients())[0], "1 P-3 True Name");
    }),
);

databaseTest(
  "a merge moves studies with their later images, and its undo moves them back",
  (database) =>
    withHospital(database, async (hospital) => {
      const { api, db, send, patients } = hospital;
      await db.insertInto("longitudinal").values({
        patient_id: "P-1",
        first_pid: 1,
        visits: "[]",
        status: "completed",
        engine_version: null,
        results: null,
        error_code: null,
        finished_at: "2026-01-06T00:00:00Z",
      }).execute();
      const person = { name: "One^Person", birth: "19600520" };
      await send({ event: "A40", id: "P-3", prior: "P-1", ...person });
      const merged = ["1 P-3 One Person", "2 P-3 One Person", "3 P-3 One Person"];
      await untilEqual(patients, merged);
      assert.deepEqual(await db.selectFrom("longitudinal").select("patient_id").execute(), []);
      assert.equal((await getPatientRow(api, 1)).history_count, 3);
      // new images with the former ID are filed under P-3, unless the date of birth differs
      await db.transaction().execute(async (tx) => {
        for (const [n, birthDate] of [[4, "1960-05-20"], [5, "1999-09-09"]] as const) {
          const study = { ...newStudy(n), patientId: "P-1", birthDate };
          await followMerges(tx, await insertPatient(tx, study));
        }
      });
      assert.deepEqual((await patients()).slice(3), ["4 P-3 One Person", "5 P-1 Name 5"]);
      const page = await getConnections(api), [merge] = page.merges;
      assert.ok(page.log.some(({ event }) => event === "merge_doubted"));
      assert.deepEqual([merge!.prior_id, merge!.patient_id, merge!.pids], ["P-1", "P-3", [
        1,
        2,
        4,
      ]]);
      assert.ok(merge!.undo_until !== null);
      // a later merge of P-3 must be undone first
      await send({ event: "A47", id: "P-7", prior: "P-3" });
      await untilEqual(async () => (await patients())[0], "1 P-7 One Person");
      await assert.rejects(undoMerge(api, merge!.id), { code: "merge.not_undoable" });
      const [later] = (await getConnections(api)).merges;
      await undoMerge(api, later!.id);
      await undoMerge(api, merge!.id);
      assert.deepEqual(await patients(), [
        "1 P-1 Name 1",
        "2 P-1 Name 1",
        "3 P-3 One Person",
        "4 P-1 Name 4",
        "5 P-1 Name 5",
      ]);
      await assert.rejects(undoMerge(api, merge!.id), { code: "merge.not_undoable" });
      const audited = await db.selectFrom("audit").select(["event", "pid"])
        .where("event", "in", ["patient.merge", "patient.separate"]).orderBy("seq").execute();
      assert.deepEqual(
        audited.map(({ event, pid }) => `${event} ${pid}`).sort(),
        [
          ...[1, 2, 3, 1, 2, 3, 4].map((pid) => `patient.merge ${pid}`),
          ...[1, 2, 3, 4, 1, 2, 4].map((pid) => `patient.separate ${pid}`),
        ].sort(),
      );
    }),
);

databaseTest(
  "messages wait for an edit and behind each other; those that are uncertain are applied again or dropped",
  (database) =>
    withHospital(database, async (hospital) => {
      const { api, db, send, patients } = hospital;
      await claimEdit(api, 1);
      await send({ id: "P-1", name: "First" });
      await send({ event: "A40", id: "P-3", prior: "P-1" });
      await send({ id: "P-3", name: "Last" });
      // a message that arrives after the others, about a patient without studies
      const unknown = async () =>
        (await stateOf(hospital)).filter((state) => state === "ignored no_study").length;
      await send({ id: "P-9", name: "Not^Here" });
      await untilEqual(unknown, 1);
      assert.ok((await stateOf(hospital)).includes("waiting study.being_edited"));
      assert.deepEqual(await patients(), ["1 P-1 Name 1", "2 P-1 Name 1", "3 P-3 Name 3"]);
      await releaseEdit(api, 1);
      await untilEqual(patients, ["1 P-3 Last", "2 P-3 Last", "3 P-3 Last"]);
      // two identifiers, neither of which is marked as the medical record number
      await send({ id: "P-3~8^^^LAB", name: "Uncertain" });
      await until(async () => (await stateOf(hospital)).includes("failed id_uncertain"));
      const failed = (await getConnections(api)).messages.find(({ state }) => state === "failed")!;
      const uncertain = { ids: ["P-3", "8 (LAB)"], prior_ids: [], doubt: "authority" };
      assert.deepEqual(failed.uncertain, uncertain);
      const { peers: [peer] } = await getConnections(api);
      const config = { ...peer!.config, id_authority: "LAB" };
      await savePeer(api, peer!.id, { name: "HIS", kind: "hl7", config });
      await repeatMessage(api, failed.id);
      await untilEqual(unknown, 2);
      await assert.rejects(repeatMessage(api, failed.id), { code: "entity.not_found" });
      await savePeer(api, peer!.id, { name: "HIS", kind: "hl7", config: peer!.config });
      await send({ event: "A40", id: "P-3~8^^^LAB", prior: "9" });
      await until(async () => (await stateOf(hospital)).includes("failed id_uncertain"));
      const merge = (await getConnections(api)).messages.find(({ state }) => state === "failed")!;
      await dropMessage(api, merge.id);
      assert.ok((await stateOf(hospital)).includes("dropped id_uncertain"));
      await assert.rejects(dropMessage(api, merge.id), { code: "entity.not_found" });
      const { n } = await db.selectFrom("hl7_messages").select((e) => e.fn.countAll().as("n"))
        .executeTakeFirstOrThrow();
      assert.equal(Number(n), 7);
    }),
);

databaseTest(
  "an update of an ID that two people share changes the person that it names, and a merge neither",
  (database) =>
    withHospital(database, async (hospital) => {
      const { db, send, patients } = hospital;
      await insertPatient(db, { ...newStudy(4), patientId: "P-1", birthDate: "1999-09-09" });
      const outcomes = async (event: string, count: number) => {
        await until(async () => {
          const states = await stateOf(hospital, event);
          return states.length === count && !states.some((state) => state.startsWith("waiting"));
        });
        return (await stateOf(hospital, event)).sort();
      };
      await send({ id: "P-1", name: "Named", birth: "19600520" });
      assert.deepEqual(await outcomes("A08", 1), ["applied"]);
      const named = ["1 P-1 Named", "2 P-1 Named", "3 P-3 Name 3", "4 P-1 Name 4"];
      assert.deepEqual(await patients(), named);
      await send({ id: "P-1", name: "Either" });
      assert.deepEqual(await outcomes("A08", 2), ["applied", "failed several_people"]);
      await send({ event: "A40", id: "P-3", prior: "P-1", name: "One^Person" });
      assert.deepEqual(await outcomes("A40", 1), ["failed several_people"]);
      assert.deepEqual(await patients(), named);
    }),
);

databaseTest(
  "an HL7 system without addresses may not send",
  (database) =>
    withCore(
      async ({ api }) => {
        const config = { may_send: true };
        await assert.rejects(savePeer(api, null, { name: "HIS", kind: "hl7", config }), {
          code: "input.invalid",
        });
      },
      {},
      database,
    ),
);

databaseTest(
  "a merge of analysed studies sends their results again, and search and history have the new ID",
  (database) =>
    withHospital(database, async (hospital) => {
      const { api, db, dataDir, send, patients } = hospital;
      for (const pid of [1, 3]) await setCompleted(dataDir, pid, "2026-01-06T01:00:00Z");
      const config = { host: "127.0.0.1", port: 9, results: ["hl7" as const] };
      const peerId = await savePeer(api, null, { name: "EHR", kind: "hl7", config });
      const { t1_analysis_id } = await db.selectFrom("patients").select("t1_analysis_id")
        .where("pid", "=", 1).executeTakeFirstOrThrow();
      const entry = { peerId, pid: 1, run: String(t1_analysis_id), kind: "hl7" };
      await insertOutbox(db, [entry], "2026-01-06T01:00:00Z");
      await db.updateTable("outbox").set({ state: "sent" }).execute();
      await send({ event: "A40", id: "P-3", prior: "P-1" });
      await untilEqual(patients, ["1 P-3 Name 1", "2 P-3 Name 1", "3 P-3 Name 3"]);
      const sent = await db.selectFrom("outbox").select(["pid", "state", "run"]).orderBy("id")
        .execute();
      assert.deepEqual(sent.map(({ pid, state }) => [pid, state]), [[1, "sent"], [1, "waiting"]]);
      assert.notEqual(sent[0]!.run, sent[1]!.run);
      const found = async (search_string: string) =>
        (await listPatients(api, { search_string })).patients.map(({ pid }) => pid).sort();
      await untilEqual(() => found("P-3"), [1, 2, 3]);
      assert.deepEqual(await found("P-1"), []);
      assert.deepEqual((await getHistory(api, 1)).history.map(({ pid }) => pid).sort(), [1, 2, 3]);
      const [merge] = (await getConnections(api)).merges;
      await undoMerge(api, merge!.id);
      await untilEqual(() => found("P-1"), [1, 2]);
      const runs = await db.selectFrom("outbox").select("run").where("state", "=", "waiting")
        .execute();
      assert.equal(runs.length, 1);
      assert.ok(runs[0]!.run !== sent[0]!.run && runs[0]!.run !== sent[1]!.run);
    }),
);

Deno.test({
  name:
    `messages that hl7apy makes and validates are applied; it validates the answers ${noPython}`,
  ignore: noPython !== "",
  fn: () =>
    withHospital(
      { url: null, open: () => Promise.reject(new Error("not used")) },
      async (hospital) => {
        await using sender = await startPython<string[]>("hl7apy_sender.py", String(hospital.port));
        await until(() => sender.said().length === 3);
        assert.deepEqual(
          sender.said(),
          ["A1", "A2", "A3"].map((control) => ["ACK", "AA", control]),
        );
        await untilEqual(
          hospital.patients,
          [1, 2, 3].map((pid) => `${pid} P-5 Müller Jane`),
        );
        const first = await hospital.db.selectFrom("identity_changes").select("after").orderBy("id")
          .executeTakeFirstOrThrow();
        assert.equal(JSON.parse(first.after).patientName, "김 민수");
      },
    ),
});
