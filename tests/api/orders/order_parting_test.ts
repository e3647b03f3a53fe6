// covers: S-204, S-206
// Orders that are matched with uploaded images, or separated from a study, message by message.
import assert from "node:assert/strict";
import { moveOrdersBack } from "@/server/core/connections/service/hl7/patient_orders.ts";
import { mergesFrom } from "@/server/core/connections/storage/patient_merges.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { updatePatient } from "@/server/core/studies/service/patient_edit.ts";
import { forgetOrders } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { ingest } from "@/server/core/studies/service/ingest.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { studyFiles } from "@/tests/sites/dicom_study.ts";
import { withAccession } from "@/tests/sites/phantom_series.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";

messagesTest(
  "a cancellation by order number alone takes its procedure from the study",
  async ({ order, images, procedure }) => {
    await order({ number: "N1", procedure: "Brain", at: "202603011200" });
    await order({ number: "N2", procedure: "MRA", at: "202603011201" });
    await images();
    assert.equal(await procedure(), "Brain / MRA");
    await order({ accession: "", number: "N1", code: "CA", at: "202603011300" });
    assert.equal(await procedure(), "MRA");
  },
);

messagesTest(
  "a study that goes to another patient leaves the procedure of an order that has expired",
  async ({ db, order, images, procedure }) => {
    await order({ procedure: "Brain", referrer: "Lee^Jiwon" });
    const pid = await images();
    assert.equal(await procedure(), "Brain");
    await forgetOrders(db, new Date(Date.now() + 31 * 86_400_000).toISOString());
    const row = await db.selectFrom("patients").selectAll().executeTakeFirstOrThrow();
    const edit = (patientId: string, name: string) =>
      updatePatient(
        { db, publish() {}, log() {}, wakeJobs() {} } as unknown as ServiceContext,
        pid,
        {
          patient_id: patientId,
          patient_name: name,
          patient_birthdate: row.patient_birthdate!,
          patient_sex: row.patient_sex!,
          study_date: row.study_date!,
        },
        { uid: 1, role: "admin" } as unknown as Caller,
      );
    await edit("P-1", "Another spelling");
    assert.equal(await procedure(), "Brain", "the same patient");
    await edit("P-2", "Another spelling");
    const { ordered_procedure, referring_physician } = await db.selectFrom("patients").selectAll()
      .executeTakeFirstOrThrow();
    assert.deepEqual([ordered_procedure, referring_physician], [null, null]);
  },
);

messagesTest(
  "an undone merge takes back orders that came under the former ID, and none of the valid one's",
  async ({ db, send, order }) => {
    await order({ id: "P-2", accession: "A2", number: "N1", at: "202603011200" });
    await send(adt({ event: "A40", id: "P-2", prior: "P-1", control: "M1" }));
    // under the former ID: a change of this order, and a separate order
    await order({ id: "P-1", accession: "A2", number: "N1", code: "XO", at: "202603011300" });
    await order({ id: "P-1", accession: "A3", at: "202603011301" });
    const [merge] = await mergesFrom(db, "P-1");
    assert.deepEqual(await moveOrdersBack(db, merge!), ["A3"]);
    const orders = await db.selectFrom("hospital_orders").select(["accession_number", "patient_id"])
      .orderBy("id").execute();
    assert.deepEqual(orders.map((one) => [one.accession_number, one.patient_id]), [
      ["A2", "P-2"],
      ["A3", "P-1"],
    ]);
  },
);

messagesTest(
  "uploaded files with the accession number of an order are joined with it in the same step",
  async ({ db, order }) => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-test-" });
    const events: string[] = [];
    const services = {
      db,
      dataDir,
      blobs: new DiskBlobs(`${dataDir}/blobs`),
      log() {},
      wakeJobs() {},
      publish: ({ event }: { event: string }) => void events.push(event),
    } as unknown as ServiceContext;
    const upload = async (patientId: string, accession: string, contrast: "t1" | "flair") => {
      const patient = { ...KOREAN_PATIENT, patientId };
      const files = studyFiles({ patient }).filter(({ fileName }) => fileName.startsWith(contrast))
        .map(({ fileName, bytes }) => ({
          fileName,
          body: ReadableStream.from([accession ? withAccession(bytes, accession) : bytes]),
        }));
      const sent = { files: ReadableStream.from(files), seriesType: () => undefined, sizeBytes: 0 };
      const { failed } = await ingest(services, { uid: null, isAnalyzed: false }, sent);
      assert.deepEqual(failed, []);
    };
    const studies = async () =>
      (await db.selectFrom("patients").selectAll().orderBy("pid").execute())
        .map((row) => [row.accession_number, row.ordered_procedure, row.referring_physician]);
    const states = async () =>
      (await db.selectFrom("hospital_orders").select("state").orderBy("id").execute())
        .map(({ state }) => state);
    try {
      await order({ accession: "A-1", procedure: "Brain", referrer: "Lee^Jiwon" });
      await upload("P-1", "A-1", "t1");
      assert.deepEqual(await studies(), [["A-1", "Brain", "Lee Jiwon"]]);
      assert.deepEqual(await states(), ["arrived"]);
      assert.ok(events.includes("study_orders") && events.includes("study_update"));
      // a later series contains the accession number, which the earlier series did not
      await order({ id: "P-2", accession: "B-1", procedure: "Head" });
      await upload("P-2", "", "t1");
      await db.updateTable("patients").set({ accession_number: "" }).where("patient_id", "=", "P-2")
        .execute();
      assert.deepEqual(await states(), ["arrived", "ordered"]);
      await upload("P-2", "B-1", "flair");
      assert.deepEqual((await studies())[1], ["B-1", "Head", null]);
      assert.deepEqual(await states(), ["arrived", "arrived"]);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
);
