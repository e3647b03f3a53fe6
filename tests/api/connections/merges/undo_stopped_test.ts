// covers: S-145, D1-3.8
// The undo of a merge and a correction of a record that end before any of their statements change
// nothing, and can be repeated.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { mergeRows } from "@/server/core/connections/service/hl7/messages_page.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { updatePatient } from "@/server/core/studies/service/patient_edit.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { addArchive, addStudy, person } from "@/tests/sites/connections/merged_studies.ts";
import {
  readAll,
  readAtOnce,
  stoppedBefore,
  tablesOf,
} from "@/tests/sites/connections/stopped_statements.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

class Ended extends Error {}

/** Two studies of one patient after a merge; the second also has a stated age. */
async function mergedStudies(db: Database): Promise<{ caller: Caller; mergeId: number }> {
  await addArchive(db);
  await db.transaction().execute(async (tx) => {
    for (const n of [1, 2]) await addStudy(tx, n, n === 1 ? "OLD" : "NEW");
  });
  await db.updateTable("patients").set({ stated_age: 35 }).where("pid", "=", 2).execute();
  const merge = { ...person, event: "A40", id: "NEW", prior: "OLD", control: "M1" };
  const message = await storeMessage(db, adt({ ...merge, name: "Doe^Jane", at: "20260401120000" }));
  await db.transaction().execute((tx) => applyMessage(tx, message!));
  const uid = (await insertUser(db, {
    email: "a@example.org",
    name: "Ann Admin",
    passwordHash: "x",
    state: "active",
    role: "administrator",
    createdAt: "2026-01-06T00:00:00Z",
  }))!;
  const { merges: [last] } = await mergeRows(db, { limit: 1 });
  return { caller: { uid, sid: "s" }, mergeId: last!.id };
}

const servicesOf = (db: Database) =>
  ({ db, publish: () => {}, log: () => {}, wakeJobs: () => {} }) as unknown as ServiceContext;

/**
 * Makes a call again and again, aborted before its first statement, then before its second, until
 * it succeeds.
 * @param isDone Whether the call's transaction was committed: later statements only note it.
 * @returns the number of aborted calls
 */
async function abortedCalls(
  db: Database,
  call: (db: Database) => Promise<unknown>,
  assertUnchanged: (note: string) => Promise<void>,
  isDone: () => Promise<boolean>,
): Promise<number> {
  for (let statement = 1;; statement++) {
    const end = () => {
      throw new Ended();
    };
    try {
      await call(db.withPlugin(stoppedBefore(statement, end)));
      return statement - 1;
    } catch (error) {
      assert.ok(error instanceof Ended, String(error));
    }
    if (await isDone()) return statement - 1;
    await assertUnchanged(`before statement ${statement}`);
  }
}

databaseTest(
  "an undo or a correction that ends before any statement changes nothing and can be repeated",
  async ({ url, open }) => {
    const db = url === null ? openDatabase(":memory:") : await open();
    try {
      const { caller, mergeId } = await mergedStudies(db), tables = await tablesOf(db);
      const read = url === null ? readAll : readAtOnce;
      const idOf = async (pid: number) => (await findPatient(db, pid))!.row.patient_id;
      for (
        const { name, call, isDone, least } of [
          {
            name: "correction",
            least: 8,
            call: (stopped: Database) =>
              updatePatient(servicesOf(stopped), 2, {
                patient_id: "NEW",
                patient_name: "Doe Janet",
                patient_sex: "female",
                patient_birthdate: "1941-01-01",
                study_date: "2026-01-02",
              }, caller),
            isDone: async () => (await findPatient(db, 2))!.row.patient_name === "Doe Janet",
          },
          {
            name: "undo",
            least: 20,
            call: (stopped: Database) => undoMerge(servicesOf(stopped), mergeId, caller),
            isDone: async () => await idOf(1) === "OLD",
          },
        ]
      ) {
        const before = await read(db, tables);
        const aborted = await abortedCalls(
          db,
          call,
          async (note) => assert.deepEqual(await read(db, tables), before, `${name}, ${note}`),
          isDone,
        );
        assert.ok(aborted >= least, `${name}: ${aborted}`);
        assert.ok(await isDone());
      }
      assert.equal((await findPatient(db, 2))!.statedAge, 35);
      assert.deepEqual(await Promise.all([1, 2].map(idOf)), ["OLD", "NEW"]);
    } finally {
      await db.destroy();
    }
  },
);
