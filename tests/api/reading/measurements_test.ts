// covers: S-123
import assert from "node:assert/strict";
import {
  addMeasurement,
  changeMeasurement,
  listMeasurements,
  removeMeasurement,
} from "@/client/api/reading/measurements.ts";
import type { MeasurementPost } from "@/model/schema/reading/measurements.ts";
import { colleague, coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

const RULER: MeasurementPost = {
  kind: "ruler",
  series: "t1",
  plane: "axial",
  points_mm: [0, 0, 10, 30, 40, 10],
  statistics: null,
};
const REGION: MeasurementPost = {
  kind: "ellipse",
  series: "t2",
  plane: "coronal",
  points_mm: [0, 5, 0, 10, 5, 20],
  statistics: { mean: 812.5, sd: 20.25, low: 700, high: 900, pixels: 157 },
  note: "left thalamus",
};

coreTest(
  "measurements belong to the study: everybody sees who measured what, and when",
  async (site) => {
    const { api, open, dataDir, events } = site;
    await addStudies(dataDir, 2);
    const other = await colleague(open, dataDir);
    const id = await addMeasurement(api, 1, RULER);
    await addMeasurement(other, 1, REGION);
    assert.deepEqual(events.at(-1)?.event, { event: "study_reading", pid: 1, uid: 2 });

    const { measurements } = await listMeasurements(other, 1);
    assert.deepEqual(
      measurements.map(({ kind, note, created_by, is_own, is_in_report }) => [
        kind,
        note,
        created_by,
        is_own,
        is_in_report,
      ]),
      [["ruler", "", "Administrator", false, false], [
        "ellipse",
        "left thalamus",
        "Other",
        true,
        false,
      ]],
    );
    assert.deepEqual(measurements[1]!.statistics, REGION.statistics);
    assert.deepEqual(measurements[0]!.points_mm, RULER.points_mm);
    assert.ok(Date.now() - Date.parse(measurements[0]!.created_at) < 60_000);
    assert.deepEqual((await listMeasurements(api, 2)).measurements, []);

    await changeMeasurement(other, 1, id, { note: "midline", is_in_report: true });
    const [changed] = (await listMeasurements(api, 1)).measurements;
    assert.deepEqual([changed!.note, changed!.is_in_report, changed!.created_by], [
      "midline",
      true,
      "Administrator",
    ]);
  },
);

coreTest(
  "measurements of somebody else stay, and each change leaves an audit entry",
  async (site) => {
    const { api, open, dataDir } = site;
    await addStudies(dataDir, 2);
    const other = await colleague(open, dataDir), id = await addMeasurement(api, 1, RULER);
    await assert.rejects(removeMeasurement(other, 1, id), { code: "access.forbidden" });
    await assert.rejects(removeMeasurement(api, 2, id), { code: "entity.not_found" });
    await assert.rejects(changeMeasurement(api, 2, id, { note: "", is_in_report: true }), {
      code: "entity.not_found",
    });
    await changeMeasurement(api, 1, id, { note: "", is_in_report: true });
    // a maintenance user may remove another user's measurement
    const theirs = await addMeasurement(other, 1, RULER);
    await removeMeasurement(api, 1, theirs);
    await removeMeasurement(api, 1, id);
    assert.deepEqual((await listMeasurements(api, 1)).measurements, []);
    const db = await openBeside(dataDir);
    try {
      const entries = await db.selectFrom("audit").select(["event", "outcome", "pid"])
        .where("event", "like", "measurement.%").orderBy("seq").execute();
      assert.deepEqual(entries.map(({ event, outcome, pid }) => `${event} ${outcome} ${pid}`), [
        "measurement.add ok 1",
        "measurement.remove access.forbidden 1",
        "measurement.remove entity.not_found 2",
        "measurement.change entity.not_found 2",
        "measurement.change ok 1",
        "measurement.add ok 1",
        "measurement.remove ok 1",
        "measurement.remove ok 1",
      ]);
    } finally {
      await db.destroy();
    }
  },
);

coreTest(
  "a measurement with places that are none is refused, and so is one too many",
  async (site) => {
    const { api, dataDir } = site;
    await addStudies(dataDir, 1);
    const refused: MeasurementPost[] = [
      { ...RULER, points_mm: [0, 0, 0] },
      { ...RULER, kind: "angle" },
      { ...RULER, points_mm: [0, 0, 10, 30, 40, 5000] },
      { ...RULER, kind: "freehand" },
      { ...RULER, kind: "freehand", points_mm: Array(3 * 401).fill(1) },
      { ...REGION, statistics: { ...REGION.statistics!, sd: -1 } },
      { ...RULER, note: "x".repeat(81) },
    ];
    for (const post of refused) {
      await assert.rejects(addMeasurement(api, 1, post), {
        code: "input.invalid",
      });
    }
    await assert.rejects(addMeasurement(api, 9, RULER), { code: "entity.not_found" });
    for (let n = 0; n < 200; n++) await addMeasurement(api, 1, RULER);
    await assert.rejects(addMeasurement(api, 1, RULER), { code: "input.invalid" });
  },
);

coreTest(
  "a stored measurement is moved by who made it, and has as many places as its kind",
  async (site) => {
    const { api, open, dataDir } = site;
    await addStudies(dataDir, 1);
    const other = await colleague(open, dataDir), id = await addMeasurement(other, 1, REGION);
    const moved = {
      points_mm: [1, 5, 1, 12, 5, 22],
      statistics: { ...REGION.statistics!, mean: 500 },
    };
    const put = { note: "left thalamus", is_in_report: true, moved };
    await changeMeasurement(other, 1, id, put);
    const now = async () => (await listMeasurements(other, 1)).measurements[0]!;
    const { points_mm, statistics, kind, plane, created_by } = await now();
    assert.deepEqual([points_mm, statistics], [moved.points_mm, moved.statistics]);
    assert.deepEqual([kind, plane, created_by], ["ellipse", "coronal", "Other"]);
    // three points are not an ellipse, so the whole change is refused
    const wrong = {
      ...put,
      note: "x",
      moved: { points_mm: [1, 5, 1, 2, 5, 2, 3, 5, 3], statistics: null },
    };
    await assert.rejects(changeMeasurement(other, 1, id, wrong), { code: "input.invalid" });
    assert.equal((await now()).note, "left thalamus");
    // a maintenance user may change another user's measurement, other colleagues may not
    const own = await addMeasurement(api, 1, RULER);
    await assert.rejects(
      changeMeasurement(other, 1, own, {
        note: "",
        is_in_report: false,
        moved: { ...RULER, statistics: null },
      }),
      { code: "access.forbidden" },
    );
    await changeMeasurement(api, 1, id, put);
  },
);
