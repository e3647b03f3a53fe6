// covers: S-203, S-204, S-205
// Orders of the hospital information system: rows of the worklist until their images arrive.
import assert from "node:assert/strict";
import { getConnections, savePeer, undoMerge } from "@/client/api/connections/connections.ts";
import {
  deletePatient,
  getListCounts,
  getPatientRow,
  listPatients,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { forgetOrders } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import type { Api } from "@/client/api/http.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { headersCatchUp } from "@/server/core/studies/service/headers/series_headers.ts";
import type { Database } from "@/server/core/database/database.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";
import { Hl7Sender } from "@/tests/sites/connections/hl7_sender.ts";
import { adt, order, type OrderFields } from "@/tests/sites/connections/hl7_messages.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { studyFiles } from "@/tests/sites/dicom_study.ts";
import { withAccession } from "@/tests/sites/phantom_series.ts";
import { until, untilEqual } from "@/tests/sites/until.ts";

/**
 * Uploads images of a study, with accession numbers of the T1w and the FLAIR series; absent: not it.
 * @returns its number.
 */
async function upload(
  api: Api,
  { patientId, birthDate, studyDate }: { patientId: string; birthDate: string; studyDate: string },
  accessions: readonly (string | undefined)[],
): Promise<number> {
  const patient = {
    ...KOREAN_PATIENT,
    patientId,
    birthDate: birthDate.replaceAll("-", ""),
    studyDate,
  };
  const files = studyFiles({ patient }).flatMap(({ fileName, bytes }) => {
    const accession = accessions[fileName.startsWith("t1") ? 0 : 1];
    if (accession === undefined) return [];
    return [{ fileName, bytes: accession === "" ? bytes : withAccession(bytes, accession) }];
  });
  const { pid_list, failed } = await uploadFiles(api, files);
  assert.deepEqual([pid_list.length, failed], [1, []]);
  return pid_list[0]!;
}

interface Hospital extends TestCore {
  db: Database;
  /** Sends a message, which must be accepted, and waits until it was applied. */
  send(message: string): Promise<void>;
  order(fields: Partial<OrderFields>): Promise<void>;
  /** Stores a study as its images arrive. @returns its number. */
  images(patientId: string, accession: string, birthDate?: string): Promise<number>;
  /** rows of the page: order or study, patient, procedure and mark */
  rows(): Promise<string[]>;
}

async function withHospital(
  database: TestDatabase,
  body: (hospital: Hospital) => Promise<void>,
): Promise<void> {
  const gate = new LateGate();
  await withCore(
    async (test) => {
      const { api, dataDir } = test;
      const open = await gate.open(dataDir), db = await openBeside(dataDir);
      // a study with a waiting analysis takes no further series
      await db.insertInto("settings").values({
        scope: "user:1",
        key: "auto_analyze",
        value: "false",
      }).execute();
      const config = { may_send: true, addresses: ["127.0.0.1"] };
      await savePeer(api, null, { name: "RIS", kind: "hl7", config });
      const sender = await until(async () => {
        const one = await Hl7Sender.connect(open.hl7Port!);
        if (await one.send(adt({ event: "A03", id: "", control: "0" })).catch(() => null)) {
          return one;
        }
        one.close();
      });
      let sent = 1, studies = 0;
      const send = async (message: string) => {
        assert.equal(await sender.send(message), "AA");
        sent++;
        await until(async () => {
          const { n } = await db.selectFrom("hl7_messages").select((e) => e.fn.countAll().as("n"))
            .where("state", "!=", "waiting").executeTakeFirstOrThrow();
          return Number(n) >= sent;
        });
      };
      const images = async (patientId: string, accession: string, birthDate = "1950-05-20") => {
        const study = { ...newStudy(++studies), patientId, birthDate };
        // at once: the server looks for accession numbers of studies without one
        return await db.transaction().execute(async (tx) => {
          const pid = await insertPatient(tx, study);
          await noteAccession(tx, pid, accession);
          return pid;
        });
      };
      const rows = async () =>
        (await listPatients(api, { orders: true, page_size: 50, sort_direction: "asc" })).patients
          .map((row) =>
            [
              row.pid > 0 ? row.pid : "order",
              row.patient_id,
              row.order?.procedure ?? "-",
              row.is_accession_doubted ? "doubted" : "",
            ].join(" ").trim()
          );
      try {
        await body({
          ...test,
          db,
          send,
          order: (fields) => send(order({ control: `O${sent}`, ...fields })),
          images,
          rows,
        });
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

/** Runs the catch-up of headers, as after an upgrade, until it is over. */
async function readHeaders(dataDir: string): Promise<void> {
  const db = await openBeside(dataDir),
    blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true });
  const services = { db, blobs, log: () => {}, publish: () => {} } as unknown as ServiceContext;
  const later = new CatchUp([headersCatchUp(services)], () => {});
  later.begin();
  await until(() => later.waiting === 0);
  await later.close();
  await db.destroy();
}

const reasonsOf = async ({ api }: Hospital) =>
  (await getConnections(api)).messages.filter(({ event }) => !event.startsWith("ADT"))
    .map(({ state, reason }) => [state, reason].filter(Boolean).join(" "));

databaseTest(
  "an order is a row until its images arrive, then the study has its procedure and physician",
  (database) =>
    withHospital(database, async (hospital) => {
      const { api, images, rows } = hospital;
      const other = await images("P-9", "OTHER");
      await hospital.order({
        id: "P-1",
        name: "Kim^Minsu",
        accession: "A1",
        procedure: "MRI brain",
        referrer: "Lee^Jiwon",
        planned: "202603021030",
      });
      assert.deepEqual(await rows(), [`${other} P-9 -`, "order P-1 MRI brain"]);
      const [, row] = (await listPatients(api, {
        orders: true,
        sort_direction: "asc",
      })).patients;
      assert.ok(row!.pid < 0);
      assert.equal(row!.patient_name, "Kim Minsu");
      assert.deepEqual(row!.order, {
        accession_number: "A1",
        procedure: "MRI brain",
        referring_physician: "Lee Jiwon",
        planned_on: "2026-03-02",
      });
      // no study: in no list that does not ask for it, no number and no state of studies
      assert.equal((await listPatients(api)).total, 1);
      const counts = await getListCounts(api);
      assert.deepEqual([counts.ordered, counts.new, counts.waiting], [1, 0, 0]);
      const inState = async (state: "ordered" | "new") =>
        (await listPatients(api, { orders: true, state })).patients.map(({ pid }) => pid > 0);
      assert.deepEqual([await inState("ordered"), await inState("new")], [[false], []]);
      assert.equal((await listPatients(api, { state: "ordered" })).total, 0);
      const found = await listPatients(api, { orders: true, search_string: "A1" });
      assert.deepEqual([found.total, found.ordered], [1, 1]);
      await assert.rejects(getPatientRow(api, row!.pid), { code: "entity.not_found" });

      const pid = await images("P-1", "A1");
      assert.deepEqual(await rows(), [`${other} P-9 -`, `${pid} P-1 MRI brain`]);
      assert.equal((await getPatientRow(api, pid)).order!.referring_physician, "Lee Jiwon");
      // a late change is written into the study; a late cancellation leaves it
      await hospital.order({ id: "P-1", accession: "A1", code: "XO", procedure: "MRI head" });
      await hospital.order({ id: "P-1", accession: "A1", code: "CA" });
      assert.deepEqual(await rows(), [`${other} P-9 -`, `${pid} P-1 MRI head`]);
      assert.deepEqual(await reasonsOf(hospital), ["applied order_arrived", "applied", "applied"]);
      // a deleted study does not come back as an order
      await deletePatient(api, pid);
      assert.deepEqual(await rows(), [`${other} P-9 -`]);
    }),
);

databaseTest(
  "images of another patient under an accession number are never joined, and both are marked",
  (database) =>
    withHospital(database, async ({ images, rows, order }) => {
      await order({ id: "P-1", accession: "A1", procedure: "Brain" });
      const other = await images("P-2", "A1");
      assert.deepEqual(await rows(), ["order P-1 Brain doubted", `${other} P-2 - doubted`]);
      // the same ID with another birth date is another person
      await order({ id: "P-3", accession: "A3", procedure: "Brain", birth: "19800101" });
      const namesake = await images("P-3", "A3", "1950-05-20");
      assert.deepEqual((await rows()).slice(2), [
        "order P-3 Brain doubted",
        `${namesake} P-3 - doubted`,
      ]);
      // two orders of two patients under one number
      await order({ id: "P-4", accession: "A4" });
      await order({ id: "P-5", accession: "A4" });
      assert.deepEqual((await rows()).slice(4), [
        "order P-4 MRI doubted",
        "order P-5 MRI doubted",
      ]);
      // without a patient ID in the images there is no proof either
      await order({ id: "P-6", accession: "A6" });
      const nameless = await images("", "A6");
      assert.deepEqual((await rows()).slice(6), [
        "order P-6 MRI doubted",
        `${nameless}  - doubted`,
      ]);
    }),
);

databaseTest(
  "orders are changed and canceled by their number, also late and out of order",
  (database) =>
    withHospital(database, async (hospital) => {
      const { rows, order, images, api } = hospital;
      await order({
        id: "P-1",
        accession: "A1",
        number: "N1",
        procedure: "Brain",
        at: "202603011200",
      });
      await order({
        id: "P-1",
        accession: "A1",
        number: "N2",
        procedure: "MRA",
        at: "202603011201",
      });
      assert.deepEqual(await rows(), ["order P-1 Brain / MRA"]);
      await order({ id: "P-1", accession: "A1", number: "N1", code: "CA", at: "202603011300" });
      assert.deepEqual(await rows(), ["order P-1 MRA"]);
      // older than the cancellation
      await order({ id: "P-1", accession: "A1", number: "N1", code: "XO", at: "202603011259" });
      assert.deepEqual(await rows(), ["order P-1 MRA"]);
      // by the order number alone, as some systems cancel
      await order({ id: "P-1", accession: "", number: "N2", code: "DC", at: "202603011400" });
      assert.deepEqual(await rows(), []);
      assert.equal((await getListCounts(api)).ordered, 0);
      // a cancellation that comes before its order
      await order({ id: "P-2", accession: "A2", code: "OC", at: "202603011500" });
      await order({ id: "P-2", accession: "A2", at: "202603011400" });
      // another patient's order is not canceled
      await order({ id: "P-3", accession: "A3" });
      await order({ id: "P-4", accession: "A3", code: "CA" });
      // not for MRI, and a notification of a status
      await order({ id: "P-5", accession: "A5", modality: "CT" });
      await order({ id: "P-5", accession: "A5", code: "SC" });
      assert.deepEqual(await rows(), ["order P-3 MRI"]);
      assert.deepEqual((await reasonsOf(hospital)).toReversed(), [
        "applied",
        "applied",
        "applied",
        "ignored older",
        "applied",
        "ignored no_order",
        "ignored older",
        "applied",
        "ignored no_order",
        "ignored other_modality",
        "ignored no_change",
      ]);
      // images of a canceled order are a study without it
      const pid = await images("P-2", "A2");
      assert.deepEqual(await rows(), ["order P-3 MRI", `${pid} P-2 -`]);
    }),
);

databaseTest(
  "orders follow renames and merges, and an undone merge; those without images expire",
  (database) =>
    withHospital(database, async (hospital) => {
      const { rows, order, send, images, api, db } = hospital;
      await order({ id: "P-1", accession: "A1", name: "Old^Name" });
      await send(adt({ event: "A08", id: "P-1", control: "U1", name: "New^Name" }));
      const nameOf = async () =>
        (await listPatients(api, { orders: true })).patients[0]!.patient_name;
      assert.equal(await nameOf(), "New Name");
      await send(adt({ event: "A40", id: "P-2", prior: "P-1", control: "U2", name: "New^Name" }));
      assert.deepEqual(await rows(), ["order P-2 MRI"]);
      // an order under the former ID is of the same patient
      await order({ id: "P-1", accession: "A2", at: "202603011300" });
      const pid = await images("P-2", "A1");
      assert.deepEqual(await rows(), ["order P-2 MRI", `${pid} P-2 MRI`]);
      const [merge] = (await getConnections(api)).merges;
      await undoMerge(api, merge!.id);
      // the images came under the new ID and stay there: they are not of the order's patient
      await untilEqual(rows, [
        "order P-1 MRI doubted",
        "order P-1 MRI",
        `${pid} P-2 - doubted`,
      ]);
      const after = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      assert.equal(await forgetOrders(db, after(29)), 0);
      assert.equal(await forgetOrders(db, after(31)), 2);
      assert.deepEqual(await rows(), [`${pid} P-2 -`]);
    }),
);

databaseTest(
  "images are joined by whichever series has the accession number, also in the catch-up",
  (database) =>
    withHospital(database, async ({ api, dataDir, db, order, rows, events }) => {
      const study = { patientId: "P-1", birthDate: "1950-05-20", studyDate: "20260105" };
      await order({ id: "P-1", accession: "A-1", procedure: "Brain" });
      const pid = await upload(api, study, [""]);
      assert.deepEqual(await rows(), ["order P-1 Brain", `${pid} P-1 -`]);
      // the images and the modality worklist had none
      await db.updateTable("patients").set({ accession_number: "" }).execute();
      const announced = () => events.filter(({ event }) => event.event === "study_orders").length;
      const before = announced();
      assert.equal(await upload(api, study, [undefined, "A-1"]), pid);
      assert.deepEqual(await rows(), [`${pid} P-1 Brain`]);
      assert.ok(announced() > before);
      // as an earlier version left the site: no header read, no order joined
      await db.deleteFrom("series_headers").execute();
      await db.updateTable("patients").set({
        accession_number: null,
        ordered_procedure: null,
        referring_physician: null,
      }).execute();
      await db.updateTable("hospital_orders").set({ state: "ordered", pid: null }).execute();
      await readHeaders(dataDir);
      assert.deepEqual(await rows(), [`${pid} P-1 Brain`]);
      // most often the first upload has the number
      await order({ id: "P-2", accession: "B-1", procedure: "Head" });
      const other = await upload(api, { ...study, patientId: "P-2" }, ["B-1"]);
      assert.deepEqual(await rows(), [`${pid} P-1 Brain`, `${other} P-2 Head`]);
    }),
);

Deno.test("an accession number of a study is written in one place, which joins its orders", async () => {
  const calls = (text: string, name: string) => text.includes(`${name}(`);
  const writers: string[] = [], callers: string[] = [], savers: string[] = [];
  const args = ["ls-files", "-co", "--exclude-standard", "server"];
  const { stdout } = await new Deno.Command("git", { args }).output();
  for (const path of new TextDecoder().decode(stdout).split("\n")) {
    if (!path.endsWith(".ts") || path.endsWith("_test.ts")) continue;
    const text = await Deno.readTextFile(path), name = path.split("/").at(-1)!;
    const updates = text.matchAll(/updateTable\("patients"\)[^;]*/g);
    if ([...updates].some(([update]) => update.includes("accession_number:"))) writers.push(name);
    if (calls(text, "setAccession")) callers.push(name);
    if (calls(text, "saveSeriesHeader")) savers.push(name);
  }
  assert.deepEqual(writers, ["ordered_studies.ts"]);
  assert.deepEqual(callers.toSorted(), ["match_orders.ts", "ordered_studies.ts"]);
  // the header of a series may bring the number: only the service that notes it may save one
  assert.deepEqual(savers, ["series_headers.ts", "series_headers.ts"]);
});
