// covers: S-126
import assert from "node:assert/strict";
import { sql } from "kysely";
import type { AppError } from "@/model/errors.ts";
import type { Api } from "@/client/api/http.ts";
import { saveLabels } from "@/client/api/worklist/labels.ts";
import {
  acceptNorm,
  applyNorm,
  getNorms,
  getNormSummary,
  listNormChanges,
  markControls,
  proposeNorm,
  revokeNorm,
  unmarkControl,
} from "@/client/api/report/norms.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { getReport } from "@/client/api/report/report.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { usualVolume } from "@/model/regions/measures.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import { textIn } from "@/model/text.ts";
import { citedText } from "@/model/text/settings/norms.ts";
import type { NormChange } from "@/model/schema/report/norms.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { colleague, coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

const PRISMA = "SIEMENS Prisma 12345", ENGINE = "sulcus-engine 0.1.0";
const CONTROLS = 22, PATIENT = 23, ELSEWHERE = 24, OLDER = 25, COUNT = 25;
const CONTROL_PIDS = Array.from({ length: CONTROLS }, (_, n) => n + 1);

/** Between -1 and 1, another one for every study and label. */
const spread = (pid: number, label: number) => Math.sin(7.3 * pid + 2.1 * label + pid * label);

/** Results whose every volume is a fifth larger than usual, and varies by a tenth. */
async function addScans(dataDir: string): Promise<void> {
  await addReported(dataDir, COUNT, 12);
  const db = await openBeside(dataDir);
  try {
    for (let pid = 1; pid <= COUNT; pid++) {
      const { id, results } = await db.selectFrom("analyses").select(["id", "results"]).where(
        "pid",
        "=",
        pid,
      )
        .executeTakeFirstOrThrow();
      const volumesMm3 = Array.from(
        { length: 105 },
        (_, label) => (usualVolume(label) || 1000) * (1.2 + 0.1 * spread(pid, label)),
      );
      await db.updateTable("analyses").set({
        engine_version: pid === OLDER ? "sulcus-engine 0.0.9" : ENGINE,
        results: JSON.stringify({ ...JSON.parse(results!), volumesMm3, icvMm3: 1_500_000 }),
      }).where("id", "=", id).execute();
      await db.updateTable("series").set({ scanner: pid === ELSEWHERE ? "GE Premier 9" : PRISMA })
        .where("pid", "=", pid).execute();
    }
  } finally {
    await db.destroy();
  }
}

/** Another administrator, signed in. */
async function administrator(open: Api, dataDir: string): Promise<Api> {
  const credentials = { email: "second@hospital.test", password: "correct-horse-9" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name: "Second", isMaintenance: true });
  await db.destroy();
  return { ...open, token: (await login(open, credentials)).access_token };
}

/** Expects an error with some details. */
const refused = (call: Promise<unknown>, code: string, details: Record<string, unknown>) =>
  assert.rejects(call, (error: AppError) => {
    const { request_id: _, ...own } = error.details;
    assert.deepEqual([error.code, own], [code, details]);
    return true;
  });

const hippocampus = async (api: Api, pid: number) =>
  (await getPatient(api, pid)).t1_result!.find(({ part_index }) => part_index[0] === 19)!
    .rank_icv_total!;

async function allChanges(api: Api, id: number): Promise<NormChange[]> {
  const all: NormChange[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page = await listNormChanges(api, id, after);
    all.push(...page.changes);
    after = page.next;
  }
  return all;
}

coreTest(
  "local norms: marked, proposed, accepted by another, recomputed by choice, undone as before",
  async (
    { api, open, dataDir, events },
  ) => {
    await addScans(dataDir);
    const second = await administrator(open, dataDir);
    // the list's finding of inserted rows is filled in by the catch-up, whenever that comes
    const patient = async () => ({ ...await getPatient(api, PATIENT), finding: null });
    // the catch-up may have read a row that was half inserted: its place is outlined in the pictures
    const wordsOfReport = async () => {
      const { outlined_place: _, images, ...words } = await getReport(api, PATIENT);
      return { ...words, images: images.map(({ key }) => key), generated_at: "" };
    };
    const before = await patient(), reportBefore = await wordsOfReport();

    assert.deepEqual(await markControls(api, { pid_list: [...CONTROL_PIDS.slice(0, 19), 99] }), {
      marked: CONTROL_PIDS.slice(0, 19),
      excluded: [{ pid: 99, reason: "deleted" }],
    });
    // 19 say nothing yet
    const few = await getNormSummary(api, PRISMA);
    assert.ok(few.controls === 19 && few.regions.every(({ verdict }) => verdict === "too_few"));
    await refused(proposeNorm(api, PRISMA), "norm.too_few_controls", { n: 19, needed: 20 });
    const [label] =
      (await saveLabels(api, [{ id: -1, label_name: "Healthy", patients: [20, 21, 22] }])).labels;
    assert.deepEqual((await markControls(api, { label_id: label!.id })).marked, [20, 21, 22]);

    const summary = await getNormSummary(api, PRISMA);
    assert.deepEqual([summary.controls, summary.engine_version, summary.other_engine], [
      22,
      ENGINE,
      0,
    ]);
    const region = summary.regions.find(({ measure, key }) =>
      measure === "volume" && key === "19+20"
    )!;
    assert.equal(region.verdict, "shifted");
    assert.ok(
      region.mean_low > 0 && region.mean_low < region.mean && region.mean < region.mean_high,
    );
    assert.ok(region.n === 22 && region.sd_low < region.sd && region.sd < region.sd_high);
    assert.equal((await getNormSummary(api, "GE Premier 9")).controls, 0);

    const id = await proposeNorm(api, PRISMA);
    // a proposal changes nothing
    assert.deepEqual(await patient(), before);
    await assert.rejects(acceptNorm(api, id), { code: "norm.same_person" });
    await assert.rejects(applyNorm(api, id), { code: "norm.not_in_force" });
    await acceptNorm(second, id);
    await assert.rejects(acceptNorm(second, id), { code: "norm.not_open" });
    const { norms: [norm], scanners } = await getNorms(api);
    assert.deepEqual(scanners, [PRISMA]);
    assert.deepEqual(
      [norm!.state, norm!.proposed_by, norm!.accepted_by, norm!.is_own, norm!.controls],
      ["accepted", "physician@hospital.test", "second@hospital.test", true, 22],
    );
    // stored results stay as they are until somebody chooses otherwise
    assert.deepEqual(await patient(), before);

    const changes = await allChanges(api, id);
    assert.deepEqual(changes.map(({ pid }) => pid), [...CONTROL_PIDS, PATIENT]);
    const own = changes.at(-1)!.measures.find(({ key }) => key === "19+20")!;
    events.length = 0;
    const db = await openBeside(dataDir);
    const changedPids =
      async () => (await db.selectFrom("result_changes").select(["pid", "changed_at"]).where(
        "cause",
        "=",
        "norms",
      )
        .orderBy("pid").execute());
    /** What other systems have is noted as outdated in the transaction, or nothing is changed. */
    const isAllOrNone = async (change: () => Promise<unknown>) => {
      await sql`ALTER TABLE result_changes RENAME TO result_changes_away`.execute(db);
      await assert.rejects(change(), { code: "internal" });
      await sql`ALTER TABLE result_changes_away RENAME TO result_changes`.execute(db);
    };
    await isAllOrNone(() => applyNorm(api, id));
    assert.deepEqual(await allChanges(api, id), changes);
    assert.deepEqual(await changedPids(), []);
    events.length = 0;
    assert.equal(await applyNorm(api, id), CONTROLS + 1);
    const appliedTo = await changedPids();
    assert.deepEqual(appliedTo.map(({ pid }) => pid), [...CONTROL_PIDS, PATIENT]);
    assert.ok(events.some(({ event }) => event.event === "study_update" && event.pid === PATIENT));
    const after = await patient(), rank = await hippocampus(api, PATIENT);
    assert.equal(rank.percentile, own.after.percentile);
    assert.ok(
      rank.percentile < own.before.percentile - 5,
      `${own.before.percentile} → ${rank.percentile}`,
    );
    assert.deepEqual(after.local_norms, {
      scanner: PRISMA,
      controls: 22,
      accepted_at: norm!.accepted_at!,
    });
    assert.deepEqual(await allChanges(api, id), []);
    // another scanner's results, and those of another engine, are left alone
    for (const pid of [ELSEWHERE, OLDER]) {
      assert.equal((await getPatient(api, pid)).local_norms, undefined);
    }

    const day = norm!.accepted_at!.slice(0, 10);
    const named = textIn(citedText.scanner, "en", {
      norms: NORMS_NAME,
      n: 22,
      scanner: PRISMA,
      date: day,
    });
    const report = await getReport(api, PATIENT),
      korean = await getReport(api, PATIENT, { language: "ko" });
    assert.ok(report.reference.name.includes(named), report.reference.name);
    assert.ok(korean.reference.name.includes(`대조군 22명(${PRISMA})`), korean.reference.name);
    assert.notDeepEqual(report.main_page, reportBefore.main_page);

    // undone by one action: as before, word for word
    await isAllOrNone(() => revokeNorm(api, id));
    assert.deepEqual(await patient(), after);
    await revokeNorm(api, id);
    const revokedOf = await changedPids();
    assert.ok(revokedOf.every(({ changed_at }, n) => changed_at > appliedTo[n]!.changed_at));
    assert.equal(revokedOf.length, appliedTo.length);
    assert.deepEqual(await patient(), before);
    assert.deepEqual(await wordsOfReport(), reportBefore);
    for (const call of [acceptNorm, revokeNorm]) {
      await assert.rejects(call(second, id), { code: "norm.not_open" });
    }
    await assert.rejects(applyNorm(api, id), { code: "norm.not_in_force" });
    await assert.rejects(listNormChanges(api, id), { code: "norm.not_open" });

    const log = await db.selectFrom("audit").select(["event", "outcome", "details", "pid"])
      .where("event", "like", "norm.%").orderBy("seq").execute();
    await db.destroy();
    const told = [...new Set(log.map(({ event, outcome }) => `${event} ${outcome}`))];
    assert.deepEqual(told, [
      "norm.propose norm.too_few_controls",
      "norm.propose ok",
      "norm.accept norm.same_person",
      "norm.apply norm.not_in_force",
      "norm.accept ok",
      "norm.accept norm.not_open",
      "norm.view ok",
      "norm.apply internal",
      "norm.apply ok",
      "norm.revoke internal",
      "norm.revoke ok",
      "norm.revoke norm.not_open",
      "norm.view norm.not_open",
    ]);
    assert.deepEqual(
      JSON.parse(
        log.find(({ event, outcome }) => event === "norm.accept" && outcome === "ok")!.details,
      ),
      {
        norm: id,
      },
    );
    assert.ok(log.some(({ event, pid }) => event === "norm.apply" && pid === PATIENT));
  },
);

coreTest(
  "norms of the whole site are for scanners without their own, and a table names them",
  async (
    { api, open, dataDir },
  ) => {
    await addScans(dataDir);
    const second = await administrator(open, dataDir);
    await markControls(api, { pid_list: CONTROL_PIDS });
    const own = await proposeNorm(api, PRISMA), site = await proposeNorm(second, null);
    await acceptNorm(second, own);
    await acceptNorm(api, site);
    assert.deepEqual((await allChanges(api, site)).map(({ pid }) => pid), [ELSEWHERE]);
    assert.equal(await applyNorm(api, site), 1);
    assert.equal((await getPatient(api, ELSEWHERE)).local_norms?.scanner, null);
    // a scanner's own come before the site's once they are undone
    await revokeNorm(api, own);
    assert.equal((await allChanges(api, site)).length, CONTROLS + 1);

    const norms = (await getPatient(api, ELSEWHERE)).local_norms!;
    const { t1_result: _, ...row } = await getPatient(api, ELSEWHERE);
    const cells = excelRowOf(exportColumnsOf(), {
      row: { ...row, label_list: [] },
      results: {
        volumesMm3: Array(105).fill(1000),
        icvMm3: 1e6,
        shape: [1, 1, 1],
        rasFromIjkRows: [],
        quality: { grade: "A" },
      },
      flair: null,
      norms: { method: PLAIN_METHOD, name: norms, changedAt: null },
    });
    const [, adjusted] = textIn(citedText.site, "en", { n: 22 }).split(/\{norms\}|\{date\}/);
    assert.ok(cells.some((cell) => String(cell).includes(adjusted!)));
  },
);

coreTest(
  "only what is measured well becomes a control, and no control outlives its study's fitness",
  async (
    { api, dataDir },
  ) => {
    await addScans(dataDir);
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({ patient_age: null }).where("pid", "=", 2).execute();
    await db.updateTable("patients").set({ patient_sex: null }).where("pid", "=", 3).execute();
    await db.updateTable("patients").set({ patient_age: 12, patient_birthdate: null })
      .where("pid", "=", 4).execute();
    await db.updateTable("patients").set({ t1_analysis_id: null }).where("pid", "=", 5).execute();
    await db.updateTable("analyses").set((e) => ({
      results: e.fn<string>("replace", ["results", e.val('"grade":"A"'), e.val('"grade":"C"')]),
    })).where("pid", "=", 6).execute();
    const { marked, excluded } = await markControls(api, { pid_list: [1, 2, 3, 4, 5, 6, 7, 7] });
    assert.deepEqual(marked, [1, 7]);
    assert.deepEqual(excluded, [
      { pid: 2, reason: "age_unknown" },
      { pid: 3, reason: "sex_unknown" },
      { pid: 4, reason: "age_outside_norms" },
      { pid: 5, reason: "not_analyzed" },
      { pid: 6, reason: "quality" },
    ]);
    await refused(markControls(api, { pid_list: [6] }), "control.unsuitable", {
      pid: 6,
      reason: "quality",
    });
    await db.updateTable("patients").set({ patient_sex: null }).where("pid", "=", 7).execute();
    await db.destroy();
    assert.deepEqual(
      (await getNorms(api)).controls.map(({ pid, problem, scanner }) => [pid, problem, scanner]),
      [
        [1, null, PRISMA],
        [7, "sex_unknown", PRISMA],
      ],
    );
    await unmarkControl(api, 7);
    await assert.rejects(unmarkControl(api, 7), { code: "entity.not_found" });
    assert.deepEqual((await getNorms(api)).controls.map(({ pid }) => pid), [1]);
  },
);

coreTest(
  "nobody but administrators sees or changes controls and norms",
  async ({ open, api, dataDir }) => {
    await addScans(dataDir);
    const other = await colleague(open, dataDir);
    await markControls(api, { pid_list: CONTROL_PIDS });
    const id = await proposeNorm(api, null);
    const calls: [string, () => Promise<unknown>][] = [
      ["list", () => getNorms(other)],
      ["summary", () => getNormSummary(other, null)],
      ["mark", () => markControls(other, { pid_list: [PATIENT] })],
      ["unmark", () => unmarkControl(other, 1)],
      ["propose", () => proposeNorm(other, null)],
      ["accept", () => acceptNorm(other, id)],
      ["revoke", () => revokeNorm(other, id)],
      ["changes", () => listNormChanges(other, id)],
      ["apply", () => applyNorm(other, id)],
    ];
    for (const [name, call] of calls) {
      await assert.rejects(
        call(),
        { code: "access.forbidden" },
        name,
      );
    }
    const { norms, controls } = await getNorms(api);
    assert.deepEqual([norms[0]!.state, controls.length], ["proposed", CONTROLS]);
    for (const body of [{}, { pid_list: [] }, { pid_list: [1], label_id: 1 }]) {
      await assert.rejects(markControls(api, body), { code: "input.invalid" });
    }
    await assert.rejects(acceptNorm(api, 999), { code: "entity.not_found" });
  },
);
