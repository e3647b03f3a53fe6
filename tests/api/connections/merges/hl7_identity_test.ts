// covers: S-144, S-145, S-204
// Orders and studies show the newest identity in the hospital's messages about the patient ID.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { orderRows } from "@/server/core/studies/service/orders/order_rows.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { forgetMessages } from "@/server/core/connections/storage/hl7_messages.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
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
/** The same person under another name. */
const FORMER = { ...OLD, birth: NEW.birth };

messagesTest(
  "an order of a merged patient has the survivor's identity, and its number is of one patient",
  async ({ db, order, send }) => {
    await order({ id: "P-1", accession: "A1", procedure: "Brain", ...FORMER });
    await order({ id: "P-1", accession: "A2", ...FORMER });
    await images(db, 1, "P-2", "1951-02-02", "A1");
    assert.deepEqual(await orders(db), [
      "P-1 Old Name 1951-02-02 doubted",
      "P-1 Old Name 1951-02-02",
    ]);
    await send(message({ event: "A40", id: "P-2", prior: "P-1", ...NEW }));
    assert.deepEqual(await orders(db), ["P-2 New Name 1951-02-02"]);
    assert.deepEqual(await studies(db), ["P-2 New Name 1951-02-02 Brain"]);
  },
);

messagesTest(
  "a merge that is older than the survivor's update gives the identity of the update",
  async ({ db, order, send }) => {
    await order({ id: "P-1", accession: "A1", ...FORMER });
    await images(db, 1, "P-1", "1951-02-02");
    await images(db, 2, "P-2", "1951-02-02", "A1");
    await send(message({ id: "P-2", ...NEW, at: "202603011300" }));
    const older = { name: "Older Name", birth: NEW.birth, at: "202603011200" };
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
    // the merge has no birth date: nothing proves that the orders are of the same person
    assert.deepEqual(await orders(db), [
      "P-2 Old Name 1950-01-01",
      "P-2 Old Name 1950-01-01",
    ]);
    await send(message({ id: "P-2", ...OLD, name: "New Name", at: "202603011500" }));
    await order({ id: "P-1", accession: "A4", ...OLD, at: "202603011600" });
    await order({ id: "P-2", accession: "A5", ...OLD, at: "202603011100" });
    assert.deepEqual((await orders(db)).slice(2), [
      "P-2 New Name 1950-01-01",
      "P-2 New Name 1950-01-01",
    ]);
    // a newer order under the valid ID repeats what the hospital's system says now
    await order({ id: "P-2", accession: "A6", name: "Third Name", at: "202603011700" });
    assert.equal((await orders(db))[4], "P-2 Third Name");
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

/** Stores a study of a patient that follows the hospital's messages. @returns its number. */
const arrive = (
  db: Database,
  n: number,
  patientId: string,
  { name, birth }: { name: string; birth: string | null },
  sex: "male" | "female" | null = null,
) =>
  db.transaction().execute(async (tx) => {
    const study = { ...newStudy(n), patientId, patientName: name, birthDate: birth, sex };
    const pid = await insertPatient(tx, study);
    await followMerges(tx, pid);
    return pid;
  });

const identities = async (db: Database) =>
  (await readStudies(db)).map(({ id, name, birth, sex }) => [id, name, birth, sex].join(" "));

/** Undoes the last merge, as an administrator. */
const undoLast = async (db: Database) => {
  const services = { db, publish() {}, log() {} } as unknown as ServiceContext;
  const { id } = await db.selectFrom("patient_merges").select("id").orderBy("id", "desc").limit(1)
    .executeTakeFirstOrThrow();
  const uid = await insertUser(db, {
    email: "a@example.org",
    name: "A",
    passwordHash: "x",
    state: "active",
    role: "administrator",
    createdAt: "2026-01-06T00:00:00Z",
  });
  await undoMerge(services, id, { uid: uid!, sid: "s" });
};

messagesTest(
  "images that come under an old name after an update have the newest identity and its mark",
  async ({ db, send }) => {
    const marks = async () =>
      (await db.selectFrom("patients").select("hospital_at").orderBy("pid").execute())
        .map((row) => row.hospital_at !== null);
    const birth = "1951-02-02";
    await send(message({ id: "P-1", ...NEW, sex: "F" }));
    await arrive(db, 1, "P-1", { name: "Name 1", birth });
    assert.deepEqual(await identities(db), [`P-1 New Name ${birth} female`]);
    assert.deepEqual(await marks(), [true]);
    // under a former ID, and as the user typed it after the update
    await send(message({ event: "A40", id: "P-5", prior: "P-1", ...NEW, name: "Last Name" }));
    await arrive(db, 2, "P-1", { name: "Name 2", birth });
    assert.equal((await studies(db))[1], "P-5 Last Name 1951-02-02");
    await db.updateTable("patients").set({
      patient_name: "Typed",
      edited_at: "2999-01-01T00:00:00Z",
    })
      .where("pid", "=", 2).execute();
    await db.transaction().execute((tx) => followMerges(tx, 2));
    assert.equal((await studies(db))[1], "P-5 Typed 1951-02-02");
  },
);

/** Entries of images or an order under P-1, for which KIM ONE 1970-01-01 F is the newest identity. */
const OTHERS: readonly [string, string | null, "male" | "female" | null][] = [
  ["LEE TWO", null, null],
  ["LEE TWO", null, "female"],
  ["KIM TWO", null, null],
  ["LEE TWO", "1980-02-02", null],
  ["LEE TWO", "1970-01-01", "male"],
  ["", null, "female"],
];

for (const isFormer of [false, true]) {
  const place = isFormer ? "a former ID" : "an ID";
  messagesTest(
    `images and orders under ${place} keep their entries if another person may be meant`,
    async ({ db, send, order }) => {
      const KIM = { name: "KIM ONE", birth: "19700101", sex: "F" };
      const valid = isFormer ? "P-2" : "P-1";
      await send(message({ id: "P-1", ...KIM, name: "PARK ONE", at: "202603011000" }));
      if (isFormer) await send(message({ event: "A40", id: "P-2", prior: "P-1" }));
      await send(message({ id: valid, ...KIM, at: "202603011300" }));
      for (const [n, [name, birth, sex]] of OTHERS.entries()) {
        // each of them alone under the ID
        const pid = await arrive(db, n + 1, "P-1", { name, birth }, sex);
        const [own] = await identities(db);
        const isDoubted = isFormer && birth === "1980-02-02";
        assert.equal(own, [isDoubted ? "P-1" : valid, name, birth, sex].join(" "));
        await db.deleteFrom("patients").where("pid", "=", pid).execute();
        const fields = { name, birth: birth?.replaceAll("-", "") ?? "" };
        const code = sex === null ? "" : sex[0]!.toUpperCase();
        await order({ id: "P-1", accession: "A1", ...fields, sex: code, at: "202603011200" });
        const shown = [valid, name, birth].filter(Boolean).join(" ");
        assert.deepEqual(await orders(db), isDoubted ? [] : [shown]);
        await db.deleteFrom("hospital_orders").execute();
      }
      // birth date and name of two messages are no person
      await send(message({ id: valid, name: "CHOI ONE", at: "202603011400" }));
      await arrive(db, 9, "P-1", { name: "LEE TWO", birth: "1970-01-01" });
      assert.deepEqual(await identities(db), [`${valid} LEE TWO 1970-01-01 `]);
    },
  );
}

messagesTest(
  "an order has birth date and name of one person, whichever message comes first",
  async ({ db, order }) => {
    const lee = { name: "LEE TWO", birth: "19800202", sex: "M" }, kim = { name: "KIM ONE" };
    await order({ accession: "A1", number: "N1", ...lee, at: "202603011200" });
    await order({ accession: "A1", number: "N1", code: "XO", ...kim, at: "202603011300" });
    await order({ accession: "A2", number: "N2", code: "XO", ...kim, at: "202603011300" });
    await order({ accession: "A2", number: "N2", ...lee, at: "202603011200" });
    // the same name, or none
    await order({ accession: "A3", number: "N3", ...lee, at: "202603011200" });
    await order({ accession: "A3", number: "N3", name: "LEE TWO", at: "202603011300" });
    await order({ accession: "A4", number: "N4", ...lee, at: "202603011200" });
    await order({ accession: "A4", number: "N4", code: "XO", at: "202603011300" });
    assert.deepEqual(await orders(db), [
      "P-1 KIM ONE",
      "P-1 KIM ONE",
      "P-1 LEE TWO 1980-02-02",
      "P-1 LEE TWO 1980-02-02",
    ]);
  },
);

messagesTest(
  "images under a former ID take nothing from the former ID's messages",
  async ({ db, send }) => {
    await send(message({ id: "P-1", ...OLD, sex: "M", at: "202603011000" }));
    await send(message({ event: "A40", id: "P-2", prior: "P-1", ...NEW, at: "202603011100" }));
    await send(message({ event: "A40", id: "P-3", prior: "P-2", ...NEW, at: "202603011200" }));
    await arrive(db, 1, "P-1", { name: "Name 1", birth: null });
    await arrive(db, 2, "P-1", { name: "Name 2", birth: "1951-02-02" });
    await arrive(db, 3, "P-1", { name: "Name 3", birth: "1950-01-01" });
    assert.deepEqual(await identities(db), [
      "P-3 Name 1  ",
      "P-3 New Name 1951-02-02 ",
      "P-1 Name 3 1950-01-01 ",
    ]);
    // undone step by step, they have the entries with which they came
    await undoLast(db);
    assert.deepEqual(await identities(db), [
      "P-2 Name 1  ",
      "P-2 Name 2 1951-02-02 ",
      "P-1 Name 3 1950-01-01 ",
    ]);
  },
);

messagesTest(
  "an undone merge leaves orders with the patient in their own messages, and counts no more",
  async ({ db, send, order }) => {
    const LEE = { name: "LEE TWO", birth: "19800202", sex: "M" };
    await send(message({ id: "P-2", ...LEE, at: "202603011100" }));
    const wrong = { ...LEE, name: "KIM ONE", at: "202603011200" };
    await send(message({ event: "A40", id: "P-2", prior: "P-1", ...wrong }));
    await order({ id: "P-1", accession: "A1", name: "KIM ONE", at: "202603011300" });
    await order({ id: "P-1", accession: "A2", ...LEE, name: "HAN ONE", at: "202603011301" });
    assert.deepEqual(await orders(db), ["P-2 KIM ONE", "P-2 KIM ONE 1980-02-02"]);
    // a second system sends the same merge
    await send(message({ event: "A47", id: "P-2", prior: "P-1", ...wrong }));
    await undoLast(db);
    assert.deepEqual(await orders(db), ["P-1 KIM ONE", "P-1 HAN ONE 1980-02-02"]);
    // the newest identity is that of the update before the merge, and an update between them is new
    await arrive(db, 1, "P-2", { name: "Name 1", birth: "1980-02-02" });
    assert.deepEqual(await identities(db), ["P-2 LEE TWO 1980-02-02 male"]);
    await send(message({ id: "P-2", ...LEE, name: "LEE THREE", at: "202603011130" }));
    assert.deepEqual(await identities(db), ["P-2 LEE THREE 1980-02-02 male"]);
  },
);

messagesTest(
  "a newer message is kept while an older one about the same patient is",
  async ({ db, send }) => {
    const days = (n: number) => new Date(Date.UTC(2026, 2, 1 + n)).toISOString();
    const ended = async (day: number) => {
      const { id } = await db.selectFrom("hl7_messages").select("id").orderBy("id", "desc").limit(1)
        .executeTakeFirstOrThrow();
      await db.updateTable("hl7_messages").set({ ended_at: days(day) }).where("id", "=", id)
        .execute();
    };
    const left = async () => (await db.selectFrom("hl7_messages").select("id").execute()).length;
    await send(message({ id: "P-2", ...NEW, at: "202603011200" }));
    await ended(0);
    await send(message({ id: "P-3", ...NEW, at: "202603011200" }));
    await ended(0);
    // delayed by ten days
    const older = { ...NEW, name: "Older Name", at: "202603011100" };
    await send(message({ event: "A40", id: "P-2", prior: "P-1", ...older }));
    await ended(10);
    await forgetMessages(db, days(1));
    assert.equal(await left(), 2);
    await arrive(db, 1, "P-2", { name: "Name 1", birth: "1951-02-02" });
    await arrive(db, 2, "P-1", { name: "Name 2", birth: "1951-02-02" });
    assert.deepEqual(await studies(db), [
      "P-2 New Name 1951-02-02",
      "P-2 New Name 1951-02-02",
    ]);
    await send(message({ id: "P-2", ...NEW, name: "Between", at: "202603011130" }));
    await ended(11);
    assert.equal((await studies(db))[0], "P-2 New Name 1951-02-02");
    await forgetMessages(db, days(12));
    assert.equal(await left(), 0);
    // one that failed is kept, as are newer ones of either patient
    await send(message({ event: "A40", id: "P-8", prior: "P-9", ...NEW, at: "202603011100" }));
    await db.updateTable("hl7_messages").set({ state: "failed", ended_at: days(0) }).execute();
    await db.deleteFrom("patient_merges").execute();
    for (const id of ["P-8", "P-9", "P-7"]) {
      await send(message({ id, ...NEW, at: "202603011200" }));
      await ended(0);
    }
    await forgetMessages(db, days(12));
    assert.equal(await left(), 3);
  },
);

messagesTest(
  "images get the identity as it was applied, although the character set has changed since",
  async ({ db, send }) => {
    const setEncoding = (value: number) =>
      db.insertInto("settings")
        .values({ scope: "group", key: "dicom_encoding_id", value: String(value) })
        .onConflict((conflict) =>
          conflict.columns(["scope", "key"]).doUpdateSet({ value: String(value) })
        )
        .execute();
    // Latin-1, without MSH-18
    const bytesOf = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    const joao = { name: "João", birth: "19510202" };
    await setEncoding(3);
    await send(bytesOf(message({ id: "P-1", ...joao })));
    await send(bytesOf(message({ event: "A40", id: "P-3", prior: "P-2", ...joao })));
    // each of these bytes is a character in Latin-2, too
    await setEncoding(4);
    await arrive(db, 1, "P-1", { name: "Name 1", birth: "1951-02-02" });
    await arrive(db, 2, "P-2", { name: "Name 2", birth: "1951-02-02" });
    assert.deepEqual(await studies(db), ["P-1 João 1951-02-02", "P-3 João 1951-02-02"]);
  },
);

messagesTest(
  "no older identity counts while the newest message of an earlier version cannot be read",
  async ({ db, send }) => {
    await send(message({ id: "P-1", ...NEW, at: "202603011100" }));
    await send(message({ id: "P-1", ...NEW, name: "Newer Name", at: "202603011200" }));
    const { id, message: bytes } = await db.selectFrom("hl7_messages").selectAll()
      .orderBy("id", "desc").limit(1).executeTakeFirstOrThrow();
    // a name in KS X 1001 without MSH-18, while the settings say UTF-8
    const at = new TextDecoder().decode(bytes).indexOf("Newer"), text = Uint8Array.from(bytes);
    text.set([0xb1, 0xe8], at);
    await db.updateTable("hl7_messages").set({ message: text, identity: null })
      .where("id", "=", id).execute();
    await arrive(db, 1, "P-1", { name: "Name 1", birth: "1951-02-02" });
    assert.deepEqual(await studies(db), ["P-1 Name 1 1951-02-02"]);
  },
);
