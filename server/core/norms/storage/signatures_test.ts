import assert from "node:assert/strict";
import {
  answerPicture,
  countersignAcceptance,
  insertAcceptance,
  isInForce,
  listAcceptances,
  revokeAcceptance,
  signAcceptance,
} from "@/server/core/norms/storage/acceptances.ts";
import {
  agreeToDecision,
  clearDecision,
  insertStop,
  isWithholding,
  listStops,
  proposeDecision,
} from "@/server/core/norms/storage/stops.ts";
import { assess } from "@/model/acceptance/assess.ts";
import type { Database } from "@/server/core/database/database.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const SCANNER = { scanner: "Siemens 1", protocol: "3 T, TR 2300, 1 × 1 × 1 mm" };
const [FIRST, SECOND, THIRD] = [1, 2, 3];
const by = (userId: number) => ({ userId, at: `2026-03-0${userId}T00:00:00.000Z` });

async function addPeople(db: Database): Promise<void> {
  for (const n of [FIRST, SECOND, THIRD]) {
    const email = `${n}@hospital.test`;
    await addQuickUser(db, { email, password: "correct-horse-9", name: email });
  }
}

databaseTest("an acceptance takes two signatures of two people, once each", async (database) => {
  const db = await database.open();
  await addPeople(db);
  const id = await insertAcceptance(db, {
    ...SCANNER,
    engineVersion: "sulcus-engine 1",
    seed: 1,
    pids: [7],
    pictures: [7],
    result: assess(SCANNER.protocol, [], 0),
  }, by(FIRST!));
  const stored = async () => (await listAcceptances(db))[0]!;
  const sign = (userId: number) =>
    signAcceptance(db, id, { decision: "volumes", remark: "" }, by(userId));
  assert.equal(await countersignAcceptance(db, id, by(SECOND!)), false);
  // both at once: one of them is the first
  const signed = await Promise.all([sign(FIRST!), sign(SECOND!)]);
  assert.deepEqual(signed.toSorted(), [false, true]);
  const [first, other] = signed[0] ? [FIRST!, SECOND!] : [SECOND!, FIRST!];
  assert.equal((await stored()).signedBy, first);
  assert.equal(await answerPicture(db, { id, place: 0 }, "right", by(THIRD!)), false);
  assert.equal(await countersignAcceptance(db, id, by(first)), false);
  assert.ok(!isInForce(await stored()));
  const countersigned = await Promise.all(
    [other, THIRD!, first].map((userId) => countersignAcceptance(db, id, by(userId))),
  );
  assert.deepEqual(countersigned.filter(Boolean), [true]);
  assert.ok(isInForce(await stored()) && (await stored()).countersignedBy !== first);
  assert.equal(await revokeAcceptance(db, id, by(first)), true);
  assert.ok(!isInForce(await stored()));
  assert.equal(await countersignAcceptance(db, id, by(other)), false);
  await db.destroy();
});

databaseTest("a release takes two decisions of two people, once each", async (database) => {
  const db = await database.open();
  await addPeople(db);
  const stoppedAt = "2026-03-01T00:00:00.000Z";
  const id = await insertStop(db, { ...SCANNER, since: null, moved: [], stoppedAt });
  const stored = async () => (await listStops(db))[0]!;
  const propose = (userId: number) =>
    proposeDecision(db, id, { decision: "release", reason: "coil replaced" }, by(userId));
  const unproposed = {
    decision: "release" as const,
    proposed_at: by(FIRST!).at,
    changed_at: stoppedAt,
  };
  assert.equal(await agreeToDecision(db, id, unproposed, by(SECOND!)), false);
  const proposed = await Promise.all([propose(FIRST!), propose(SECOND!)]);
  assert.deepEqual(proposed.toSorted(), [false, true]);
  const [first, other] = proposed[0] ? [FIRST!, SECOND!] : [SECOND!, FIRST!];
  const seen = { ...unproposed, proposed_at: by(first).at };
  assert.equal(await agreeToDecision(db, id, { ...seen, decision: "confirm" }, by(other)), false);
  assert.equal(await agreeToDecision(db, id, { ...seen, proposed_at: "" }, by(other)), false);
  assert.equal(await agreeToDecision(db, id, { ...seen, changed_at: "" }, by(other)), false);
  assert.equal(await agreeToDecision(db, id, seen, by(first)), false);
  assert.ok(isWithholding(await stored()));
  const agreed = await Promise.all(
    [first, other, THIRD!].map((userId) => agreeToDecision(db, id, seen, by(userId))),
  );
  assert.deepEqual(agreed.filter(Boolean), [true]);
  assert.ok(!isWithholding(await stored()) && (await stored()).decidedBy !== first);
  assert.equal(await clearDecision(db, id, stoppedAt), true);
  assert.ok(isWithholding(await stored()));
  assert.equal(await clearDecision(db, id, stoppedAt), false);
  await db.destroy();
});
