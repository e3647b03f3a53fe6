// Studies that are deleted, measured once more or moved to another scanner, and their charts.
// covers: S-141
import assert from "node:assert/strict";
import type { Database } from "@/server/core/database/database.ts";
import {
  appendStudies,
  type DatedStudy,
  isComputingDrift,
  startDrift,
} from "@/server/core/norms/service/charts/drift_job.ts";
import { markCharted } from "@/server/core/norms/storage/charted_results.ts";
import { keepCharted } from "@/server/core/norms/service/charts/deleted_charted.ts";
import { listDrift, readDriftCharts } from "@/server/core/norms/storage/drift.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { setActiveSeries, setLatestAnalysis } from "@/server/core/studies/storage/patients.ts";
import { addChartedStudies } from "@/tests/sites/norms/charted_studies.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { addMeasured, MEASURED_ENGINE } from "@/tests/sites/norms/measured_results.ts";

const KEY = { scanner: "SIEMENS A", protocol: "3 T", coil: "", engineVersion: "e 1" };

const study = (pid: number, of: Partial<DatedStudy> = {}): DatedStudy => ({
  analysisId: pid,
  pid,
  isCompleted: true,
  date: "2026-01-05",
  isUnreliable: false,
  age: 60,
  z: new Map(),
  ...of,
});

databaseTest(
  "a study that is deleted while charts are computed leaves the others in them",
  async (database) => {
    const db = await database.open(), services = { db, log: () => {} };
    await addChartedStudies(db, 3);
    await db.deleteFrom("patients").where("pid", "=", 2).execute();
    await appendStudies(services, KEY, [study(1), study(2), study(3)]);
    assert.equal((await listDrift(db))[0]!.studies, 2);
    const leftOut = [2, 3].map((pid) => ({ analysisId: 10 + pid, pid, isCompleted: true }));
    assert.deepEqual([...await markCharted(db, leftOut, null)], [13]);
    await db.destroy();
  },
);

/** Studies of each chart after a computation, by scanner and engine. */
async function compute(
  db: Database,
): Promise<[scanner: string, engine: string, studies: number][]> {
  const services = { db, log: () => {}, publish: () => {} } as unknown as ServiceContext;
  startDrift(services);
  while (isComputingDrift(services)) await new Promise((resolve) => setTimeout(resolve, 1));
  return (await listDrift(db)).map(({ scanner, engineVersion, studies }) => [
    scanner,
    engineVersion,
    studies,
  ]);
}

/** Gives study 1 a further result: of another engine, or of another of its series. */
async function measure(db: Database, analysisId: number, engine: string, seriesId: number) {
  const { id: _, ...row } = await db.selectFrom("analyses").selectAll().where("id", "=", 1)
    .executeTakeFirstOrThrow();
  await db.insertInto("analyses")
    .values({ ...row, id: analysisId, engine_version: engine, series_id: seriesId }).execute();
  await setActiveSeries(db, 1, "t1", seriesId);
  await setLatestAnalysis(db, 1, "t1", analysisId);
}

databaseTest("a study is once in the charts of each scanner and engine", async (database) => {
  const db = await database.open(), newer = "sulcus-engine 0.2.0", other = "GE B";
  await addMeasured(db, 3);
  const first = ["SIEMENS 0", MEASURED_ENGINE, 3];
  assert.deepEqual(await compute(db), [first]);
  const id = (await listDrift(db))[0]!.id, before = await readDriftCharts(db, id);
  // measured again, by the same engine and by a newer one
  await measure(db, 11, MEASURED_ENGINE, 1);
  assert.deepEqual(await compute(db), [first]);
  await measure(db, 12, newer, 1);
  assert.deepEqual(await compute(db), [first, ["SIEMENS 0", newer, 1]]);
  // moved to a series of another scanner, and back
  const { id: _, ...series } = await db.selectFrom("series").selectAll().where("id", "=", 1)
    .executeTakeFirstOrThrow();
  await db.insertInto("series").values({ ...series, id: 9, series_uid: "1.2.9", scanner: other })
    .execute();
  await measure(db, 13, MEASURED_ENGINE, 9);
  const all = [[other, MEASURED_ENGINE, 1], first, ["SIEMENS 0", newer, 1]];
  assert.deepEqual(await compute(db), all);
  await measure(db, 14, MEASURED_ENGINE, 1);
  assert.deepEqual(await compute(db), all);
  // what was judged stays, also when the study is deleted for good
  await db.deleteFrom("patients").where("pid", "=", 1).execute();
  assert.deepEqual(await compute(db), all);
  assert.deepEqual(await readDriftCharts(db, id), before);
  await db.destroy();
});

databaseTest("a study that is deleted and sent again is charted once", async (database) => {
  const db = await database.open(), services = { db, log: () => {} };
  await addChartedStudies(db, 3);
  await appendStudies(services, KEY, [study(1), study(2, { isCompleted: false })]);
  const { study_uid } = await db.selectFrom("patients").select("study_uid").where("pid", "=", 1)
    .executeTakeFirstOrThrow();
  for (const pid of [1, 2, 3]) await keepCharted(db, pid);
  const kept = await db.selectFrom("deleted_charted").selectAll().execute();
  assert.equal(kept.length, 2, "study 3 is in no chart");
  assert.ok(!JSON.stringify(kept).includes(study_uid));
  await db.deleteFrom("patients").where("pid", "=", 1).execute();
  // the same study with a number of its own
  await db.updateTable("patients").set({ study_uid }).where("pid", "=", 3).execute();
  await appendStudies(services, KEY, [study(3)]);
  assert.equal((await listDrift(db))[0]!.studies, 2);
  await db.destroy();
});
