// Acceptance tests of one scanner, signed in another order than they were started.
// covers: S-151, S-152
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import {
  countersignAcceptance,
  getAcceptance,
  getAcceptances,
  revokeAcceptance,
  signAcceptance,
} from "@/client/api/report/acceptance.ts";
import { assess } from "@/model/acceptance/assess.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { Random } from "@/model/random.ts";
import { type AcceptanceDecision, acceptanceDecision } from "@/model/schema/report/acceptance.ts";
import type { Database } from "@/server/core/database/database.ts";
import { answerPicture, insertAcceptance } from "@/server/core/norms/storage/acceptances.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const STEPS = 60, ROUNDS = 4, LATEST = "2099-01-01T00:00:00.000Z";
const SECOND = { email: "second@hospital.test", password: "correct-horse-9" };

/** Starts a test that allows every decision. */
async function start(db: Database): Promise<number> {
  const by = { userId: 1, at: new Date().toISOString() };
  const result = assess(ROUTINE_PROTOCOL, [], 0);
  const id = await insertAcceptance(db, {
    ...{ scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL, engineVersion: ROUTINE_ENGINE },
    ...{ seed: 1, pids: [1], pictures: [1], norms: { published: NORMS_NAME, local: [null] } },
    result: {
      ...result,
      doubted: 0,
      criteria: result.criteria.map((each) => ({ ...each, state: "passed" as const })),
    },
  }, by);
  await answerPicture(db, { id, place: 0 }, "right", by);
  return id;
}

const secondOf = async (open: Api, db: Database): Promise<Api> => {
  await addQuickUser(db, { ...SECOND, name: null, role: "administrator" });
  return { ...open, token: (await login(open, SECOND)).access_token };
};
const sign = (api: Api, id: number, decision: AcceptanceDecision) =>
  signAcceptance(api, id, { decision, remark: "" });
const inForce = async (api: Api) => (await getAcceptances(api)).scanners[0]!.accepted_for;
const statesOf = async (api: Api) =>
  (await getAcceptances(api)).tests.map(({ id, state, replaced_by }) => [id, state, replaced_by]);

coreTest(
  "acceptance: a test signed before a newer refusal cannot be accepted after it",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, 1, 0);
    const db = await openBeside(dataDir), second = await secondOf(open, db);
    const [older, newer] = [await start(db), await start(db)];
    await sign(api, older, "percentiles");
    await sign(api, newer, "none");
    assert.deepEqual(await statesOf(api), [[newer, "signed", null], [older, "superseded", newer]]);
    await assert.rejects(countersignAcceptance(second, older), { code: "acceptance.replaced" });
    await countersignAcceptance(second, newer);
    await assert.rejects(countersignAcceptance(second, older), { code: "acceptance.replaced" });
    assert.equal(await inForce(api), "none");
    // a site of an earlier version may have given the second signature
    await db.updateTable("acceptances").set({ countersigned_at: LATEST, countersigned_by: 2 })
      .where("id", "=", older).execute();
    assert.equal(await inForce(api), "none");
    assert.deepEqual(await statesOf(api), [
      [newer, "accepted", null],
      [older, "superseded", newer],
    ]);
    assert.equal((await getAcceptance(api, newer)).earlier[0]!.replaced_by, newer);
    // without the refusal, the older test counts again
    await revokeAcceptance(api, newer);
    assert.deepEqual(await statesOf(api), [[newer, "revoked", null], [older, "accepted", null]]);
    await db.destroy();
  },
);

interface Test {
  id: number;
  decision: AcceptanceDecision | null;
  /** number of the first signature, in their order */
  signed: number;
  isCountersigned: boolean;
  isRevoked: boolean;
}

coreTest(
  "acceptance: in any order of signatures, the newest test with both is in force",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, 1, 0);
    const db = await openBeside(dataDir), second = await secondOf(open, db);
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = new Random(seed), below = (n: number) => Math.floor(n * random.uniform());
      await db.deleteFrom("acceptances").execute();
      const tests: Test[] = [];
      for (let step = 1; step <= STEPS; step++) {
        const at = below(tests.length), test = tests[at], action = below(5);
        if (!test || action === 0) {
          const plain = { decision: null, signed: 0, isCountersigned: false, isRevoked: false };
          tests.push({ id: await start(db), ...plain });
        } else if (action === 1 && below(2) === 0) {
          if (!test.isRevoked) await revokeAcceptance(api, test.id);
          test.isRevoked = true;
        } else if (action === 2) {
          const decision = acceptanceDecision.options[below(3)]!;
          if (test.decision === null && !test.isRevoked) {
            await sign(api, test.id, decision);
            Object.assign(test, { decision, signed: step });
          }
        } else if (test.decision !== null && !test.isCountersigned && !test.isRevoked) {
          const isNewest = tests.every((other) => other.isRevoked || other.signed <= test.signed);
          const call = countersignAcceptance(second, test.id);
          if (isNewest) await call;
          else await assert.rejects(call, { code: "acceptance.replaced" });
          test.isCountersigned = isNewest;
        }
        const standing = tests.filter((each) => each.isCountersigned && !each.isRevoked)
          .sort((a, b) => b.signed - a.signed);
        assert.equal(await inForce(api), standing[0]?.decision ?? null, `${seed}: step ${step}`);
        const accepted = (await getAcceptances(api)).tests.filter(({ state }) =>
          state === "accepted"
        );
        assert.deepEqual(accepted.map(({ id }) => id), standing.slice(0, 1).map(({ id }) => id));
      }
    }
    await db.destroy();
  },
);
