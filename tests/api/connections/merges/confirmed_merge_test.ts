// covers: S-145, S-245
// A merge that an administrator has confirmed leaves one identity; its undo restores both.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { mergeRows } from "@/server/core/connections/service/hl7/messages_page.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { findMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { confirmMessage } from "@/tests/sites/connections/confirmed_message.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt, type AdtFields, order } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

let control = 0;
const apply = async (db: Database, fields: Omit<AdtFields, "control">): Promise<number> => {
  const id = (await storeMessage(db, adt({ control: `C${++control}`, ...fields })))!;
  await db.transaction().execute((tx) => applyMessage(tx, id));
  return id;
};

const endOf = async (db: Database, id: number): Promise<string> => {
  const { state, reason } = (await findMessage(db, id))!;
  return [state, reason].filter(Boolean).join(" ");
};

/** Patient of each study, then of each order. */
async function recordsOf(db: Database): Promise<string[]> {
  const orders = await db.selectFrom("hospital_orders")
    .select(["patient_id as id", "patient_name as name", "birth_date as birth", "sex"])
    .orderBy("hospital_orders.id").execute();
  return [...await readStudies(db), ...orders].map(({ id, name, birth, sex }) =>
    [id, name, birth, sex].filter(Boolean).join(" ")
  );
}

/** P-1 and P-2, each with a study and an order, and different birth dates. */
async function addTwo(db: Database): Promise<void> {
  const people = [["P-1", "Kim Old", "1950-01-01"], ["P-2", "Lee New", "1980-02-02"]] as const;
  for (const [n, [patientId, patientName, birthDate]] of people.entries()) {
    const study = { ...newStudy(n + 1), patientId, patientName, birthDate, sex: null };
    await insertPatient(db, study);
    const fields = { id: patientId, name: patientName.replace(" ", "^"), control: `O${patientId}` };
    const numbers = { accession: `A${patientId}`, number: `N${patientId}` };
    const birth = birthDate.replaceAll("-", "");
    const id = (await storeMessage(db, order({ ...fields, ...numbers, birth })))!;
    await db.transaction().execute((tx) => applyMessage(tx, id));
  }
}

const APART = [
  "P-1 Kim Old 1950-01-01",
  "P-2 Lee New 1980-02-02",
  "P-1 Kim Old 1950-01-01",
  "P-2 Lee New 1980-02-02",
];

async function administrator(db: Database) {
  const uid = (await insertUser(db, {
    email: "a@example.org",
    name: "A",
    passwordHash: "x",
    state: "active",
    role: "administrator",
    createdAt: "2026-01-06T00:00:00Z",
  }))!;
  const caller: Caller = { uid, sid: "s" };
  const services = { db, publish: () => {}, log: () => {} } as unknown as ServiceContext;
  return {
    confirm: async (id: number) => {
      await confirmMessage(services, id, caller);
      await db.transaction().execute((tx) => applyMessage(tx, id));
      return await endOf(db, id);
    },
    undo: async () => {
      const { merges: [last] } = await mergeRows(db, { limit: 1 });
      await undoMerge(services, last!.id, caller);
    },
  };
}

const CASES: readonly [title: string, fields: Partial<AdtFields>, identity: string][] = [
  ["without patient data", {}, "P-2 Lee New 1980-02-02"],
  ["with a name only", { name: "Park^Third" }, "P-2 Park Third 1980-02-02"],
  ["with an incomplete birth date", { name: "Lee^New", birth: "1980" }, "P-2 Lee New 1980-02-02"],
  [
    "with the birth date of the former ID",
    { name: "Kim^Old", birth: "19500101", sex: "F" },
    "P-2 Kim Old 1950-01-01 female",
  ],
  [
    "with a third birth date",
    { name: "Park^Third", birth: "19660606" },
    "P-2 Park Third 1966-06-06",
  ],
];

for (const [title, fields, identity] of CASES) {
  messagesTest(
    `a confirmed merge ${title} leaves one identity, and its undo both`,
    async ({ db }) => {
      await addTwo(db);
      assert.deepEqual(await recordsOf(db), APART);
      const { confirm, undo } = await administrator(db);
      const id = await apply(db, { event: "A40", id: "P-2", prior: "P-1", ...fields });
      assert.equal(await endOf(db, id), "failed other_person");
      assert.equal(await confirm(id), "applied");
      assert.deepEqual(await recordsOf(db), Array(4).fill(identity));
      const { merges: [merge] } = await mergeRows(db, { limit: 1 });
      assert.deepEqual(merge!.pids, [1], "only the study that moved is listed");
      await undo();
      assert.deepEqual(await recordsOf(db), APART);
    },
  );
}

messagesTest(
  "the undo of a confirmed merge keeps what a newer message gave the surviving ID",
  async ({ db }) => {
    await addTwo(db);
    const { confirm, undo } = await administrator(db);
    const merge = { event: "A40", id: "P-2", prior: "P-1", name: "Park^Third", birth: "19660606" };
    await confirm(await apply(db, merge));
    const newer = { event: "A08", id: "P-2", name: "Park^Newer", birth: "19660606" };
    assert.equal(await endOf(db, await apply(db, { ...newer, at: "20260302120000" })), "applied");
    await undo();
    const kept = "P-2 Park Newer 1966-06-06";
    assert.deepEqual(await recordsOf(db), [APART[0], kept, APART[2], kept]);
  },
);

messagesTest(
  "a confirmed merge that is older than an update gives the newer identity to all",
  async ({ db }) => {
    await addTwo(db);
    const { confirm, undo } = await administrator(db);
    const newer = { event: "A08", id: "P-2", name: "Lee^Newer", sex: "F" };
    await apply(db, { ...newer, at: "20260302120000" });
    const apart = await recordsOf(db);
    const merge = await apply(db, { event: "A40", id: "P-2", prior: "P-1", name: "Old^Name" });
    assert.equal(await endOf(db, merge), "failed other_person");
    assert.equal(await confirm(merge), "applied");
    assert.deepEqual(await recordsOf(db), Array(4).fill("P-2 Lee Newer 1980-02-02 female"));
    await undo();
    assert.deepEqual(await recordsOf(db), apart);
  },
);
