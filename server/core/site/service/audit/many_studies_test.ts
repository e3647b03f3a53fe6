// covers: S-85, S-230
import assert from "node:assert/strict";
import { auditDetailsIn } from "@/model/text/site/audit_events.ts";
import { appendAudit, verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import { firstViews } from "@/server/core/site/service/audit/views.ts";
import { listAudit } from "@/server/core/site/storage/audit.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

/** A number of studies of one call, up to and beyond the limit for an entry of each study. */
const COUNTS = [1, 200, 201, 2500];

databaseTest("an audited call names each of its studies, however many there are", async (site) => {
  const db = await site.open();
  for (const [n, count] of COUNTS.entries()) {
    const user = n + 1, event = "export.download";
    // every second number, so that 12 is a study and 1, 2, 112 and 120 are others
    const pids = Array.from({ length: count }, (_, at) => 12 + 2 * at);
    await appendAudit(db, { event, userId: user, details: { kind: "table" } }, pids);
    const { entries } = await listAudit(db, { userId: user }, 1, 1000);
    assert.ok(entries.length <= 200, `${count}`);
    const seen = await firstViews(db, [user], [...pids, 1, 2, 11, 13]);
    assert.deepEqual(seen.map(({ pid }) => pid).sort((a, b) => a - b), pids);
    assert.ok(seen.every(({ userId }) => userId === user));
    for (const pid of [12, pids.at(-1)!]) {
      assert.equal((await listAudit(db, { userId: user, pid }, 1, 10)).total, 1, `${count} ${pid}`);
    }
    assert.equal((await listAudit(db, { userId: user, pid: 2 }, 1, 10)).total, 0);
  }
  assert.equal((await verifyAudit(db)).broken, null);
  // a refused call shows no study
  const outcome = "access.forbidden", pids = Array.from({ length: 300 }, (_, at) => at + 1);
  await appendAudit(db, { event: "export.download", userId: 9, outcome }, pids);
  assert.deepEqual(await firstViews(db, [9], pids), []);
});

Deno.test("auditDetailsIn() shows the study numbers of a call as ranges", () => {
  assert.equal(
    auditDetailsIn({ studies: 6, study_numbers: " 3 4 5 9 11 12 " }, "en"),
    "number of studies: 6, study numbers: 3–5, 9, 11–12",
  );
});
