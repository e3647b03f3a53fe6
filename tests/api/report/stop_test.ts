// covers: S-153, S-154, S-155
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import type { StopAgreement } from "@/model/schema/report/stops.ts";
import { login } from "@/client/api/accounts/auth.ts";
import {
  agreeToStop,
  beginAcceptance,
  countersignAcceptance,
  getAcceptance,
  getStops,
  proposeStop,
  signAcceptance,
  undoStop,
} from "@/client/api/report/acceptance.ts";
import { computeDrift, getDrift } from "@/client/api/report/norms.ts";
import { getReport } from "@/client/api/report/report.ts";
import { getPatient, listPatients } from "@/client/api/studies/patients.ts";
import { findingText } from "@/model/text/worklist/finding.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { noticeOf } from "@/report/model/page.ts";
import { reportText } from "@/model/text/report/report.ts";
import { findingLine } from "@/components/worklist/table/FindingCell.tsx";
import { openStops } from "@/server/core/norms/service/stops.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { judgePicture } from "@/tests/sites/norms/judged_pictures.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  CHARTED_LABELS,
  measureAgain,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { until } from "@/tests/sites/until.ts";

const BEFORE = 110, COUNT = 150;
const SCANNER = { scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL };

/** Another administrator, signed in. */
async function administrator(open: Api, dataDir: string): Promise<Api> {
  const credentials = { email: "second@hospital.test", password: "correct-horse-9" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name: "Second", isMaintenance: true });
  await db.destroy();
  return { ...open, token: (await login(open, credentials)).access_token };
}

/** Has two people sign the acceptance of the scanner. */
async function accept(api: Api, second: Api): Promise<void> {
  const pid_list = Array.from({ length: 60 }, (_, n) => n + 1);
  const id = await beginAcceptance(api, { ...SCANNER, pid_list });
  for (const { place } of (await getAcceptance(api, id)).pictures) {
    await judgePicture(api, { id, place }, "right");
  }
  await signAcceptance(api, id, { decision: "percentiles", remark: "" });
  await countersignAcceptance(second, id);
}

async function compute(api: Api): Promise<void> {
  await computeDrift(api);
  await until(async () => (await getDrift(api)).is_computing ? null : true);
}

/** Studies a day apart, so that the change has a date. */
async function dateStudies(dataDir: string): Promise<void> {
  const db = await openBeside(dataDir);
  for (let pid = 1; pid <= COUNT; pid++) {
    const study_date = new Date(Date.UTC(2025, 0, pid)).toISOString().slice(0, 10);
    await db.updateTable("patients").set({ study_date, patient_birthdate: "1960-01-01" })
      .where("pid", "=", pid).execute();
  }
  await db.destroy();
}

const rankOf = async (api: Api, pid: number) => {
  const { t1_result, norm_reason } = await getPatient(api, pid);
  const row = t1_result!.find(({ part_index }) => part_index[0] === 19)!;
  return { volume: row.volume_total, rank: row.rank_icv_total, norm_reason };
};

/** The proposal that a second person reads. */
async function proposed(api: Api): Promise<StopAgreement> {
  const [stop] = (await getStops(api)).stops;
  const { decision, proposed_at, changed_at } = stop!;
  return { decision: decision!, proposed_at: proposed_at!, changed_at };
}

coreTest(
  "stop rule: a chart that moves withholds percentiles of an accepted scanner; two people give them back; one undoes that",
  async ({ api, open, dataDir, events }) => {
    await addRoutine(dataDir, COUNT, 0);
    await dateStudies(dataDir);
    await measureAgain(dataDir, COUNT, (pid) => pid > BEFORE ? -1.5 : 0, 3, CHARTED_LABELS);
    const second = await administrator(open, dataDir), db = await openBeside(dataDir);
    const before = await rankOf(api, COUNT);
    assert.ok(before.rank !== null);

    // off until the acceptance has been signed
    await compute(api);
    assert.equal((await getDrift(api)).groups[0]!.state, "moved");
    assert.deepEqual((await getStops(api)).stops, []);
    assert.deepEqual(await rankOf(api, COUNT), before);

    events.length = 0;
    await accept(api, second);
    const { stops: [stop, ...others] } = await getStops(api);
    assert.equal(others.length, 0);
    assert.deepEqual([stop!.state, stop!.scanner, stop!.protocol], [
      "stopped",
      ...Object.values(SCANNER),
    ]);
    const since = stop!.since!, first = 1 + (Date.parse(since) - Date.UTC(2025, 0, 1)) / 86_400_000;
    assert.ok(first > BEFORE - 20 && first <= BEFORE, since);
    assert.ok(events.some(({ event }) => event.event === "study_update" && event.pid === COUNT));
    assert.equal(await openStops({ db }), 1);

    const withheld = await rankOf(api, COUNT);
    assert.deepEqual(withheld, {
      volume: before.volume,
      rank: null,
      norm_reason: "scanner_stopped",
    });
    // studies before the change keep their percentiles
    assert.ok((await rankOf(api, first - 1)).rank !== null);
    assert.equal((await rankOf(api, first)).rank, null);
    const listed = async (pid: number) => {
      const row = (await listPatients(api, { page_size: 200 })).patients
        .find((each) => each.pid === pid)!;
      return findingLine(row, "en") ?? "";
    };
    assert.ok((await listed(COUNT)).includes(findingText.stopped.en));
    assert.ok(!(await listed(1)).includes(findingText.stopped.en));
    // the acceptance ends the mark of every result; afterwards the stop changes its own
    const changes = await db.selectFrom("result_changes").select(["pid", "changed_at"])
      .where("cause", "=", "norms").orderBy("pid").execute();
    assert.equal(changes.length, COUNT);
    const last = changes.map(({ changed_at }) => changed_at).sort().at(-1);
    assert.deepEqual(
      changes.filter(({ changed_at }) => changed_at === last).map(({ pid }) => pid),
      Array.from({ length: COUNT - first + 1 }, (_, n) => first + n),
    );

    // a result that comes later, with a header that has not been read, is withheld too
    await db.updateTable("patients").set({ study_date: "2026-01-05" }).where("pid", "=", 1)
      .execute();
    assert.equal((await rankOf(api, 1)).rank, null);
    // another protocol of the scanner, and another scanner, go on
    await db.updateTable("series").set({ protocol: "another" }).where("pid", "=", 1).execute();
    assert.ok((await rankOf(api, 1)).rank !== null);
    await db.updateTable("series").set({ scanner: "GE 9", protocol: ROUTINE_PROTOCOL })
      .where("pid", "=", 1).execute();
    assert.ok((await rankOf(api, 1)).rank !== null);

    // a second look at the same charts changes nothing
    await compute(api);
    assert.equal((await getStops(api)).stops.length, 1);
    const id = stop!.id, release = { decision: "release" as const, reason: " coil replaced " };
    const never = {
      decision: release.decision,
      proposed_at: "2026-01-01T00:00:00.000Z",
      changed_at: stop!.changed_at,
    };
    await assert.rejects(agreeToStop(second, id, never), { code: "stop.not_open" });
    for (const bad of [null, {}, { ...never, decision: "maybe" }, { decision: "release" }]) {
      await assert.rejects(agreeToStop(second, id, bad as never), { code: "input.invalid" });
    }
    await assert.rejects(undoStop(api, id), { code: "stop.not_open" });
    await assert.rejects(proposeStop(api, id, { ...release, reason: "  " }), {
      code: "input.invalid",
    });
    await assert.rejects(proposeStop(api, id + 1, release), { code: "entity.not_found" });
    await proposeStop(api, id, release);
    await assert.rejects(proposeStop(second, id, release), { code: "stop.not_open" });
    await assert.rejects(agreeToStop(api, id, await proposed(api)), { code: "stop.same_person" });
    // a proposal that is replaced while the second person reads it
    const read = await proposed(second);
    await undoStop(api, id);
    await proposeStop(api, id, { decision: "confirm", reason: "still broken" });
    await assert.rejects(agreeToStop(second, id, read), { code: "stop.not_open" });
    await undoStop(api, id);
    await assert.rejects(agreeToStop(second, id, read), { code: "stop.not_open" });
    await proposeStop(api, id, release);
    assert.deepEqual(await rankOf(api, COUNT), withheld);
    await agreeToStop(second, id, await proposed(second));
    assert.deepEqual(await rankOf(api, COUNT), before);
    assert.equal(await openStops({ db }), 0);
    assert.ok(!(await listed(COUNT)).includes(findingText.stopped.en));
    const [released] = (await getStops(api)).stops;
    assert.deepEqual(
      [released!.state, released!.reason, released!.proposed_by, released!.decided_by],
      ["released", "coil replaced", "physician@hospital.test", "second@hospital.test"],
    );
    // the charts learn from the results to come
    await compute(api);
    assert.equal((await getDrift(api)).groups[0]!.state, "learning");
    assert.equal((await getStops(api)).stops.length, 1);

    // undone by one action of one person: withheld again, at once
    await undoStop(api, id);
    assert.deepEqual(await rankOf(api, COUNT), withheld);
    await proposeStop(second, id, { decision: "confirm", reason: "broken" });
    await agreeToStop(api, id, await proposed(api));
    assert.equal((await getStops(api)).stops[0]!.state, "confirmed");
    assert.deepEqual(await rankOf(api, COUNT), withheld);
    // an update of the engine does not give them back
    await db.updateTable("analyses").set({ engine_version: "sulcus-engine 9.0.0" }).execute();
    assert.deepEqual(await rankOf(api, COUNT), withheld);

    const audited = await db.selectFrom("audit").select(["event", "outcome", "user_id"])
      .where("event", "like", "stop.%").orderBy("seq").execute();
    const told = [...new Set(audited.map(({ event, outcome }) => `${event} ${outcome}`))];
    assert.deepEqual(told, [
      "stop.view ok",
      "stop.begin ok",
      "stop.agree stop.not_open",
      "stop.agree input.invalid",
      "stop.undo stop.not_open",
      "stop.propose input.invalid",
      "stop.propose entity.not_found",
      "stop.propose ok",
      "stop.propose stop.not_open",
      "stop.agree stop.same_person",
      "stop.undo ok",
      "stop.agree ok",
    ]);
    assert.equal(audited.find(({ event }) => event === "stop.begin")!.user_id, null);
    await db.destroy();
  },
);

coreTest(
  "stop rule: report, table and comment say why there are no percentiles, in both languages",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 1, 12);
    const db = await openBeside(dataDir);
    await db.updateTable("series").set(SCANNER).execute();
    const open = await getReport(api, 1);
    assert.ok(JSON.stringify(open).includes('"percentile":'));
    await insertStop(db, {
      ...SCANNER,
      since: null,
      moved: [],
      stoppedAt: "2026-02-01T00:00:00.000Z",
    });
    await db.destroy();
    for (const language of ["en", "ko"] as const) {
      const report = await getReport(api, 1, { language });
      assert.equal(noticeOf(report), reportText.scannerStopped[language]);
      assert.ok(report.qc.warnings.includes("scanner_stopped"));
      assert.ok(report.conclusion!.sentences.includes(conclusionText.noneByScanner[language]));
      assert.ok(!JSON.stringify(report).includes('"percentile":'));
      assert.deepEqual(
        report.regions.map(({ volume_total }) => volume_total),
        open.regions.map(({ volume_total }) => volume_total),
      );
    }
  },
);

coreTest("stop rule: only administrators see and decide", async ({ open, dataDir }) => {
  const credentials = { email: "reader@hospital.test", password: "correct-horse-9" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name: "Reader", role: "physician" });
  await db.destroy();
  const reader = { ...open, token: (await login(open, credentials)).access_token };
  await assert.rejects(getStops(open), { code: "token.missing" });
  for (
    const call of [
      () => getStops(reader),
      () => proposeStop(reader, 1, { decision: "release", reason: "x" }),
      () =>
        agreeToStop(reader, 1, {
          decision: "release",
          proposed_at: "2026-01-01",
          changed_at: "2026-01-01",
        }),
      () => undoStop(reader, 1),
    ]
  ) await assert.rejects(call(), { code: "access.forbidden" });
});
