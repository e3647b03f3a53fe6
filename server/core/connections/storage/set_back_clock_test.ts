// covers: S-73
// What waits until a stored time goes on after the clock was set back: nothing waits as long as the
// clock was wrong.
import assert from "node:assert/strict";
import type { Database } from "@/server/core/database/database.ts";
import { LONGEST_PAUSE_MS, mayCall, pauseMs } from "@/server/core/connections/service/outbox.ts";
import { STUDIES_PER_MINUTE } from "@/server/core/connections/service/result_queue.ts";
import {
  dueStudies,
  endArrival,
  listArrivalsOf,
  noteArrival,
  openStudies,
} from "@/server/core/connections/storage/arrivals.ts";
import {
  delayCommitment,
  dueCommitments,
  insertCommitment,
} from "@/server/core/connections/storage/commitments.ts";
import {
  claimOutbox,
  finishOutbox,
  insertOutbox,
} from "@/server/core/connections/storage/outbox.ts";
import { writePeer } from "@/server/core/connections/storage/peers.ts";
import { claimPull, finishPull, insertPull } from "@/server/core/connections/storage/pulls.ts";
import {
  countQueued,
  writeChange,
  writeQueued,
} from "@/server/core/connections/storage/result_changes.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const MINUTE_MS = 60_000, HOUR_MS = 60 * MINUTE_MS;
/** The clock before it was set back by two hours, and after. */
const BEFORE_MS = Date.parse("2026-03-01T12:00:00Z"), NOW_MS = BEFORE_MS - 2 * HOUR_MS;
const QUIET_MS = 30_000, LEASE_MS = 20 * MINUTE_MS, AT = "2026-03-01T12:00:00.000Z";

const withDatabase = (name: string, body: (db: Database) => Promise<void>) =>
  databaseTest(name, async (database) => {
    const db = await database.open();
    try {
      await body(db);
    } finally {
      await db.destroy();
    }
  });

const series = {
  seriesUid: "1.2.1",
  studyUid: "1.2",
  sender: "MR",
  description: "",
  instances: 3,
};

const peer = (db: Database) =>
  writePeer(db, null, { name: "PACS", kind: "dicom", config: {}, secret: null }, AT);

withDatabase(
  "a study that arrived before the clock was set back is due a quiet time later",
  async (db) => {
    const due = (nowMs: number) => dueStudies(db, "here", { nowMs, quietMs: QUIET_MS });
    await noteArrival(db, "here", { ...series, lastMs: BEFORE_MS });
    await noteArrival(db, "here", { ...series, seriesUid: "1.2.2", lastMs: BEFORE_MS - 1000 });
    assert.deepEqual(await due(BEFORE_MS + QUIET_MS - 1), []);
    // seen for the first time: it may still be arriving
    assert.deepEqual(await due(NOW_MS), []);
    assert.deepEqual(await openStudies(db, "here"), ["1.2"]);
    assert.deepEqual(await due(NOW_MS + QUIET_MS - 1), []);
    assert.deepEqual(await due(NOW_MS + QUIET_MS), ["1.2"]);
  },
);

withDatabase(
  "an arrival is not ended when more has come after the clock was set back",
  async (db) => {
    const states = async () => (await listArrivalsOf(db, "1.2")).map(({ state }) => state);
    await noteArrival(db, "here", { ...series, lastMs: BEFORE_MS });
    const [taken] = await listArrivalsOf(db, "1.2"), end = { reason: null, pid: null };
    await noteArrival(db, "here", { ...series, instances: 1, lastMs: NOW_MS });
    await endArrival(db, taken!, { ...end, state: "stored" });
    assert.deepEqual(await states(), ["arriving"]);
    const [whole] = await listArrivalsOf(db, "1.2");
    await endArrival(db, whole!, { ...end, state: "stored" });
    assert.deepEqual(await states(), ["stored"]);
  },
);

withDatabase(
  "a result that was put off or leased before the clock was set back is sent",
  async (db) => {
    const peerId = (await peer(db))!, pid = await insertPatient(db, newStudy(1));
    const claim = (owner: string, nowMs: number) => claimOutbox(db, peerId, owner, nowMs, LEASE_MS);
    const result = { peerId, pid, run: "1", kind: "report" };
    await insertOutbox(db, [result], AT, BEFORE_MS + 5 * MINUTE_MS);
    assert.equal(await claim("a", BEFORE_MS), null);
    const entry = await claim("a", NOW_MS);
    assert.equal(entry?.pid, pid);
    // the lease of a process that is gone, and a later state of the same result behind it
    await finishOutbox(db, entry!.id, "a", { state: "waiting" });
    assert.ok(await claim("gone", BEFORE_MS));
    await insertOutbox(db, [{ ...result, run: "2" }], AT);
    assert.equal(await claim("b", BEFORE_MS), null);
    assert.equal((await claim("b", NOW_MS))?.run, "1");
    assert.equal(await claim("b", NOW_MS), null, "the state of before arrives first");
  },
);

withDatabase("a retrieval that was put off before the clock was set back is tried", async (db) => {
  const peerId = (await peer(db))!;
  const pull = { peerId, kind: "study", studyUid: "1.2", description: "", studyDate: "" } as const;
  const id = await insertPull(db, { ...pull, expected: 1, uid: null }, AT);
  const claim = (nowMs: number) =>
    claimPull(db, { peerId, owner: "a", nowMs, longestMs: LONGEST_PAUSE_MS });
  await finishPull(db, id, { state: "waiting", notBeforeMs: BEFORE_MS + pauseMs(2) });
  assert.equal(await claim(BEFORE_MS), null);
  assert.equal((await claim(NOW_MS))?.id, id);
});

withDatabase(
  "a commitment that was put off before the clock was set back is answered",
  async (db) => {
    const commitment = { transactionUid: "1.3", peer: "MR", instances: [] };
    await insertCommitment(db, commitment, BEFORE_MS);
    await delayCommitment(db, "1.3", BEFORE_MS + pauseMs(1));
    const due = async (nowMs: number) =>
      (await dueCommitments(db, nowMs, LONGEST_PAUSE_MS)).map(({ transactionUid }) =>
        transactionUid
      );
    assert.deepEqual(await due(BEFORE_MS), []);
    assert.deepEqual(await due(NOW_MS), ["1.3"]);
  },
);

withDatabase(
  "changes that were queued before the clock was set back hold up no others",
  async (db) => {
    for (let n = 1; n <= STUDIES_PER_MINUTE; n++) {
      const pid = await insertPatient(db, newStudy(n)),
        change = { pid, cause: "norms", at: AT } as const;
      await writeChange(db, change);
      await writeQueued(db, change, BEFORE_MS);
    }
    const count = (nowMs: number) => countQueued(db, { nowMs, withinMs: MINUTE_MS });
    assert.equal(await count(BEFORE_MS + 1000), STUDIES_PER_MINUTE);
    assert.equal(await count(NOW_MS), 0);
  },
);

Deno.test("mayCall() ends a pause that began before the clock was set back", () => {
  const system = (notBeforeMs: number) => ({ notBeforeMs }) as Parameters<typeof mayCall>[0];
  const longest = system(BEFORE_MS + pauseMs(20, 1));
  assert.ok(!mayCall(longest, BEFORE_MS));
  // machines of one site differ a little
  assert.ok(!mayCall(longest, BEFORE_MS - MINUTE_MS));
  assert.ok(mayCall(longest, NOW_MS));
  assert.ok(mayCall(system(0), NOW_MS));
});
