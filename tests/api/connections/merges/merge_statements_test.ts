// covers: S-145
// A merge must not take longer for each study: every statement waits for the database.
import assert from "node:assert/strict";
import type { KyselyPlugin } from "kysely";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { adt, order } from "@/tests/sites/connections/hl7_messages.ts";
import { addArchive, addStudy, AT, person } from "@/tests/sites/connections/merged_studies.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

/** Statements for an entry of the audit log, which has one for each moved study. */
const AUDIT_STATEMENTS = 3;

/** Statements of a merge and of its undo, for two IDs with equal numbers of studies and orders. */
async function statementsOf(
  db: Database,
  { pids, uid }: { pids: readonly number[]; uid: number },
): Promise<[number, number]> {
  let statements = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const prior = `OLD-${pids.length}`, id = `NEW-${pids.length}`;
  const idOf = (n: number) => n % 2 === 1 ? prior : id;
  await db.transaction().execute(async (tx) => {
    for (const n of pids) await addStudy(tx, n, idOf(n));
  });
  const apply = async (text: string) => {
    const message = (await storeMessage(db, text))!;
    statements = 0;
    return await db.withPlugin(counter).transaction().execute((tx) => applyMessage(tx, message));
  };
  for (const n of pids) {
    const numbers = { control: `O${n}`, accession: `A${n}`, number: `N${n}`, procedure: `P${n}` };
    await apply(order({ ...person, ...numbers, id: idOf(n) }));
  }
  const merge = { ...person, event: "A40", id, prior, control: `M${id}` };
  const outcome = await apply(adt({ ...merge, name: "Doe^Jane^Maria", at: "20260401120000" }));
  assert.deepEqual(outcome?.changed.toSorted((a, b) => a - b), pids);
  const ofMerge = statements,
    rows = await db.selectFrom("patients").selectAll()
      .where("patient_id", "=", id).execute();
  assert.ok(rows.length === pids.length && rows.every((row) => row.finding !== null));
  assert.equal(new Set(rows.map((row) => row.finding)).size, pids.length, "each has its finding");
  statements = 0;
  const services = { db: db.withPlugin(counter), publish: () => {}, log: () => {} };
  const caller = { uid } as Parameters<typeof undoMerge>[2];
  await undoMerge(services as unknown as ServiceContext, outcome!.merge!, caller);
  const back = await db.selectFrom("patients").select("pid").where("patient_id", "=", prior)
    .orderBy("pid").execute();
  assert.deepEqual(back.map(({ pid }) => pid), pids.filter((n) => n % 2 === 1));
  return [ofMerge, statements - AUDIT_STATEMENTS * back.length];
}

databaseTest(
  "a merge and its undoing take as many statements for 24 studies as for 6",
  async (database) => {
    const db = await database.open();
    try {
      const user = { email: "admin@hospital.test", name: null, passwordHash: "", createdAt: AT };
      const uid = (await insertUser(db, { ...user, role: "administrator", state: "active" }))!;
      await addArchive(db);
      const few = await statementsOf(db, { pids: [1, 2, 3, 4, 5, 6], uid });
      const many = await statementsOf(db, {
        pids: Array.from({ length: 24 }, (_, i) => 7 + i),
        uid,
      });
      assert.deepEqual(many, few);
    } finally {
      await db.destroy();
    }
  },
);
