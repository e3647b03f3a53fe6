// covers: S-145
// After an administrator has undone a merge, the hospital's system cannot bring it back unseen.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { mergeRows, messageRows } from "@/server/core/connections/service/hl7/messages_page.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { confirmMessage } from "@/tests/sites/connections/confirmed_message.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt, type AdtFields } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

/** P-1 and P-2 with one study each, and the actions on their messages. */
async function twoPatients(db: Database) {
  for (const n of [1, 2]) await insertPatient(db, { ...newStudy(n), patientId: `P-${n}` });
  const uid = (await insertUser(db, {
    email: "a@example.org",
    name: "Ann Admin",
    passwordHash: "x",
    state: "active",
    role: "administrator",
    createdAt: "2026-01-06T00:00:00Z",
  }))!;
  const caller: Caller = { uid, sid: "s" };
  const services = { db, publish: () => {}, log: () => {} } as unknown as ServiceContext;
  const rowOf = async (id: number) =>
    (await messageRows(db, { limit: 100 })).messages.find((one) => one.id === id)!;
  const endOf = async (id: number) => {
    const { state, reason } = await rowOf(id);
    return [state, reason].filter(Boolean).join(" ");
  };
  let control = 0;
  return {
    rowOf,
    apply: async (fields: Partial<AdtFields>) => {
      const message = { event: "A40", id: "P-2", prior: "P-1", control: `C${++control}` };
      const id = (await storeMessage(db, adt({ ...message, ...fields })))!;
      await db.transaction().execute((tx) => applyMessage(tx, id));
      return { id, end: await endOf(id) };
    },
    confirm: async (id: number) => {
      await confirmMessage(services, id, caller);
      await db.transaction().execute((tx) => applyMessage(tx, id));
      return await endOf(id);
    },
    undo: async () => {
      const { merges: [last] } = await mergeRows(db, { limit: 1 });
      await undoMerge(services, last!.id, caller);
    },
    ids: async () => (await readStudies(db)).map(({ id }) => id),
  };
}

const AGAIN: readonly [title: string, fields: Partial<AdtFields>][] = [
  ["the same merge, sent again", {}],
  ["an older one", { at: "20260101120000" }],
  ["a newer one", { at: "20260401120000" }],
  ["one by change of ID", { event: "A47" }],
  ["the opposite one", { id: "P-1", prior: "P-2" }],
];

for (const [title, fields] of AGAIN) {
  messagesTest(`after the undo of a merge, ${title} waits for an administrator`, async ({ db }) => {
    const { apply, confirm, undo, ids, rowOf } = await twoPatients(db);
    assert.equal((await apply({})).end, "applied");
    await undo();
    const again = await apply(fields);
    assert.equal(again.end, "failed merge_undone");
    assert.deepEqual(await ids(), ["P-1", "P-2"]);
    const { undone } = await rowOf(again.id);
    assert.equal(undone?.by, "Ann Admin");
    assert.ok(Math.abs(Date.parse(undone!.at) - Date.now()) < 60_000);
    assert.equal(await confirm(again.id), "applied");
    const survivor = fields.id ?? "P-2";
    assert.deepEqual(await ids(), [survivor, survivor]);
    // a person has decided: the same merge is accepted again, until the next undo
    assert.equal((await apply({ ...fields, at: "20260501120000" })).end, "applied");
    await undo();
    assert.equal((await apply({ ...fields, at: "20260601120000" })).end, "failed merge_undone");
    assert.deepEqual(await ids(), ["P-1", "P-2"]);
  });
}

messagesTest("the undo of a merge does not stop merges of other patients", async ({ db }) => {
  const { apply, undo } = await twoPatients(db);
  await apply({});
  await undo();
  assert.equal((await apply({ id: "P-3" })).end, "applied");
});

messagesTest(
  "a repeated message that identified nobody restores no undone merge",
  async ({ db }) => {
    const { apply, confirm, undo, ids } = await twoPatients(db);
    const uncertain = await apply({ id: "P-2~7^^^LAB" });
    assert.equal(uncertain.end, "failed id_uncertain");
    await apply({});
    await undo();
    // as if the connection's settings now said which ID is meant
    await db.updateTable("hl7_messages").set({
      message: new TextEncoder().encode(
        adt({ event: "A40", id: "P-2", prior: "P-1", control: "X" }),
      ),
    }).where("id", "=", uncertain.id).execute();
    assert.equal(await confirm(uncertain.id), "failed merge_undone");
    assert.deepEqual(await ids(), ["P-1", "P-2"]);
  },
);
