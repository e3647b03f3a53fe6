// covers: S-144, S-145
// A message whose time is in the far future waits visibly, and counts as of its arrival later on.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { messageRows } from "@/server/core/connections/service/hl7/messages_page.ts";
import { findMessage, lastEventMs } from "@/server/core/connections/storage/hl7_messages.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { confirmMessage } from "@/tests/sites/connections/confirmed_message.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt, order } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { inLetters, randomOf } from "@/tests/sites/connections/random_messages.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const MINUTE_MS = 60_000, DAY_MS = 1440 * MINUTE_MS, START_MS = Date.UTC(2026, 2, 1);

const timeText = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);

const endOf = async (db: Database, id: number): Promise<string> => {
  const { state, reason } = (await findMessage(db, id))!;
  return [state, reason].filter(Boolean).join(" ");
};

async function take(db: Database, text: string, arrivedMs: number): Promise<number> {
  const id = (await storeMessage(db, text, arrivedMs))!;
  await db.transaction().execute((tx) => applyMessage(tx, id));
  return id;
}

async function administrator(db: Database): Promise<Caller> {
  const uid = await insertUser(db, {
    email: "a@example.org",
    name: "A",
    passwordHash: "x",
    state: "active",
    role: "administrator",
    createdAt: "2026-01-06T00:00:00Z",
  });
  return { uid: uid!, sid: "s" };
}

const repeat = async (db: Database, caller: Caller, id: number): Promise<string> => {
  await confirmMessage({ db } as unknown as ServiceContext, id, caller);
  await db.transaction().execute((tx) => applyMessage(tx, id));
  return await endOf(db, id);
};

const nameIn = async (db: Database) => (await readStudies(db))[0]!.name;

messagesTest(
  "messages with a time in the far future wait, and no other message is outdated by them",
  async ({ db }) => {
    const caller = await administrator(db), given = { birth: "19600520", sex: "M" };
    await insertPatient(db, { ...newStudy(1), patientId: "P-1", birthDate: "1960-05-20" });
    const before = await nameIn(db), far = timeText(START_MS + 3 * 365 * DAY_MS);
    const early = { id: "P-1", name: "Early^A", control: "1", at: far, ...given };
    const update = await take(db, adt({ event: "A08", ...early }), START_MS);
    const merge = await take(
      db,
      adt({ event: "A40", prior: "P-1", ...early, id: "P-2", control: "2" }),
      START_MS,
    );
    const placed = await take(db, order({ id: "P-1", at: far, control: "3" }), START_MS);
    for (const id of [update, merge, placed]) {
      assert.equal(await endOf(db, id), "failed future_time");
    }
    assert.deepEqual(
      (await messageRows(db, { limit: 9 })).messages.map(({ reason }) => reason),
      ["future_time", "future_time", "future_time"],
    );
    assert.equal(await nameIn(db), before);
    // a message that was recorded before the arrival of the others is not outdated by them
    const late = timeText(START_MS - 5 * MINUTE_MS);
    const second = await take(
      db,
      adt({ event: "A08", ...early, name: "Late^B", at: late, control: "4" }),
      START_MS + MINUTE_MS,
    );
    assert.equal(await endOf(db, second), "applied");
    assert.equal(await nameIn(db), "Late B");
    assert.equal(await repeat(db, caller, update), "applied");
    assert.equal(await nameIn(db), "Early A");
    assert.equal(await lastEventMs(db, "P-1"), START_MS);
    assert.equal(await repeat(db, caller, placed), "applied");
    // newer messages take precedence over one that an administrator applies as of its arrival
    const newer = timeText(START_MS + MINUTE_MS);
    await take(
      db,
      adt({ event: "A08", ...early, at: newer, control: "5" }),
      START_MS + 2 * MINUTE_MS,
    );
    assert.equal(await repeat(db, caller, merge), "failed older_merge");
  },
);

messagesTest(
  "with random clocks, the newest credible message gives the name",
  async ({ db }) => {
    const random = randomOf(45);
    await insertPatient(db, { ...newStudy(1), patientId: "P-1", birthDate: "1960-05-20" });
    let newestMs = -Infinity, name = await nameIn(db);
    const ends = new Set<string>();
    for (let round = 0; round < 80; round++) {
      const arrivedMs = START_MS + round * MINUTE_MS;
      // late, correct, of another time zone, a day wrong, or years wrong
      const aheadMs = [
        -random(90) * MINUTE_MS,
        0,
        random(15) * 60 * MINUTE_MS,
        DAY_MS,
        DAY_MS + 1000,
        random(4000) * DAY_MS,
      ][random(6)]!;
      const atMs = arrivedMs + aheadMs, own = `Name ${inLetters(round)}`;
      const text = adt({
        event: "A08",
        id: "P-1",
        control: `R${round}`,
        name: own.replace(" ", "^"),
        birth: "19600520",
        at: timeText(atMs),
      });
      const end = await endOf(db, await take(db, text, arrivedMs));
      const expected = aheadMs > DAY_MS
        ? "failed future_time"
        : atMs < newestMs
        ? "ignored older"
        : "applied";
      assert.equal(end, expected, `round ${round}`);
      ends.add(end);
      if (end === "applied") [newestMs, name] = [atMs, own];
      assert.equal(await nameIn(db), name);
    }
    assert.equal(ends.size, 3);
  },
);
