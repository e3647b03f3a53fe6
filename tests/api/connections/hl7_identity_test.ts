// covers: S-144, S-145, S-204
// Orders and studies show the identity that the hospital's system last gave for their patient ID.
import assert from "node:assert/strict";
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

const OLD = { name: "Old^Name", birth: "19500101" }, NEW = { name: "New^Name", birth: "19510202" };

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
    const older = { name: "Older^Name", birth: "19490303", at: "202603011200" };
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
    await send(message({ event: "A40", id: "P-2", prior: "P-1", name: "New^Name" }));
    await order({ id: "P-1", accession: "A1", ...OLD, at: "202603011300" });
    await order({ id: "P-2", accession: "A2", ...OLD, at: "202603011100" });
    assert.deepEqual(await orders(db), [
      "P-2 New Name 1950-01-01",
      "P-2 New Name 1950-01-01",
    ]);
    // a newer order under the valid ID repeats what the hospital's system says now
    await order({ id: "P-2", accession: "A3", name: "Third^Name", at: "202603011400" });
    assert.equal((await orders(db))[2], "P-2 Third Name");
  },
);

messagesTest(
  "an order of a second person under a former ID waits with its reason",
  async ({ db, order, send }) => {
    await send(message({ event: "A40", id: "P-2", prior: "P-1", ...NEW }));
    await order({ id: "P-1", accession: "A1", name: "Other^Person", birth: "19990909" });
    assert.deepEqual(await orders(db), []);
    const last = await db.selectFrom("hl7_messages").select(["state", "reason"])
      .orderBy("id", "desc").executeTakeFirstOrThrow();
    assert.deepEqual(last, { state: "failed", reason: "merged_id" });
  },
);
