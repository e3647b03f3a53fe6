// Signatures of acceptance tests and decisions about stops, in a server that is killed among them.
// covers: S-152, S-154, S-215
import assert from "node:assert/strict";
import type { StopAgreement } from "@/model/schema/report/stops.ts";
import { existsSync } from "node:fs";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import {
  agreeToStop,
  countersignAcceptance,
  getStops,
  proposeStop,
  revokeAcceptance,
  signAcceptance,
  undoStop,
} from "@/client/api/report/acceptance.ts";
import { assess } from "@/model/acceptance/assess.ts";
import { Random } from "@/model/random.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  answerPicture,
  insertAcceptance,
  listAcceptances,
  stateOf,
} from "@/server/core/norms/storage/acceptances.ts";
import { insertStop, listStops } from "@/server/core/norms/storage/stops.ts";
import { verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import { EMAIL, PASSWORD, ROOT, startSite } from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { untilEqual } from "@/tests/sites/until.ts";

const ROUNDS = 4, TESTS = 40, STUDIES = 3, LATEST_KILL = 24, SECOND = "second@hospital.test";
const SCANNER = { scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL };
const isBuilt = existsSync(`${ROOT}/static/build/manifest.json`);

/** Acceptance tests whose pictures have all been judged, and a stop of another scanner. */
async function prepare(db: Database): Promise<void> {
  const by = { userId: 1, at: "2026-02-01T00:00:00.000Z" };
  const result = assess(ROUTINE_PROTOCOL, [], 0);
  const criteria = result.criteria.map((each) => ({ ...each, state: "passed" as const }));
  for (let n = 0; n < TESTS; n++) {
    const id = await insertAcceptance(db, {
      ...SCANNER,
      ...{ engineVersion: ROUTINE_ENGINE, seed: 1, pids: [1], pictures: [1] },
      result: { ...result, criteria },
    }, by);
    await answerPicture(db, { id, place: 0 }, "right", by);
  }
  await insertStop(db, { ...SCANNER, since: null, moved: [], stoppedAt: by.at });
}

/** Calls that were answered, and the one that was not; the server ends among them. */
interface Done {
  acknowledged: string[];
  pending: string | null;
}

/** Makes calls one after another until the server is gone. */
async function callUntilGone(
  steps: Iterable<readonly [name: string, call: () => Promise<void>]>,
  onAnswer: () => void,
): Promise<Done> {
  const acknowledged: string[] = [];
  for (const [name, call] of steps) {
    try {
      await call();
    } catch {
      return { acknowledged, pending: name };
    }
    acknowledged.push(name);
    onAnswer();
  }
  return { acknowledged, pending: null };
}

function* signatures(first: Api, second: Api, from: number) {
  for (let id = from; id <= TESTS; id++) {
    const decision = "percentiles" as const;
    yield [`${id} signed`, () => signAcceptance(first, id, { decision, remark: "" })] as const;
    yield [`${id} accepted`, () => countersignAcceptance(second, id)] as const;
    if (id % 2 === 0) yield [`${id} revoked`, () => revokeAcceptance(first, id)] as const;
  }
}

/** The proposal that a second person reads. */
async function proposed(api: Api): Promise<StopAgreement> {
  const [stop] = (await getStops(api)).stops;
  const { decision, proposed_at, changed_at } = stop!;
  return { decision: decision!, proposed_at: proposed_at!, changed_at };
}

/** State of the stop after each decision. */
const AFTER = { propose: "proposed", agree: "released", undo: "stopped" } as const;

/** Decisions about the stop, from the state in which the last server left it. */
function* decisions(first: Api, second: Api, state: string) {
  const release = { decision: "release" as const, reason: "coil replaced" };
  if (state !== "stopped") yield ["undo", () => undoStop(first, 1)] as const;
  for (;;) {
    yield ["propose", () => proposeStop(first, 1, release)] as const;
    yield ["agree", async () => await agreeToStop(second, 1, await proposed(second))] as const;
    yield ["undo", () => undoStop(first, 1)] as const;
  }
}

async function stopState(db: Database): Promise<string> {
  const [stop] = await listStops(db);
  const { decision, decidedAt, decidedBy, proposedAt, proposedBy, reason } = stop!;
  // nobody's half: all of a decision is there, or nothing
  const isProposed = decision !== null, isDecided = decidedAt !== null;
  assert.deepEqual([proposedAt !== null, proposedBy === 1, reason !== ""], [
    isProposed,
    isProposed,
    isProposed,
  ]);
  assert.deepEqual([isDecided && isProposed, decidedBy === 2], [isDecided, isDecided]);
  return isDecided ? "released" : isProposed ? "proposed" : "stopped";
}

/** Compares the stored signatures with the answered calls. @returns the first test that is unsigned. */
async function checkSignatures(db: Database, { acknowledged, pending }: Done): Promise<number> {
  const expected = new Map(acknowledged.map((name) => name.split(" ") as [string, string]));
  const [pendingId, pendingState] = pending?.split(" ") ?? [];
  const tests = (await listAcceptances(db)).toReversed();
  for (const test of tests) {
    const isSigned = test.signedAt !== null, isAccepted = test.countersignedAt !== null;
    assert.deepEqual([test.signedBy === 1, test.decision !== null], [isSigned, isSigned]);
    assert.equal(test.countersignedBy === 2, isAccepted);
    assert.equal(test.revokedBy === 1, test.revokedAt !== null);
    assert.ok(!isAccepted || isSigned);
    const state = stateOf(test), answered = expected.get(String(test.id));
    if (String(test.id) === pendingId) {
      assert.ok([answered ?? "checking", pendingState].includes(state), `${test.id} ${state}`);
    } else if (answered) assert.equal(state, answered, `test ${test.id}`);
  }
  return 1 + (tests.findLast(({ signedAt }) => signedAt !== null)?.id ?? 0);
}

Deno.test({
  name: `a server that is killed among signatures and releases loses none and leaves none by half${
    isBuilt ? "" : " (skipped: run deno task build first)"
  }`,
  ignore: !isBuilt,
  fn: async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-signatures-" });
    const random = new Random(46);
    try {
      const before = await openBeside(dataDir);
      for (const [email, name] of [[EMAIL, "First"], [SECOND, "Second"]] as const) {
        await addQuickUser(before, { email, password: PASSWORD, name, isMaintenance: true });
      }
      await addRoutine(dataDir, STUDIES, 0);
      await prepare(before);
      await before.destroy();
      let from = 1, state = "stopped", answered = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const site = await startSite({ dataDir });
        const open: Api = { send: (request) => fetch(request), origin: site.url };
        const [first, second] = await Promise.all([EMAIL, SECOND].map(async (email) => {
          const { access_token } = await login(open, { email, password: PASSWORD });
          return { ...open, token: access_token };
        }));
        // by the number of answers, and so on any machine: among the calls that follow
        let left = 1 + Math.floor(random.uniform() * LATEST_KILL);
        let ending: Promise<void> | null = null;
        const onAnswer = () => void (--left <= 0 && (ending ??= site.stop("SIGKILL")));
        const [signed, decided] = await Promise.all([
          callUntilGone(signatures(first!, second!, from), onAnswer),
          callUntilGone(decisions(first!, second!, state), onAnswer),
        ]);
        await ending;
        answered += signed.acknowledged.length + decided.acknowledged.length;
        const db = await openBeside(dataDir);
        from = await checkSignatures(db, signed);
        const now = await stopState(db), last = decided.acknowledged.at(-1);
        const [lastState, nextState] = [last, decided.pending].map((step) =>
          step ? AFTER[step as keyof typeof AFTER] : state
        );
        assert.ok([lastState, nextState].includes(now as typeof lastState), `${last}: ${now}`);
        state = now;
        const events = await db.selectFrom("audit").select("event").where("outcome", "=", "ok")
          .where((e) => e.or([e("event", "like", "acceptance.%"), e("event", "like", "stop.%")]))
          .execute();
        assert.ok(events.length >= answered, `${events.length} of ${answered} are in the log`);
        assert.equal((await verifyAudit(db)).broken, null);
        // results of a release are sent again by the transaction that stored it
        const [stop] = await listStops(db);
        const changed = await db.selectFrom("result_changes").select("changed_at")
          .where("cause", "=", "norms").execute();
        const isMoved = changed.length === 0 ||
          changed.every(({ changed_at }) => changed_at >= stop!.changedAt);
        assert.ok(isMoved);
        if (stop!.changedAt > "2026-02-02") assert.equal(changed.length, STUDIES);
        await db.destroy();
      }
      assert.ok(answered >= ROUNDS);
      // a server that starts again goes on
      await using site = await startSite({ dataDir });
      const open: Api = { send: (request) => fetch(request), origin: site.url };
      const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
      const api = { ...open, token: access_token };
      if (state !== "stopped") await undoStop(api, 1);
      const db = await openBeside(dataDir);
      await untilEqual(() => stopState(db), "stopped");
      await db.destroy();
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
