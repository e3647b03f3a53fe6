// Charts of a site with more results than one computation once read: 2,000.
// covers: S-141
import assert from "node:assert/strict";
import { LEARNING } from "@/model/drift/cusum.ts";
import { Random } from "@/model/random.ts";
import { CHARTED } from "@/model/drift/charts.ts";
import { LOCAL_MEASURES } from "@/model/norms/local_norms.ts";
import { appendStudies, type DatedStudy } from "@/server/core/norms/service/charts/drift_job.ts";
import { listDrift, readDriftCharts } from "@/server/core/norms/storage/drift.ts";
import { addChartedStudies } from "@/tests/sites/norms/charted_studies.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

const KEY = { scanner: "SIEMENS A", protocol: "3 T", coil: "", engineVersion: "e 1" };
const NAMES = LOCAL_MEASURES.filter(({ measure, name }) =>
  measure === "volume" || CHARTED.includes(name)
);

/** Studies of a healthy site, a day apart, from a number on. */
const studies = (random: Random, from: number, count: number, shift = 0): DatedStudy[] =>
  Array.from({ length: count }, (_, n) => {
    const person = 0.4 * random.normal();
    return {
      analysisId: from + n,
      pid: from + n,
      isCompleted: true,
      date: new Date(Date.UTC(2015, 0, from + n)).toISOString().slice(0, 10),
      isUnreliable: false,
      age: 60,
      z: new Map(NAMES.map(({ name }) => [name, person + random.normal() + shift])),
    };
  });

databaseTest(
  "charts are appended to: what was judged stays, at any number of results",
  async (database) => {
    const db = await database.open(), random = new Random(3), services = { db, log: () => {} };
    const COUNT = 2400, HOUR = 60;
    await addChartedStudies(db, COUNT + 200);
    const all = studies(random, 1, COUNT);
    let before: { values: number[]; higher: number[]; from: number } | null = null;
    for (let at = 0; at < COUNT; at += HOUR) {
      await appendStudies(services, KEY, all.slice(at, at + HOUR));
      const [group] = await listDrift(db), [overall] = await readDriftCharts(db, group!.id);
      assert.equal(group!.studies, at + HOUR);
      assert.equal(group!.learnt, Math.min(LEARNING, at + HOUR));
      assert.ok(overall!.values.length <= 1000, "the kept points are bounded");
      if (before) {
        const shared: number = before.from + before.values.length - overall!.before;
        assert.deepEqual(overall!.values.slice(0, shared), before.values.slice(-shared));
        assert.deepEqual(overall!.higher.slice(0, shared), before.higher.slice(-shared));
      }
      before = { ...overall!, from: overall!.before };
    }
    // results that were appended are not appended once more, nor is a study that is measured again
    const again = all.slice(-50).map((study) => ({
      ...study,
      analysisId: study.analysisId + 5000,
    }));
    await appendStudies(services, KEY, all.slice(-100));
    await appendStudies(services, KEY, again);
    assert.equal((await listDrift(db))[0]!.studies, COUNT);
    // a change is found at any age of the chart; studies that arrive late widen it to their date
    const changed = studies(random, COUNT + 1, 120, -1);
    changed[0] = { ...changed[0]!, date: "2014-02-03" };
    await appendStudies(services, KEY, changed);
    const [group] = await listDrift(db);
    const ventricles = group!.moved.find(({ name }) => name === "volume:21+22");
    assert.deepEqual([ventricles?.direction, ventricles?.date], ["lower", "2014-02-03"]);
    await db.destroy();
  },
);

databaseTest("charts of many scanners all leave their learning phase", async (database) => {
  const db = await database.open(), random = new Random(5), services = { db, log: () => {} };
  const SCANNERS = 24, EACH = 110;
  await addChartedStudies(db, SCANNERS * EACH);
  for (let n = 0; n < EACH; n += 10) {
    for (let scanner = 0; scanner < SCANNERS; scanner++) {
      const from = 1 + n * SCANNERS + 10 * scanner;
      await appendStudies(
        services,
        { ...KEY, scanner: `GE ${scanner}` },
        studies(random, from, 10),
      );
    }
  }
  const groups = await listDrift(db);
  assert.equal(groups.length, SCANNERS);
  assert.ok(groups.every(({ studies, learnt }) => studies === EACH && learnt === LEARNING));
  await db.destroy();
});
