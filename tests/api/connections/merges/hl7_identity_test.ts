// covers: S-144, S-145, S-204
// Orders and studies show the identity that the hospital's system last gave for their patient ID.
import assert from "node:assert/strict";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { orderRows } from "@/server/core/studies/service/orders/order_rows.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt, type AdtFields } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

let sent = 0;
const message = (fields: Partial<AdtFields> & { id: string }) =>
  adt({ event: "A08", control: `I${++sent}`, ...fields });

/** Rows of orders: patient, birth date and whether the accession number is doubtful. */
async function orders(db: Database): Promise<string[]> {
  const ids = await db.selectFrom("hospital_orders").select("id").orderBy("id").execute();
  return (await orderRows(db, ids.map(({ id }) => id))).map((row) =>
    [
      row.patient_id,
      row.patient_name,
      row.patient_birthdate,
      row.is_accession_doubted ? "doubted" : "",
    ].filter(Boolean).join(" ")
  );
}

const studies = async (db: Database) =>
  (await readStudies(db)).map(({ id, name, birth, procedure }) =>
    [id, name, birth, procedure].filter(Boolean).join(" ")
  );

/** Stores a study of a patient, with an accession number. @returns its number. */
const images = (db: Database, n: number, patientId: string, birthDate: string, accession = "") =>
  db.transaction().execute(async (tx) => {
    const pid = await insertPatient(tx, { ...newStudy(n), patientId, birthDate });
    await noteAccession(tx, pid, accession);
    return pid;
  });

const OLD = { name: "Old Name", birth: "19500101" }, NEW = { name: "New Name", birth: "19510202" };

messagesTest(
  "an order of a merged patient has the survivor's identity, and its number is of one patient",
  async ({ db, order, send }) => {
    await order({ id: "P-1", accession: "A1", procedure: "Brain", ...OLD });
    await order({ id: "P-1", accession: "A2", ...OLD });
    await images(db, 1, "P-2", "1951-02-02", "A1");
    assert.deepEqual(await orders(db), [
      "P-1 Old Name 1950-01-01 doubted",
      "P-1 Old Name 1950-01-01",
    ]);
    await send(message({ event: "A40", id: "P-2", prior: "P-1", ...NEW }));
    assert.deepEqual(await orders(db), ["P-2 New Name 1951-02-02"]);
    assert.deepEqual(await studies(db), ["P-2 New Name 1951-02-02 Brain"]);
  },
);

messagesTest(
  "a merge that is older than the survivor's update gives the identity of the update",
  async ({ db, order, send }) => {
    await order({ id: "P-1", accession: "A1", ...OLD });
    await images(db, 1, "P-1", "1950-01-01");
    await images(db, 2, "P-2", "1951-02-02", "A1");
    await send(message({ id: "P-2", ...NEW, at: "202603011300" }));
    const older = { name: "Older Name", birth: "19490303", at: "202603011200" };
    await send(message({ event: "A47", id: "P-2", prior: "P-1", ...older }));
    assert.deepEqual(await orders(db), []);
    assert.deepEqual(await studies(db), [
      "P-2 New Name 1951-02-02",
      "P-2 New Name 1951-02-02 MRI",
    ]);
  },
);

messagesTest(
  "an order that comes after the merge, under the former ID or late, has the survivor's identity",
  async ({ db, order, send }) => {
    await send(message({ event: "A40", id: "P-2", prior: "P-1", name: "New Name" }));
    await order({ id: "P-1", accession: "A1", ...OLD, at: "202603011300" });
    await order({ id: "P-2", accession: "A2", ...OLD, at: "202603011100" });
    assert.deepEqual(await orders(db), [
      "P-2 New Name 1950-01-01",
      "P-2 New Name 1950-01-01",
    ]);
    // a newer order under the valid ID repeats what the hospital's system says now
    await order({ id: "P-2", accession: "A3", name: "Third Name", at: "202603011400" });
    assert.equal((await orders(db))[2], "P-2 Third Name");
  },
);

messagesTest(
  "an order of a second person under a former ID waits with its reason",
  async ({ db, order, send }) => {
    await send(message({ event: "A40", id: "P-2", prior: "P-1", ...NEW }));
    await order({ id: "P-1", accession: "A1", name: "Other Person", birth: "19990909" });
    assert.deepEqual(await orders(db), []);
    const last = await db.selectFrom("hl7_messages").select(["state", "reason"])
      .orderBy("id", "desc").executeTakeFirstOrThrow();
    assert.deepEqual(last, { state: "failed", reason: "merged_id" });
  },
);

messagesTest(
  "images that come under an old name after an update have the newest identity and its mark",
  async ({ db, send }) => {
    const arrive = (n: number, patientId: string, birthDate: string | null) =>
      db.transaction().execute(async (tx) => {
        const pid = await insertPatient(tx, { ...newStudy(n), patientId, birthDate });
        await followMerges(tx, pid);
        return pid;
      });
    const marks = async () =>
      (await db.selectFrom("patients").select("hospital_at").orderBy("pid").execute())
        .map((row) => row.hospital_at !== null);
    await send(message({ id: "P-1", ...NEW }));
    await arrive(1, "P-1", null);
    // perhaps a second person with the same ID
    await arrive(2, "P-3", "1999-09-09");
    await send(message({ id: "P-3", ...NEW, birth: "19990909" }));
    await arrive(3, "P-3", "1951-02-02");
    assert.deepEqual(await studies(db), [
      "P-1 New Name 1951-02-02",
      "P-3 New Name 1999-09-09",
      "P-3 Name 3 1951-02-02",
    ]);
    assert.deepEqual(await marks(), [true, true, false]);
    // under a former ID, and as the user typed it after the update
    await send(message({ event: "A40", id: "P-5", prior: "P-1", name: "Last Name" }));
    await arrive(4, "P-1", null);
    assert.equal((await studies(db))[3], "P-5 Last Name 1951-02-02");
    await db.updateTable("patients").set({
      patient_name: "Typed",
      edited_at: "2999-01-01T00:00:00Z",
    })
      .where("pid", "=", 4).execute();
    await db.transaction().execute((tx) => followMerges(tx, 4));
    assert.equal((await studies(db))[3], "P-5 Typed 1951-02-02");
  },
);
