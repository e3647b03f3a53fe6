import assert from "node:assert/strict";
import { insertOutbox, sentStates } from "@/server/core/connections/storage/outbox.ts";
import { writePeer } from "@/server/core/connections/storage/peers.ts";
import { writeChanges } from "@/server/core/connections/storage/result_changes.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { readMarks, writeReports, writeView } from "@/server/core/studies/storage/study_marks.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const AT = "2026-03-01T12:00:00.000Z", LATER = "2026-03-02T12:00:00.000Z";

databaseTest(
  "sentStates() and readMarks() say how each study of a page stands",
  async (database) => {
    const db = await database.open();
    try {
      const pids: number[] = [];
      for (let n = 1; n <= 6; n++) pids.push(await insertPatient(db, newStudy(n)));
      const [sent, again, waiting, failed, changed, never] = pids as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const peerId = (await writePeer(
        db,
        null,
        { name: "PACS", kind: "dicom", config: {}, secret: null },
        AT,
      ))!;
      const queue = async (pid: number, run: string, state: "sent" | "failed" | "waiting") => {
        await insertOutbox(db, [{ peerId, pid, run, kind: "report" }], AT);
        await db.updateTable("outbox").set({ state }).where("pid", "=", pid).where("run", "=", run)
          .execute();
      };
      await queue(sent, "1", "sent");
      // of an earlier analysis it does not matter any more
      await queue(again, "1", "failed");
      await queue(again, "2", "sent");
      await queue(waiting, "1", "waiting");
      await queue(failed, "1", "failed");
      await queue(changed, "1", "sent");
      await writeChanges(db, { pids: [changed, failed, never], cause: "norms", at: AT });
      assert.deepEqual(
        [...await sentStates(db, pids)].toSorted(([a], [b]) => a - b),
        [[sent, "sent"], [again, "sent"], [waiting, "waiting"], [failed, "failed"], [
          changed,
          "waiting",
        ]],
      );
      assert.equal((await sentStates(db, [])).size, 0);

      const { id } = await addUser(db, { email: "a@x.org", password: "right-1-password" });
      const { id: other } = await addUser(db, { email: "b@x.org", password: "right-1-password" });
      await writeView(db, id, sent, AT);
      await writeView(db, id, again, LATER);
      await writeView(db, other, waiting, AT);
      await writeReports(db, [again, failed], LATER);
      const { seenAt, reportedAt } = await readMarks(db, id, pids);
      assert.deepEqual([...seenAt].toSorted(([a], [b]) => a - b), [[sent, AT], [again, LATER]]);
      assert.deepEqual([...reportedAt].toSorted(([a], [b]) => a - b), [[again, LATER], [
        failed,
        LATER,
      ]]);
    } finally {
      await db.destroy();
    }
  },
);
