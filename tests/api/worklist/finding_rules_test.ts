// covers: S-190, S-216
import assert from "node:assert/strict";
import { getHistory, listPatients } from "@/client/api/studies/patients.ts";
import { getReport } from "@/client/api/report/report.ts";
import type { StudyFinding } from "@/model/schema/studies/patients.ts";
import { addMissingFindings, refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { MissingFindings } from "@/server/core/analyses/service/missing_findings.ts";
import { saveLongitudinal } from "@/server/core/analyses/storage/longitudinal.ts";
import { comparableVisits } from "@/server/core/analyses/service/comparable_visits.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { until } from "@/tests/sites/until.ts";

/** A finding that current rules do not give: a change that an earlier version called firm. */
const EARLIER: StudyFinding = {
  deviation: null,
  wmh: null,
  fazekas_equivalent: null,
  change: { key: "brain", percent: -9.9, since: "2001-01-01" },
  first: {
    kind: "change",
    certainty: "firm",
    key: "brain",
    percent: -9.9,
    norm_percent: null,
    since: "2001-01-01",
  },
  more: 0,
};

/** z scores of a patient with two small hippocampi, which are the finding. */
const SMALL_HIPPOCAMPI = (label: number) => label === 19 || label === 20 ? -4 : 0;

coreTest(
  "a finding that was stored by other rules is shown nowhere: list, history and report have it by those of today",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 3, 12, SMALL_HIPPOCAMPI);
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({ patient_id: "P-1" }).execute();
    await refreshFindings(db, [1, 2, 3]);
    const listed = async () =>
      (await listPatients(api)).patients.map(({ pid, finding }) => ({ pid, finding }));
    const now = await listed();
    assert.ok(now.every(({ finding }) => finding?.first));
    const place = async () => (await getReport(api, 1)).outlined_place;
    const placeNow = await place();
    const storeEarlier = (finding_rules: string | null) =>
      db.updateTable("patients").set({ finding: JSON.stringify(EARLIER), finding_rules }).execute();
    const stored = async () =>
      (await readPatients(db, [1, 2, 3])).map(({ row: { pid, finding } }) => ({ pid, finding }));
    const inOrder = now.toSorted((a, b) => a.pid - b.pid);

    for (const rules of [null, "0123456789abcdef"]) {
      await storeEarlier(rules);
      assert.deepEqual(await listed(), now, `list, ${rules}`);
      // reading the list has stored the findings
      assert.deepEqual(await stored(), inOrder);
      await storeEarlier(rules);
      const { history } = await getHistory(api, 1);
      assert.deepEqual(
        history.map(({ pid, finding }) => ({ pid, finding })).sort((a, b) => a.pid - b.pid),
        inOrder,
        `history, ${rules}`,
      );
      await storeEarlier(rules);
      assert.deepEqual(await place(), placeNow, `report, ${rules}`);
      await storeEarlier(rules);
      // the catch-up after a start computes findings of studies that are not requested
      const services = { db, log: () => {} } as unknown as ServiceContext;
      const later = new CatchUp([new MissingFindings(services).catchUp], () => {});
      later.begin();
      await until(() => later.waiting === 0);
      await later.close();
      assert.deepEqual(await stored(), inOrder, `catch-up, ${rules}`);
    }

    // rows were read before another process stored newer findings, which must not be overwritten
    await storeEarlier(null);
    const read = await readPatients(db, [1, 2, 3]);
    await db.updateTable("patients").set({ patient_sex: null }).execute();
    await refreshFindings(db, [1, 2, 3]);
    const newer = await stored();
    assert.notDeepEqual(newer, inOrder);
    await addMissingFindings(db, read);
    assert.deepEqual(await stored(), newer);
    await db.destroy();
  },
);

coreTest(
  "the list has no change from a comparison that the report does not use any more",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 2, 12);
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({ patient_id: "P-1" }).execute();
    await db.updateTable("patients").set({ study_date: "2024-01-05" }).where("pid", "=", 1)
      .execute();
    const compare = async () =>
      await saveLongitudinal(db, "P-1", {
        visits: (await comparableVisits(db, "P-1"))[0]!.map(({ pid, analysisId, studyDate }) => ({
          pid,
          analysisId,
          studyDate,
        })),
        engineVersion: "e",
        errorCode: null,
        finishedAt: "2026-01-07T00:00:00Z",
        results: {
          icvMm3: 1_400_000,
          visits: [1, 2].map((pid) => ({
            pid,
            studyDate: pid === 1 ? "2024-01-05" : "2026-01-05",
            volumesMm3: Array.from({ length: 105 }, () => pid === 1 ? 1100 : 1000),
            thicknessMm: [],
            sideMm: [2.5, 2.5] as [number, number],
            differences: [],
          })),
        },
      });
    const changeOf = async () => {
      const row = (await listPatients(api)).patients.find(({ pid }) => pid === 2)!;
      const { longitudinal } = await getReport(api, 2);
      assert.equal(row.finding!.change !== null, longitudinal !== null);
      return row.finding!.change;
    };
    await compare();
    await refreshFindings(db, [2]);
    assert.equal((await changeOf())!.since, "2024-01-05");
    // the date of the earlier study is corrected; its change is compared again later
    await db.updateTable("patients").set({ study_date: "2023-01-05" }).where("pid", "=", 1)
      .execute();
    await refreshFindings(db, [1, 2]);
    assert.equal(await changeOf(), null);
    await db.destroy();
  },
);

coreTest(
  "a list after an upgrade is answered before its findings are computed, which are announced and shown then",
  async ({ api, dataDir, events }) => {
    await addReported(dataDir, 30, 12, SMALL_HIPPOCAMPI);
    const db = await openBeside(dataDir), pids = Array.from({ length: 30 }, (_, n) => n + 1);
    await refreshFindings(db, pids);
    const current = (await listPatients(api, { page_size: 50 })).patients;
    assert.ok(current.every((row) => row.finding?.first && row.is_finding_pending === undefined));
    await db.updateTable("patients").set({ finding_rules: "0123456789abcdef" }).execute();
    // the results of one study are damaged
    await db.updateTable("analyses").set({ results: "{" }).where("id", "=", 7).execute();
    const pending = (await listPatients(api, { page_size: 50 })).patients;
    assert.equal(pending.length, 30);
    for (const row of pending) {
      assert.equal(row.finding, null, "none by earlier rules");
      assert.equal(row.is_finding_pending, true);
    }
    const announced = () =>
      events.flatMap(({ event }) => event.event === "study_finding" ? event.pid_list : []);
    await until(() => announced().length === 30);
    assert.deepEqual(announced().toSorted((a, b) => a - b), pids);
    const readable = current.filter(({ pid }) => pid !== 7);
    const shown = (await listPatients(api, { page_size: 50 })).patients;
    assert.deepEqual(shown.filter(({ pid }) => pid !== 7), readable);
    // the damaged study is not pending, and does not delay the findings of the others
    const damaged = shown.find(({ pid }) => pid === 7)!;
    assert.deepEqual([damaged.finding, damaged.is_finding_pending], [null, undefined]);
    await db.updateTable("patients").set({ finding_rules: null }).execute();
    const again = (await listPatients(api, { page_size: 50 })).patients;
    assert.equal(again.find(({ pid }) => pid === 7)!.is_finding_pending, undefined);
    assert.equal(again.filter((row) => row.is_finding_pending).length, 29);
    await until(() => announced().length === 59);
    await db.destroy();
  },
);
