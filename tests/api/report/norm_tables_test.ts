// covers: S-217, S-218
import assert from "node:assert/strict";
import type { AppError } from "@/model/errors.ts";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import {
  acceptNorm,
  applyNorm,
  getNorms,
  getNormTable,
  importNormTable,
  listNormChanges,
  revokeNorm,
} from "@/client/api/report/norms.ts";
import { getReport } from "@/client/api/report/report.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { filledExample, NORMS_SOURCE } from "@/tests/sites/norms/example_norms.ts";
import { textIn } from "@/model/text.ts";
import { citedText, normsName } from "@/model/text/settings/norms.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addRoutine, ROUTINE_ENGINE, ROUTINE_SCANNER } from "@/tests/sites/routine_site.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";

const COUNT = 6, PATIENT = 1;

/** A user, signed in. */
async function user(open: Api, dataDir: string, isMaintenance: boolean): Promise<Api> {
  const email = isMaintenance ? "second@hospital.test" : "reader@hospital.test";
  const credentials = { email, password: "correct-horse-9" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name: "Second", isMaintenance });
  await db.destroy();
  return { ...open, token: (await login(open, credentials)).access_token };
}

const refused = (call: Promise<unknown>, code: string, details: Record<string, unknown> = {}) =>
  assert.rejects(call, (error: AppError) => {
    const { request_id: _, ...values } = error.details;
    assert.deepEqual([error.code, values], [code, details]);
    return true;
  });

/** The example with hippocampi that are larger by half a mL: everybody's are small against it. */
const LARGER = filledExample().replace("# title: Example", "# title: Larger").replace(
  /,(\d\.\d{3}),(0\.\d{3})$/gm,
  (_, mean, sd) => `,${(Number(mean) + 0.5).toFixed(3)},${sd}`,
);

/** Gives every study hippocampi of one size. */
async function setHippocampi(dataDir: string, mm3: number): Promise<void> {
  const db = await openBeside(dataDir);
  for (
    const { id, results } of await db.selectFrom("analyses").select(["id", "results"]).execute()
  ) {
    const of = JSON.parse(results!);
    of.volumesMm3[19] = of.volumesMm3[20] = mm3;
    await db.updateTable("analyses").set({ results: JSON.stringify(of) }).where("id", "=", id)
      .execute();
  }
  await db.destroy();
}

coreTest(
  "a table is checked, proposed, accepted by another, named where it is printed, and undone",
  async ({ api, open, dataDir }) => {
    await addReported(dataDir, COUNT, 12);
    await setHippocampi(dataDir, 3600);
    const second = await user(open, dataDir, true), before = await getReport(api, PATIENT);
    await refused(
      importNormTable(api, LARGER.replace("hippocampus", "hippocampi")),
      "norm.table_invalid",
      { reason: "region", row: 7, column: "region" },
    );
    assert.deepEqual((await getNorms(api)).norms, []);

    const id = await importNormTable(api, LARGER);
    assert.equal((await getNormTable(second, id)).title, "Larger");
    await refused(acceptNorm(api, id), "norm.same_person");
    assert.deepEqual((await getPatient(api, PATIENT)).local_norms, undefined);
    const { changes, other_engine } = await listNormChanges(api, id);
    assert.equal(other_engine, 0);
    const { measures } = changes.find(({ pid }) => pid === PATIENT)!;
    assert.deepEqual(measures.map(({ key }) => key).sort(), ["19", "19+20", "20"]);
    assert.ok(measures.every(({ before, after }) => after.percentile < before.percentile));

    await acceptNorm(second, id);
    assert.equal(await applyNorm(api, id), COUNT);
    const name = (await getPatient(api, PATIENT)).local_norms!;
    const cited = textIn(citedText.tableByIcv, "en", {
      norms: NORMS_NAME,
      title: "Larger",
      source: NORMS_SOURCE,
      n: 2,
      from: 20,
      to: 90,
      date: name.accepted_at.slice(0, 10),
    });
    assert.equal(normsName(name, "en"), cited);
    const after = await getReport(api, PATIENT);
    assert.equal(after.reference?.name, cited);
    assert.ok(after.hippocampus!.rank_left!.percentile < before.hippocampus!.rank_left!.percentile);
    // the curve of the report is the one that its percentile is read from
    const { age } = after.hippocampus!.curve_left[0]!;
    const medianOf = (report: typeof after) =>
      report.hippocampus!.curve_left.find((point) => point.age === age)!.p50;
    assert.ok(medianOf(after) > medianOf(before) + 0.4);
    assert.equal(after.hippocampus!.left, before.hippocampus!.left);

    // undone by one action: every figure is as before
    await revokeNorm(api, id);
    const again = await getReport(api, PATIENT);
    assert.deepEqual([again.reference, again.hippocampus], [before.reference, before.hippocampus]);
    await refused(getNormTable(api, id), "norm.not_open");
    const [item] = (await getNorms(api)).norms;
    assert.deepEqual([item!.title, item!.state, item!.source], ["Larger", "revoked", "table"]);

    const db = await openBeside(dataDir);
    const events = await db.selectFrom("audit").select(["event", "outcome", "details"])
      .where("event", "=", "norm.import_table").orderBy("seq").execute();
    await db.destroy();
    assert.deepEqual(events.map(({ outcome }) => outcome), ["norm.table_invalid", "ok"]);
    assert.deepEqual(JSON.parse(events[1]!.details!), { norm: id, title: "Larger" });
  },
);

coreTest(
  "tables are imported by administrators alone, are bounded, and those of an engine are its own",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    const reader = await user(open, dataDir, false);
    await refused(importNormTable(reader, LARGER), "access.forbidden");
    await assert.rejects(importNormTable(api, "x".repeat(600_000)), { code: "input.invalid" });
    const own = (engine: string) =>
      LARGER.replace("software: freesurfer", `software: sulcus\n# engine_version: ${engine}`);
    const others = await importNormTable(api, own("sulcus-engine 9.9"));
    assert.equal((await listNormChanges(api, others)).other_engine, COUNT);
    const ours = await importNormTable(api, own(ROUTINE_ENGINE));
    assert.ok((await listNormChanges(api, ours)).changes.length > 0);
    // a stopped scanner shows no percentiles, whatever the norms: nothing of it changes
    const db = await openBeside(dataDir);
    const { protocol } = await db.selectFrom("series").select("protocol").executeTakeFirstOrThrow();
    const stop = { scanner: ROUTINE_SCANNER, protocol: protocol!, since: null, moved: [] };
    const id = await insertStop(db, { ...stop, stoppedAt: "2026-01-02T00:00:00Z" });
    assert.deepEqual((await listNormChanges(api, ours)).changes, []);
    await db.deleteFrom("scanner_stops").where("id", "=", id).execute();
    await db.destroy();
    assert.ok((await listNormChanges(api, ours)).changes.length > 0);
    await importNormTable(api, LARGER);
    const last = await importNormTable(api, LARGER);
    await refused(getNormTable(reader, last), "access.forbidden");
    await refused(importNormTable(api, LARGER), "norm.too_many_tables", { n: 4 });
    await revokeNorm(api, last);
    await importNormTable(api, LARGER);
  },
);
