// covers: S-121
import assert from "node:assert/strict";
import {
  insertOutbox,
  listOutbox,
  noteCommitted,
} from "@/server/core/connections/storage/outbox.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const AT = "2026-01-06T00:00:00Z";

databaseTest(
  "an answer that names only some of the objects commits to none of the result",
  async (database) => {
    const db = await database.open();
    try {
      await insertPatient(db, newStudy(1));
      await db.insertInto("peers").values({
        name: "PACS",
        kind: "dicom",
        config: "{}",
        secret: null,
        last_error: null,
        last_ok_at: null,
        created_at: AT,
      }).execute();
      const cases = [
        [["1.2.1", "1.2.2"], [], true],
        [["1.2.1"], [], false],
        [[], [], false],
        [["1.2.1", "1.2.2"], ["1.2.2"], false],
      ] as const;
      for (const [n, [committed, failed, isComplete]] of cases.entries()) {
        await insertOutbox(db, [{ peerId: 1, pid: 1, run: `${n}`, kind: "report" }], AT);
        const instances = ["1.2.1", "1.2.2"].map((sopInstanceUid) => ({
          sopClassUid: "1.2.3",
          sopInstanceUid,
          seriesUid: "1.2.4",
        }));
        await db.updateTable("outbox").set({
          state: "sent",
          transaction_uid: `1.2.5.${n}`,
          instances: JSON.stringify(instances),
        }).where("run", "=", `${n}`).execute();
        const transaction = { transactionUid: `1.2.5.${n}`, committed, failed };
        assert.deepEqual(await noteCommitted(db, transaction, AT), { entries: 1, isComplete });
        const { state, committedAt } = (await listOutbox(db, 1))[0]!;
        assert.deepEqual([state, committedAt !== null], [
          isComplete ? "sent" : "failed",
          isComplete,
        ]);
      }
    } finally {
      await db.destroy();
    }
  },
);
