// covers: S-126
import assert from "node:assert/strict";
import type { AppError } from "@/model/errors.ts";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import {
  acceptNorm,
  applyNorm,
  computeRoutineNorms,
  exportRoutineCounts,
  getNorms,
  getRoutineDetails,
  getRoutineNorms,
  importRoutineCounts,
  listNormChanges,
  proposeRoutineNorm,
  removeRoutineCounts,
  revokeNorm,
} from "@/client/api/report/norms.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { textIn } from "@/model/text.ts";
import { citedText, normsName } from "@/model/text/settings/norms.ts";
import type { RoutineFile, RoutineGroup } from "@/model/schema/report/routine_norms.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  measureAgain,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";

const COUNT = 130, SHIFT = 0.5, PATIENT = 1;

/** Another administrator, signed in. */
async function administrator(open: Api, dataDir: string): Promise<Api> {
  const credentials = { email: "second@hospital.test", password: "correct-horse-9" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name: "Second", isMaintenance: true });
  await db.destroy();
  return { ...open, token: (await login(open, credentials)).access_token };
}

/** The scanner's estimate once no computation runs. */
async function newest(api: Api): Promise<RoutineGroup> {
  for (;;) {
    const { groups, is_computing } = await getRoutineNorms(api);
    if (!is_computing) return groups[0]!;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function compute(api: Api): Promise<RoutineGroup> {
  await computeRoutineNorms(api);
  return await newest(api);
}

const refused = (call: Promise<unknown>, code: string, details: Record<string, unknown> = {}) =>
  assert.rejects(call, (error: AppError) => {
    const { request_id: _, ...values } = error.details;
    assert.deepEqual([error.code, values], [code, details]);
    return true;
  });

coreTest(
  "norms of routine studies: counted, proposed, accepted by another, named, watched, undone",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, COUNT, SHIFT);
    const second = await administrator(open, dataDir), before = await getPatient(api, PATIENT);
    const db = await openBeside(dataDir);
    // not reliable, no patient ID, and a second study of a patient: none of them counts
    await db.updateTable("analyses").set((e) => ({
      results: e.fn<string>("replace", ["results", e.val('"grade":"A"'), e.val('"grade":"C"')]),
    })).where("pid", "=", 2).execute();
    await db.updateTable("patients").set({ patient_id: "" }).where("pid", "=", 3).execute();
    await db.updateTable("patients").set({ patient_id: "P-5" }).where("pid", "=", 4).execute();

    assert.deepEqual(await getRoutineNorms(api), {
      groups: [],
      computed_at: null,
      is_computing: false,
    });
    const group = await compute(api);
    assert.deepEqual(
      [group.scanner, group.protocol, group.engine_version, group.studies, group.sites],
      [ROUTINE_SCANNER, ROUTINE_PROTOCOL, ROUTINE_ENGINE, COUNT - 3, 1],
    );
    const { regions } = await getRoutineDetails(api, group.id);
    const hippocampus = regions.find(({ key }) => key === "19")!;
    assert.equal(hippocampus.refusal, null, JSON.stringify(hippocampus));
    const part = hippocampus.part!;
    assert.ok(part.offset_low < SHIFT && SHIFT < part.offset_high, JSON.stringify(part));
    assert.ok(part.scale_low < part.scale && part.scale < part.scale_high);
    assert.equal(hippocampus.counts.reduce((sum, count) => sum + count, 0), COUNT - 3);

    const id = await proposeRoutineNorm(api, group.id);
    assert.deepEqual((await getPatient(api, PATIENT)).t1_result, before.t1_result);
    await assert.rejects(acceptNorm(api, id), { code: "norm.same_person" });
    await acceptNorm(second, id);
    const [norm] = (await getNorms(api)).norms;
    assert.deepEqual(
      [norm!.source, norm!.protocol, norm!.sites, norm!.controls, norm!.state],
      ["routine", ROUTINE_PROTOCOL, 1, COUNT - 3, "accepted"],
    );
    // results of another protocol of the scanner are not read with them
    await db.updateTable("series").set({ protocol: "1.5 T" }).where("pid", "=", 9).execute();
    assert.ok((await listNormChanges(api, id)).changes.length > 0);
    assert.equal(await applyNorm(api, id), COUNT - 1);
    assert.equal((await getPatient(api, 9)).local_norms, undefined);
    const name = (await getPatient(api, PATIENT)).local_norms!;
    assert.deepEqual([name.source, name.sites], ["routine", 1]);
    assert.equal(
      normsName(name, "en"),
      textIn(citedText.routine, "en", {
        norms: NORMS_NAME,
        n: 127,
        scanner: name.scanner ?? "",
        date: name.accepted_at.slice(0, 10),
      }),
    );

    // the same studies once more are no alarm; a scanner that reads otherwise is, until the norms are undone
    assert.deepEqual([(await compute(api)).moved, (await newest(api)).is_alarm], [0, false]);
    await measureAgain(dataDir, COUNT, -0.9, 2);
    await db.updateTable("patients").set({ patient_id: "P-3" }).where("pid", "=", 3).execute();
    const moved = await compute(api);
    assert.ok(moved.is_alarm && moved.moved >= 4, JSON.stringify(moved));
    await revokeNorm(api, id);
    assert.equal((await newest(api)).is_alarm, false);
    assert.equal((await getPatient(api, PATIENT)).local_norms, undefined);

    const events = await db.selectFrom("audit").select("event").where("event", "like", "norm.%")
      .where("outcome", "=", "ok").distinct().orderBy("event").execute();
    await db.destroy();
    assert.deepEqual(events.map(({ event }) => event), [
      "norm.accept",
      "norm.apply",
      "norm.compute",
      "norm.propose",
      "norm.revoke",
      "norm.view",
    ]);
  },
);

coreTest(
  "counts of sites are pooled by files that hold no study, checked at the door",
  async ({ api, dataDir }) => {
    const own = 60;
    await addRoutine(dataDir, own, SHIFT);
    const { id } = await compute(api);
    await refused(proposeRoutineNorm(api, id), "norm.too_few_routine", { n: own, needed: 100 });
    const file = await exportRoutineCounts(api, id), text = JSON.stringify(file);
    // nothing of a study, patient, date, scanner or hospital
    assert.doesNotMatch(text, /P-1|Name|2026|SIEMENS|12345|1\.2\.3|hospital/);
    assert.equal(file.studies, own);

    const other: RoutineFile = { ...file, site: "a".repeat(32) };
    const changed = (change: Partial<RoutineFile>) => ({ ...other, ...change });
    const [measure] = file.measures;
    const wrong: [unknown, string][] = [
      [file, "own"],
      [changed({ engine_version: "sulcus-engine 9" }), "engine"],
      [changed({ has_opinion: true }), "opinion"],
      [changed({ protocol: "1.5 T" }), "protocol"],
      [changed({ measures: [{ ...measure!, bias: measure!.bias + 0.01 }] }), "bias"],
      [changed({ measures: [measure!, measure!] }), "counts"],
      [changed({ measures: [{ ...measure!, name: "volume:999" }] }), "counts"],
      [changed({ measures: [{ ...measure!, outside: 1000 }] }), "counts"],
      [changed({ measures: [{ ...measure!, bands: [[5], [], [], []] }] }), "counts"],
      [changed({ measures: [{ ...measure!, bands: [[9, 1, 9, 1], [], [], []] }] }), "counts"],
      [changed({ measures: [{ ...measure!, bands: [[160, 1], [], [], []] }] }), "counts"],
    ];
    for (const [content, reason] of wrong) {
      await refused(importRoutineCounts(api, id, content), "norm.pool_unsuitable", { reason });
    }
    for (
      const content of [
        {},
        null,
        { ...other, version: 2 },
        { ...other, bins: 80 },
        { ...other, studies: 1e9 },
        { ...other, site: "x" },
        { ...other, age_bands: [18] },
        { ...other, measures: [{ ...measure, bands: [[0.5, 1], [], [], []] }] },
        { ...other, measures: [{ ...measure, bands: [[-1, 1], [], [], []] }] },
      ]
    ) await assert.rejects(importRoutineCounts(api, id, content), { code: "input.invalid" });

    assert.equal(await importRoutineCounts(api, id, other), own);
    const pooled = await newest(api);
    assert.deepEqual([pooled.studies, pooled.other_studies, pooled.sites], [own, own, 2]);
    // a newer file of the same site takes the older one's place
    await importRoutineCounts(api, id, other);
    assert.equal((await newest(api)).sites, 2);
    const norm = await proposeRoutineNorm(api, id);
    const [item] = (await getNorms(api)).norms;
    assert.deepEqual([item!.id, item!.sites, item!.controls], [norm, 2, 2 * own]);
    // only this site's counts leave again
    assert.equal((await exportRoutineCounts(api, id)).studies, own);
    await removeRoutineCounts(api, id);
    assert.deepEqual([(await newest(api)).sites], [1]);
  },
);

coreTest(
  "an update that changes the bias of a measure mixes no counts, and moves no norm in force",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, COUNT, SHIFT);
    const { id } = await compute(api), file = await exportRoutineCounts(api, id);
    const norm = await proposeRoutineNorm(api, id);
    await acceptNorm(await administrator(open, dataDir), norm);
    const db = await openBeside(dataDir);
    // as if the norm had been made before the update
    const { norms } = await db.selectFrom("local_norms").select("norms").where("id", "=", norm)
      .executeTakeFirstOrThrow();
    const older: Record<string, { bias: number; offset: number }> = JSON.parse(norms);
    for (const each of Object.values(older)) {
      each.bias -= 0.1;
      each.offset += 1.2;
    }
    await db.updateTable("local_norms").set({ norms: JSON.stringify(older) })
      .where("id", "=", norm).execute();
    const { estimated, moved, is_alarm } = await compute(api);
    assert.deepEqual([estimated > 0, moved, is_alarm], [true, 0, false]);

    await importRoutineCounts(api, id, { ...file, site: "a".repeat(32) });
    await newest(api);
    const studiesOf = async () =>
      (await getRoutineDetails(api, id)).regions.map(({ key, n }) => [key, n]);
    const whole = await studiesOf();
    assert.ok(whole.length >= 4 && whole.every(([, n]) => n === 2 * COUNT), JSON.stringify(whole));
    // as if the other site's counts had been made before it
    const { content } = await db.selectFrom("routine_pools").select("content")
      .executeTakeFirstOrThrow();
    const pool: RoutineFile = JSON.parse(content);
    for (const measure of pool.measures) if (measure.name === "volume:19") measure.bias += 0.03;
    await db.updateTable("routine_pools").set({ content: JSON.stringify(pool) }).execute();
    await db.destroy();
    await compute(api);
    assert.deepEqual(await studiesOf(), whole.map(([key, n]) => [key, key === "19" ? COUNT : n]));
  },
);

coreTest(
  "too few studies, and results without a scanner, give no norm",
  async ({ api, dataDir }) => {
    await addRoutine(dataDir, 12, 0);
    const group = await compute(api);
    assert.equal(group.estimated, 0);
    await refused(exportRoutineCounts(api, group.id), "norm.too_few_routine", {
      n: 12,
      needed: 20,
    });
    for (const call of [getRoutineDetails, proposeRoutineNorm, exportRoutineCounts]) {
      await assert.rejects(call(api, 999), { code: "entity.not_found" });
    }
    const db = await openBeside(dataDir);
    await db.updateTable("series").set({ scanner: "" }).execute();
    await db.destroy();
    assert.equal(await compute(api), undefined);
  },
);
