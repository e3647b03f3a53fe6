// covers: S-145
import assert from "node:assert/strict";
import {
  insertMessages,
  listMessages,
  writeState,
} from "@/server/core/connections/storage/hl7_messages.ts";
import type { Database } from "@/server/core/database/database.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

const FAILED = { state: "failed" as const, reason: null, endedAt: null };

/** Adds eight messages, of which the first four failed. */
async function addMessages(db: Database): Promise<void> {
  const messages = Array.from({ length: 8 }, (_, n) => ({
    system: "HIS",
    sender: "HIS",
    controlId: `M${n}`,
    digest: `${n}`,
    event: "ADT^A08",
    patientId: `P-${n}`,
    priorId: "",
    eventMs: n,
    receivedAt: "2026-01-05T08:00:00.000Z",
    message: new Uint8Array(),
  }));
  await insertMessages(db, messages);
  for (let id = 1; id <= 8; id++) {
    await writeState(db, id, id <= 4 ? FAILED : { ...FAILED, state: "applied" });
  }
}

/** The database, with a change by someone else after the first statement that reads it. */
function withChange(db: Database, change: () => Promise<void>): Database {
  let isDone = false;
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isDone) {
        isDone = true;
        await change();
      }
      return result;
    },
  });
}

databaseTest(
  "listMessages() has each message once, though some end or fail while it reads",
  async (database) => {
    const db = await database.open();
    try {
      await addMessages(db);
      const idsOf = async (...given: Parameters<typeof listMessages>) =>
        (await listMessages(...given)).map(({ id }) => id);
      const setState = (id: number, state: "applied" | "failed") =>
        db.updateTable("hl7_messages").set({ state }).where("id", "=", id).execute();
      const changing = withChange(db, async () => {
        await setState(4, "applied");
        await setState(8, "failed");
      });
      const ids = await idsOf(changing, 100);
      assert.deepEqual(ids.toSorted(), [1, 2, 3, 4, 5, 6, 7, 8]);
      // then by their new states
      assert.deepEqual(await idsOf(db, 100), [1, 2, 3, 8, 7, 6, 5, 4]);
      assert.deepEqual(await idsOf(db, 3, { part: "open", id: 2 }), [3, 8, 7]);
      assert.deepEqual(await idsOf(db, 2, { part: "open", id: 1 }), [2, 3]);
      assert.deepEqual(await idsOf(db, 100, { part: "ended", id: 6 }), [5, 4]);
    } finally {
      await db.destroy();
    }
  },
);
