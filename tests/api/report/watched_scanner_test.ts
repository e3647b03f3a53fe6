// A scanner that two people once accepted stays watched, and nobody hides a change alone.
// covers: S-141, S-153, S-154
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import {
  agreeToStop,
  beginAcceptance,
  countersignAcceptance,
  getAcceptance,
  getStops,
  proposeStop,
  revokeAcceptance,
  signAcceptance,
} from "@/client/api/report/acceptance.ts";
import {
  agreeToRestart,
  computeDrift,
  getDrift,
  restartDrift,
  withdrawRestart,
} from "@/client/api/report/norms.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import type { DriftGroup } from "@/model/schema/report/drift.ts";
import type { StopAgreement } from "@/model/schema/report/stops.ts";
import type { Database } from "@/server/core/database/database.ts";
import { judgePicture } from "@/tests/sites/norms/judged_pictures.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  ROUTINE_COIL,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

const COUNT = 24, SCANNER = { scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL };
const OVERALL = { name: "overall", direction: "lower" as const, date: "2025-01-06" };
const HIPPOCAMPUS = { name: "volume:19+20", direction: "lower" as const, date: "2025-01-09" };

async function administrator(open: Api, dataDir: string): Promise<Api> {
  const credentials = { email: "second@hospital.test", password: "correct-horse-9" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name: "Second", isMaintenance: true });
  await db.destroy();
  return { ...open, token: (await login(open, credentials)).access_token };
}

/** A site with 24 studies of one scanner, a day apart, and its charts. */
async function addSite(dataDir: string): Promise<Database> {
  await addRoutine(dataDir, COUNT, 0);
  const db = await openBeside(dataDir);
  for (let pid = 1; pid <= COUNT; pid++) {
    const study_date = new Date(Date.UTC(2025, 0, pid)).toISOString().slice(0, 10);
    await db.updateTable("patients").set({ study_date }).where("pid", "=", pid).execute();
  }
  return db;
}

async function compute(api: Api): Promise<DriftGroup> {
  await computeDrift(api);
  const { groups } = await until(async () => {
    const answer = await getDrift(api);
    return answer.is_computing ? null : answer;
  });
  return groups[0]!;
}

/** Has charts signal a change, as their next studies would. */
const move = (db: Database, moved: DriftGroup["moved"]) =>
  db.updateTable("drift_groups").set({ is_moved: 1, moved: JSON.stringify(moved) }).execute();

/** Two people sign that the scanner is used for volumes. @returns number of the test. */
async function accept(api: Api, second: Api): Promise<number> {
  const id = await beginAcceptance(api, SCANNER);
  for (const { place } of (await getAcceptance(api, id)).pictures) {
    await judgePicture(api, { id, place }, "right");
  }
  await signAcceptance(api, id, { decision: "volumes", remark: "" });
  await countersignAcceptance(second, id);
  return id;
}

/** The proposal about the newest stop that a second person reads. */
async function proposed(api: Api): Promise<StopAgreement> {
  const { decision, proposed_at, changed_at } = (await getStops(api)).stops[0]!;
  return { decision: decision!, proposed_at: proposed_at!, changed_at };
}

coreTest(
  "charts: a change is cleared by two people with a reason, and the acceptance sheet says so",
  async ({ api, open, dataDir }) => {
    const db = await addSite(dataDir), second = await administrator(open, dataDir);
    const { id } = await compute(api);
    for (const reason of ["", "  "]) {
      await assert.rejects(restartDrift(api, id, reason), { code: "input.invalid" });
    }
    // before any acceptance, charts without a change are restarted by one person
    await restartDrift(api, id, "coil replaced");
    const first = await compute(api);
    assert.deepEqual([first.studies, first.needs_second, first.proposal], [0, false, null]);

    // a change is not hidden before the countersignature by one person
    await move(db, [OVERALL]);
    await restartDrift(api, id, "nothing wrong");
    const waiting = await compute(api);
    assert.deepEqual([waiting.state, waiting.needs_second], ["moved", true]);
    assert.deepEqual([waiting.proposal!.reason, waiting.proposal!.is_own], ["nothing wrong", true]);
    await assert.rejects(restartDrift(second, id, "again"), { code: "chart.not_open" });
    const seen = { proposed_at: waiting.proposal!.proposed_at };
    await assert.rejects(agreeToRestart(api, id, seen), { code: "chart.same_person" });
    const other = { proposed_at: "2026-01-01T00:00:00.000Z" };
    await assert.rejects(agreeToRestart(second, id, other), { code: "chart.not_open" });
    await withdrawRestart(second, id);
    await assert.rejects(withdrawRestart(second, id), { code: "chart.not_open" });
    await assert.rejects(agreeToRestart(second, id, seen), { code: "chart.not_open" });

    await accept(api, second);
    assert.equal((await getStops(api)).stops.length, 1);
    await restartDrift(api, id, "gradient repaired");
    const { proposal } = await compute(api);
    await agreeToRestart(second, id, { proposed_at: proposal!.proposed_at });
    const restarted = await compute(api);
    assert.deepEqual([restarted.state, restarted.moved], ["learning", []]);
    // accepted: a restart needs two people, although no chart signals a change
    assert.equal(restarted.needs_second, true);
    await restartDrift(second, id, "every month");
    assert.equal((await compute(api)).proposal!.is_own, false);

    const sheet = await getAcceptance(api, 1);
    const about = { coil: ROUTINE_COIL, engine_version: ROUTINE_ENGINE };
    assert.deepEqual(sheet.charts.map(({ computed_at: _, ...chart }) => chart), [
      { ...about, studies: 0, learnt: 0, needed: 100, moved: [] },
    ]);
    assert.deepEqual(
      sheet.restarts.map(({ restarted_at: _, ...restart }) => restart),
      [
        {
          ...about,
          studies: 0,
          moved: [OVERALL],
          reason: "gradient repaired",
          restarted_by: "physician@hospital.test",
          agreed_by: "second@hospital.test",
        },
        {
          ...about,
          studies: COUNT,
          moved: [],
          reason: "coil replaced",
          restarted_by: "physician@hospital.test",
          agreed_by: null,
        },
      ],
    );
    const audited = await db.selectFrom("audit").select("event").where("event", "like", "drift.%")
      .where("outcome", "=", "ok").distinct().orderBy("event").execute();
    assert.deepEqual(
      audited.map(({ event }) => event),
      ["drift.agree", "drift.compute", "drift.restart", "drift.restart_undo"],
    );
    await db.destroy();
  },
);

coreTest(
  "stop rule: a scanner whose acceptance is revoked stays watched",
  async ({ api, open, dataDir }) => {
    const db = await addSite(dataDir), second = await administrator(open, dataDir);
    await compute(api);
    const id = await accept(api, second);
    await revokeAcceptance(api, id);
    await move(db, [OVERALL]);
    await compute(api);
    assert.equal((await getStops(api)).stops.length, 1);
    assert.equal((await getPatient(api, COUNT)).norm_reason, "scanner_stopped");
    await db.destroy();
  },
);

coreTest(
  "stop rule: a chart that moves later is recorded, and ends a proposal made before",
  async ({ api, open, dataDir }) => {
    const db = await addSite(dataDir), second = await administrator(open, dataDir);
    await compute(api);
    await accept(api, second);
    await move(db, [OVERALL]);
    await compute(api);
    const { id, since } = (await getStops(api)).stops[0]!;
    const release = { decision: "release" as const, reason: "coil replaced" };
    await proposeStop(api, id, release);
    const read = await proposed(second);

    // a later change affects no earlier study, so the first date stays
    await move(db, [OVERALL, HIPPOCAMPUS]);
    await compute(api);
    const [stop] = (await getStops(second)).stops;
    assert.deepEqual(stop!.moved, [OVERALL, HIPPOCAMPUS]);
    assert.deepEqual([stop!.since, stop!.state, stop!.proposed_at], [since, "stopped", null]);
    await assert.rejects(agreeToStop(second, id, read), { code: "stop.outdated" });
    assert.equal((await getPatient(api, COUNT)).norm_reason, "scanner_stopped");

    // a proposal of the same moment, by a person who has read the newer state
    await proposeStop(api, id, release);
    const renewed = await proposed(second);
    await assert.rejects(agreeToStop(second, id, { ...renewed, changed_at: read.changed_at }), {
      code: "stop.outdated",
    });
    // the charts' state is looked at each hour and does not change by that
    await compute(api);
    await agreeToStop(second, id, renewed);
    assert.equal((await getStops(api)).stops[0]!.state, "released");
    await db.destroy();
  },
);
