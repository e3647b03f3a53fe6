// covers: S-125
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { personsAmong } from "@/model/patient/one_person.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import {
  completeAnalysis,
  insertAnalysis,
  startAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { type BlobStore, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deleteLongitudinal,
  listLongitudinals,
  listPatientVisits,
  saveLongitudinal,
} from "@/server/core/analyses/storage/longitudinal.ts";
import {
  deletePatient,
  insertPatient,
  readPatients,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertBinned, restoreBinned } from "@/server/core/studies/storage/bin.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import {
  queueComparedAgain,
  queueResults,
} from "@/server/core/connections/service/result_queue.ts";
import { listOutbox } from "@/server/core/connections/storage/outbox.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import {
  comparableGroups,
  comparableVisits,
  currentLongitudinal,
} from "@/server/core/analyses/service/comparable_visits.ts";
import { longitudinalJob, watchVisits } from "@/server/core/analyses/service/longitudinal.ts";
import {
  LONGITUDINAL_JOB,
  queueLongitudinal,
} from "@/server/core/analyses/service/queue_visits.ts";
import { reportVisitsOf } from "@/server/core/reports/service/report_visits.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const AT = "2026-01-01T00:00:00.000Z", HASH = "a".repeat(64);

async function addAnalysis(
  db: Database,
  pid: number,
  seriesId: number,
  grade = "A",
): Promise<number> {
  const id = await insertAnalysis(db, {
    pid,
    seriesId,
    kind: "t1",
    parameters: {},
    inputHashes: [],
    requestedAt: AT,
    requestedBy: null,
  });
  await setLatestAnalysis(db, pid, "t1", id);
  await startAnalysis(db, id, AT);
  await completeAnalysis(
    db,
    id,
    {
      engineVersion: "e",
      results: {
        volumesMm3: [],
        icvMm3: 1,
        shape: [1, 1, 1],
        rasFromIjkRows: [],
        quality: { grade },
      },
      stages: [],
      files: [{ field: "t1w_file", blob: HASH, gzipBlob: HASH }],
      finishedAt: AT,
    } as Parameters<typeof completeAnalysis>[2],
  );
  return id;
}

let studies = 0;

/** A study with a completed analysis. */
async function addStudy(db: Database, patientId: string, studyDate: string | null, grade = "A") {
  const studyUid = `1.2.${++studies}`;
  const pid = await insertPatient(db, {
    studyUid,
    patientId,
    patientName: "P",
    birthDate: null,
    sex: null,
    age: null,
    studyDate,
    createdAt: AT,
    createdBy: null,
  });
  const series = {
    pid,
    seriesUid: studyUid,
    kind: "t1",
    description: "",
    volumeBlob: HASH,
    createdAt: AT,
  };
  const seriesId = await insertSeries(db, series as Parameters<typeof insertSeries>[1]);
  await setActiveSeries(db, pid, "t1", seriesId);
  return { pid, seriesId, analysisId: await addAnalysis(db, pid, seriesId, grade) };
}

async function withDb(
  database: TestDatabase,
  body: (db: Database) => Promise<void>,
): Promise<void> {
  const db = await database.open();
  try {
    await insertBlobs(db, [{ hash: HASH, sizeBytes: 1 }] as Parameters<typeof insertBlobs>[1], AT);
    await body(db);
  } finally {
    await db.destroy();
  }
}

const queued = async (db: Database) =>
  (await db.selectFrom("jobs").selectAll().where("status", "=", "queued").orderBy("id").execute())
    .map((job) => [job.kind, JSON.parse(job.payload).patientId]);

const results = {
  icvMm3: 1,
  visits: [{
    pid: 1,
    studyDate: "2020-01-01",
    volumesMm3: new Array(105).fill(1000),
    thicknessMm: [],
    sideMm: [2, 2] as [number, number],
    differences: [],
  }],
};

/** As if the job had run now. */
async function save(db: Database, patientId: string) {
  await deleteLongitudinal(db, patientId);
  for (const visits of await comparableVisits(db, patientId)) {
    await saveLongitudinal(db, patientId, {
      visits: visits.map(({ pid, analysisId, studyDate }) => ({ pid, analysisId, studyDate })),
      engineVersion: "e",
      results,
      errorCode: null,
      finishedAt: AT,
    });
  }
}

databaseTest(
  "comparableVisits() are dated, trusted studies of two dates; the first and the last seven",
  (database) =>
    withDb(database, async (db) => {
      await addStudy(db, "P", "2021-01-01");
      await addStudy(db, "P", null);
      await addStudy(db, "P", "2022-01-01", "C");
      await addStudy(db, "Q", "2022-01-01");
      await addStudy(db, "", "2020-01-01");
      await addStudy(db, "", "2021-01-01");
      assert.deepEqual(await comparableVisits(db, "P"), []);
      assert.deepEqual(await comparableVisits(db, ""), []);
      await addStudy(db, "P", "2021-01-01");
      assert.deepEqual(await comparableVisits(db, "P"), []);
      await addStudy(db, "P", "2019-01-01");
      const dates = async () =>
        (await comparableVisits(db, "P")).map((group) => group.map((visit) => visit.studyDate));
      assert.deepEqual(await dates(), [["2019-01-01", "2021-01-01", "2021-01-01"]]);
      for (let year = 2030; year < 2038; year++) await addStudy(db, "P", `${year}-01-01`);
      assert.deepEqual(
        await dates(),
        [[2019, 2031, 2032, 2033, 2034, 2035, 2036, 2037].map((y) => `${y}-01-01`)],
      );
    }),
);

type Recorded = { patient_birthdate?: string | null; patient_sex?: "male" | "female" | null };

const record = (db: Database, pid: number, recorded: Recorded) =>
  db.updateTable("patients").set(recorded).where("pid", "=", pid).execute();

/** Studies of each comparison; the same in the slices of the catch-up. */
async function comparedOf(db: Database): Promise<number[][]> {
  const [slice] = await listPatientVisits(db, { after: "", until: null });
  const groups = (await comparableVisits(db, "P")).map((group) => group.map(({ pid }) => pid));
  assert.deepEqual(
    comparableGroups(personsAmong(slice!.records), slice!.visits)
      .map((group) => group.map(({ pid }) => pid)),
    groups,
  );
  return groups;
}

// covers: S-245
databaseTest(
  "a wrong birth date or sex in one visit removes this visit from the comparison, and no other",
  (database) =>
    withDb(database, async (db) => {
      const pids: number[] = [];
      for (const year of [2019, 2020, 2021, 2022]) {
        pids.push((await addStudy(db, "P", `${year}-01-01`)).pid);
      }
      const right = { patient_birthdate: "1950-01-01", patient_sex: "male" } as const;
      for (
        const wrong of [{ patient_birthdate: "1981-02-03" }, { patient_sex: "female" }] as const
      ) {
        for (const odd of pids) {
          for (const pid of pids) await record(db, pid, right);
          await save(db, "P");
          assert.deepEqual(await comparedOf(db), [pids]);
          await record(db, odd, wrong);
          const others = pids.filter((pid) => pid !== odd);
          assert.deepEqual(await comparedOf(db), [others], JSON.stringify({ odd, wrong }));
          await save(db, "P");
          for (const pid of others) assert.ok(await currentLongitudinal(db, "P", pid));
          assert.equal(await currentLongitudinal(db, "P", odd), null);
          await queueLongitudinal(db, "P");
          assert.equal((await listLongitudinals(db, "P")).length, 1);
          await db.deleteFrom("jobs").execute();
        }
      }
      // a record that may be of two persons is compared with neither
      await record(db, pids[0]!, { patient_birthdate: null, patient_sex: null });
      await record(db, pids[1]!, { ...right, patient_birthdate: "1981-02-03" });
      for (const pid of pids.slice(2)) await record(db, pid, right);
      assert.deepEqual(await comparedOf(db), [pids.slice(2)]);
      // so is one with a study without analysed series
      await db.updateTable("patients").set({ t1_analysis_id: null }).where("pid", "=", pids[1]!)
        .execute();
      assert.deepEqual(await comparedOf(db), [pids.slice(2)]);
    }),
);

databaseTest(
  "two people with one patient ID have a comparison each, and a corrected record joins them",
  (database) =>
    withDb(database, async (db) => {
      const pids: number[] = [];
      for (const year of [2019, 2020, 2021, 2022]) {
        pids.push((await addStudy(db, "P", `${year}-01-01`)).pid);
      }
      const [a, b, c, d] = pids as [number, number, number, number];
      assert.deepEqual(await comparedOf(db), [pids], "records without dates contradict none");
      await save(db, "P");
      for (const pid of [a, c]) await record(db, pid, { patient_birthdate: "1950-01-01" });
      for (const pid of [b, d]) await record(db, pid, { patient_birthdate: "1981-02-03" });
      assert.deepEqual(await comparedOf(db), [[a, c], [b, d]]);
      for (const pid of pids) assert.equal(await currentLongitudinal(db, "P", pid), null);
      assert.equal(await queueLongitudinal(db, "P"), true);
      await save(db, "P");
      await db.deleteFrom("jobs").execute();
      assert.equal(await queueLongitudinal(db, "P"), false);
      for (const pid of pids) assert.ok(await currentLongitudinal(db, "P", pid));
      for (const pid of pids) await record(db, pid, { patient_birthdate: "1950-01-01" });
      assert.equal(await queueLongitudinal(db, "P"), true);
      assert.deepEqual((await listLongitudinals(db, "P")).map(({ firstPid }) => firstPid), [a]);
      assert.equal(await currentLongitudinal(db, "P", b), null);
    }),
);

const shownChange = async (db: Database, pid: number) =>
  (await readPatients(db, [pid]))[0]!.row.finding?.change ?? null;

databaseTest(
  "findings of studies that are compared no more lose their change at once",
  (database) =>
    withDb(database, async (db) => {
      const pids: number[] = [];
      for (const year of [2019, 2021, 2023]) {
        pids.push((await addStudy(db, "P", `${year}-01-01`)).pid);
      }
      const visits = pids.map((pid, n) => ({
        pid,
        studyDate: `${2019 + 2 * n}-01-01`,
        volumesMm3: Array.from({ length: 105 }, () => 1000 - 100 * n),
        thicknessMm: [],
        sideMm: [2, 2] as [number, number],
        differences: [],
      }));
      const [group] = await comparableVisits(db, "P");
      await saveLongitudinal(db, "P", {
        visits: group!,
        engineVersion: "e",
        results: { icvMm3: 1, visits },
        errorCode: null,
        finishedAt: AT,
      });
      await refreshFindings(db, pids);
      assert.ok(await shownChange(db, pids[1]!) && await shownChange(db, pids[2]!));
      await record(db, pids[0]!, { patient_birthdate: "1950-01-01" });
      await record(db, pids[1]!, { patient_birthdate: "1981-02-03" });
      await record(db, pids[2]!, { patient_birthdate: "1950-01-01" });
      await queueLongitudinal(db, "P");
      for (const pid of pids) assert.equal(await shownChange(db, pid), null, `${pid}`);
    }),
);

// covers: S-245
databaseTest(
  "a study that arrives or returns from the bin, analysed or not, is heard for all comparisons",
  (database) =>
    withDb(database, async (db) => {
      const pids: number[] = [];
      for (const year of [2019, 2021]) pids.push((await addStudy(db, "P", `${year}-01-01`)).pid);
      const [first, second] = pids as [number, number];
      for (const pid of pids) {
        await record(db, pid, { patient_birthdate: "1950-01-01", patient_sex: null });
      }
      const watch = watchVisits(servicesOf(db));
      const store = async () => {
        await db.deleteFrom("jobs").execute();
        const visits = pids.map((pid, n) => ({
          ...results.visits[0]!,
          pid,
          studyDate: `${2019 + 2 * n}-01-01`,
          volumesMm3: Array.from({ length: 105 }, () => 1000 - 100 * n),
        }));
        await saveLongitudinal(db, "P", {
          visits: (await comparableVisits(db, "P"))[0]!.map(({ pid, analysisId, studyDate }) => ({
            pid,
            analysisId,
            studyDate,
          })),
          engineVersion: "e",
          results: { icvMm3: 1, visits },
          errorCode: null,
          finishedAt: AT,
        });
        await refreshFindings(db, pids);
      };
      await store();
      assert.ok(await shownChange(db, second));
      // the bin: the comparison goes, and is queued when the study returns
      await insertBinned(db, first, { userId: 1, at: AT, reason: null }, []);
      await deletePatient(db, first, { userId: 1, at: AT });
      watch.hear({ event: "study_delete", pid: first, uid: 1 });
      await until(async () => (await listLongitudinals(db, "P")).length === 0);
      assert.equal(await shownChange(db, second), null);
      assert.ok(await restoreBinned(db, first));
      watch.hear({ event: "study_create", pid_list: [first] });
      await until(async () => (await queued(db)).length === 1);
      // a study without images that contradicts one of sex only: both may be of two persons
      await store();
      assert.ok(await shownChange(db, second));
      await record(db, first, { patient_birthdate: "1950-01-01", patient_sex: "male" });
      const arrived = await insertPatient(db, {
        ...newStudy(77),
        patientId: "P",
        birthDate: "1950-01-01",
        sex: "female",
      });
      watch.hear({ event: "study_create", pid_list: [arrived] });
      await until(async () => (await listLongitudinals(db, "P")).length === 0);
      assert.equal(await shownChange(db, second), null);
      await watch.close();
    }),
);

databaseTest(
  "reports that were sent leave again when a visit is another person's, once, and when it is not",
  (database) =>
    withDb(database, async (db) => {
      const pids: number[] = [];
      for (const year of [2019, 2020, 2021]) {
        pids.push((await addStudy(db, "P", `${year}-01-01`)).pid);
      }
      await save(db, "P");
      await db.insertInto("peers").values({
        name: "PACS",
        kind: "dicom",
        config: JSON.stringify({ results: ["report", "regions"] }),
        secret: null,
        last_error: null,
        last_ok_at: null,
        created_at: AT,
      }).execute();
      for (const pid of pids) await queueResults(db, pid);
      const sent = () => db.updateTable("outbox").set({ state: "sent", lease_ms: null }).execute();
      await sent();
      const leaving = async () => {
        const waiting = (await listOutbox(db, 100)).filter(({ state }) => state === "waiting");
        await sent();
        return waiting.map(({ pid, kind }) => [pid, kind]).sort();
      };
      const reports = (of: readonly number[]) => of.map((pid) => [pid, "report"]);
      await queueLongitudinal(db, "P");
      assert.deepEqual(await leaving(), []);
      for (const pid of pids) await record(db, pid, { patient_birthdate: "1950-01-01" });
      await record(db, pids[1]!, { patient_birthdate: "1981-02-03" });
      await queueLongitudinal(db, "P");
      assert.deepEqual(await leaving(), reports(pids));
      await queueLongitudinal(db, "P");
      assert.deepEqual(await leaving(), [], "once");
      // a comparison of the two others, as the job stores it
      await save(db, "P");
      await queueComparedAgain(db, [pids[0]!, pids[2]!]);
      assert.deepEqual(await leaving(), reports([pids[0]!, pids[2]!]));
      // a visit that is added withdraws nothing
      await addStudy(db, "P", "2023-01-01");
      await queueLongitudinal(db, "P");
      assert.deepEqual(await leaving(), []);
    }),
);

databaseTest(
  "queueLongitudinal() adds one job, and none while an analysis is open or nothing changed",
  (database) =>
    withDb(database, async (db) => {
      const first = await addStudy(db, "P", "2020-01-01");
      assert.equal(await queueLongitudinal(db, "P"), false);
      await addStudy(db, "P", "2021-01-01");
      await db.updateTable("analyses").set({ status: "waiting" }).where("id", "=", first.analysisId)
        .execute();
      await addStudy(db, "P", "2022-01-01");
      assert.equal(await queueLongitudinal(db, "P"), false);
      await db.updateTable("analyses").set({ status: "completed" }).where(
        "id",
        "=",
        first.analysisId,
      )
        .execute();
      assert.equal(await queueLongitudinal(db, "P"), true);
      assert.equal(await queueLongitudinal(db, "P"), false);
      assert.deepEqual(await queued(db), [[LONGITUDINAL_JOB, "P"]]);
      await db.deleteFrom("jobs").execute();
      await save(db, "P");
      assert.equal(await queueLongitudinal(db, "P"), false);
    }),
);

databaseTest(
  "currentLongitudinal() holds until a study is added, edited, analysed again or deleted",
  (database) =>
    withDb(database, async (db) => {
      const { pid, seriesId } = await addStudy(db, "P", "2020-01-01");
      const { pid: second } = await addStudy(db, "P", "2021-01-01");
      assert.equal(await currentLongitudinal(db, "P", second), null);
      const changes: [string, () => Promise<unknown>][] = [
        ["added", () => addStudy(db, "P", "2022-01-01")],
        [
          "dated",
          () =>
            db.updateTable("patients").set({ study_date: "2020-02-01" }).where("pid", "=", pid)
              .execute(),
        ],
        ["analysed", () => addAnalysis(db, pid, seriesId)],
        ["moved", () =>
          db.updateTable("patients").set({ patient_id: "Q" }).where("pid", "=", pid).execute()],
        ["back", () =>
          db.updateTable("patients").set({ patient_id: "P" }).where("pid", "=", pid).execute()],
        ["deleted", () =>
          deletePatient(db, pid, { userId: 1, at: AT })],
      ];
      for (const [name, change] of changes) {
        await save(db, "P");
        assert.deepEqual(await currentLongitudinal(db, "P", second), results, name);
        await change();
        assert.equal(await currentLongitudinal(db, "P", second), null, name);
      }
    }),
);

const servicesOf = (db: Database, woken: string[] = []) =>
  ({
    db,
    blobs: {} as BlobStore,
    log: () => {},
    publish: () => {},
    wakeJobs: () => void woken.push("woken"),
    dataDir: "",
    pdf: new PdfRenderer(),
    engine: { threads: 2 },
  }) as unknown as ServiceContext;

databaseTest(
  "watchVisits() queues what is missing at the start and what an event changes",
  (database) =>
    withDb(database, async (db) => {
      await addStudy(db, "P", "2020-01-01");
      await addStudy(db, "P", "2021-01-01");
      await addStudy(db, "Q", "2020-01-01");
      const woken: string[] = [];
      const watch = watchVisits(servicesOf(db, woken)),
        later = new CatchUp([watch.catchUp], () => {});
      later.begin();
      await until(() => woken.length === 1);
      assert.deepEqual(await queued(db), [[LONGITUDINAL_JOB, "P"]]);
      const { pid } = await addStudy(db, "Q", "2021-01-01");
      const done = { event: "study_analysis", pid, series: "t1", status: "completed" } as const;
      // heard first, and still without an effect when the next event's is seen
      const { pid: other } = await addStudy(db, "R", "2020-01-01");
      await addStudy(db, "R", "2021-01-01");
      watch.hear({ ...done, pid: other, status: "processing" } as ServerEvent);
      watch.hear(done);
      await until(() => woken.length === 2);
      assert.deepEqual(await queued(db), [[LONGITUDINAL_JOB, "P"], [LONGITUDINAL_JOB, "Q"]]);
      await db.deleteFrom("jobs").execute();
      await save(db, "Q");
      await deletePatient(db, pid, { userId: 1, at: AT });
      watch.hear({ event: "study_delete", pid, uid: 1 });
      await until(async () => (await listLongitudinals(db, "Q")).length === 0);
      assert.deepEqual(await queued(db), []);
      await later.close();
      await watch.close();
      assert.deepEqual(woken, ["woken", "woken"]);
    }),
);

databaseTest(
  "longitudinalJob().failed keeps the failure until the studies change",
  (database) =>
    withDb(database, async (db) => {
      await addStudy(db, "P", "2020-01-01");
      await addStudy(db, "P", "2021-01-01");
      const error = { code: "engine.crashed", details: {} };
      const job = longitudinalJob(servicesOf(db));
      await job.failed({ patientId: "P" }, error as unknown as Parameters<typeof job.failed>[1]);
      assert.equal(await currentLongitudinal(db, "P", 1), null);
      assert.equal(await queueLongitudinal(db, "P"), false);
      await addStudy(db, "P", "2022-01-01");
      assert.equal(await queueLongitudinal(db, "P"), true);
    }),
);

databaseTest(
  "a failed comparison of T1w series is stored with its own visits, not those that became due later",
  (database) =>
    withDb(database, async (db) => {
      const folder = await Deno.makeTempDir(), woken: string[] = [];
      const pids: number[] = [], series: number[] = [];
      for (const year of [2019, 2020, 2021, 2022]) {
        const study = await addStudy(db, "P", `${year}-01-01`);
        pids.push(study.pid);
        series.push(study.seriesId);
      }
      const [a, b, c, d] = pids as [number, number, number, number];
      for (const pid of [a, c]) await record(db, pid, { patient_birthdate: "1950-01-01" });
      for (const pid of [b, d]) await record(db, pid, { patient_birthdate: "1981-02-03" });
      await save(db, "P");
      await deleteLongitudinal(db, "P", b);
      // has no files: no visits can be compared
      const services = { ...servicesOf(db, woken), blobs: new DiskBlobs(folder, { key: null }) };
      const job = longitudinalJob(services), payload = { patientId: "P" };
      const run = { signal: new AbortController().signal, progress: () => {} };
      const error = await job.run(payload, run).then(() => null, (error) => error);
      assert.ok(error instanceof AppError);
      // the other person's study is analysed again before the failure is stored
      await addAnalysis(db, a, series[0]!);
      await job.failed(payload, error);
      await job.failed(payload, error);
      const stored = await db.selectFrom("longitudinal").select(["first_pid", "status"])
        .orderBy("first_pid").execute();
      assert.deepEqual(stored, [
        { first_pid: a, status: "completed" },
        { first_pid: b, status: "failed" },
      ]);
      assert.deepEqual(await queued(db), [[LONGITUDINAL_JOB, "P"]]);
      assert.deepEqual(woken, ["woken"]);
      await Deno.remove(folder, { recursive: true });
    }),
);

Deno.test("reportVisitsOf() gives each visit the change from the first and whether it was acquired alike", () => {
  const visit = (pid: number, studyDate: string, mm3: number, differences: string[] | null) => ({
    pid,
    studyDate,
    volumesMm3: Array.from({ length: 105 }, (_, label) => label === 19 ? mm3 : 1000),
    thicknessMm: [],
    sideMm: [2.5, 2.5] as [number, number],
    differences,
  });
  const [first, second, third] = reportVisitsOf({
    visits: [
      visit(4, "2020-01-01", 4000, []),
      visit(7, "2022-01-01", 3600, ["echo_time"]),
      visit(9, "2022-03-01", 3560, null),
    ],
  });
  assert.deepEqual([first!.same_protocol, second!.same_protocol, third!.same_protocol], [
    true,
    false,
    false,
  ]);
  assert.deepEqual(second!.protocol_differences, ["echo_time"]);
  assert.equal(first!.annual_change_percent.hippocampus, null);
  assert.deepEqual(first!.within_error, []);
  // another protocol is not compared: neither is there a change, nor is it called small
  assert.equal(second!.annual_change_percent["Left hippocampus"], null);
  assert.deepEqual(second!.within_error, []);
  // the slope from the first to the third: the second is left out
  assert.equal(third!.annual_change_percent["Left hippocampus"], -5.38);
  assert.ok(third!.within_error.includes("Right hippocampus"));
  assert.equal(third!.values["Left hippocampus"], 3.56);
});

Deno.test("reportVisitsOf() names a change beyond the limits that the site's repeats give", () => {
  const visit = (pid: number, studyDate: string, mm3: number) => ({
    pid,
    studyDate,
    volumesMm3: Array.from({ length: 105 }, (_, label) => label === 19 ? mm3 : 1000),
    thicknessMm: [],
    sideMm: [2.5, 2.5] as [number, number],
    differences: [],
  });
  const visits = [visit(4, "2020-01-01", 4000), visit(7, "2022-01-01", 3600)];
  const limits = { pairs: 4, percent: { "Left hippocampus": 12 } };
  assert.equal(reportVisitsOf({ visits })[1]!.annual_change_percent["Left hippocampus"], -5.26);
  assert.ok(reportVisitsOf({ visits, limits })[1]!.within_error.includes("Left hippocampus"));
});
