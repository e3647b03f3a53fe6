// covers: S-123
/// <reference path="../../../server/core/database/pg.d.ts" />
import assert from "node:assert/strict";
import pg from "pg";
import { type Api, call } from "@/client/api/http.ts";
import { getPatient, getVolume, listPatients } from "@/client/api/studies/patients.ts";
import { getSeriesVolume, listSeries } from "@/client/api/reading/series.ts";
import { addStroke, changeStrokes, listStrokes } from "@/client/api/reading/strokes.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { getReport } from "@/client/api/report/report.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import { createCore } from "@/server/core/mod.ts";
import { colleague, coreTest, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { postgresTest } from "@/tests/sites/databases.ts";
import { until } from "@/tests/sites/until.ts";
import { addReadStudy, LEFT, READ_SHAPE, RIGHT, voxelAt } from "@/tests/sites/read_study.ts";

const hippocampus = (patient: Patient) =>
  patient.t1_result!.find(({ part_index }) => part_index[0] === LEFT)!;
/** First voxel of a run of ten voxels in the left hippocampus, in row `n`. */
const rowOf = (n: number) => [voxelAt(24, 20 + n % 15, 15 + Math.floor(n / 15)), 10];
const paint = (api: Api, pid: number, n: number, value: number) =>
  addStroke(api, pid, { series: "t1", runs: rowOf(n), value });

coreTest(
  "a stroke changes volume, percentile and report at once; 100 are taken back one by one",
  async (site) => {
    const { api, open, dataDir, events } = site;
    const pid = await addReadStudy(dataDir, { age: 65, sex: "male" }),
      other = await colleague(open, dataDir);
    const before = await getPatient(api, pid), [start] = [hippocampus(before)];
    assert.equal(start.volume_left, 2.7);
    for (let n = 0; n < 100; n++) await paint(n % 2 ? other : api, pid, n, n % 3 === 0 ? RIGHT : 0);
    assert.deepEqual(events.at(-1)?.event, { event: "study_reading", pid, uid: 2 });
    const after = await getPatient(api, pid), changed = hippocampus(after);
    assert.deepEqual([changed.volume_left, changed.volume_right], [1.7, 2.68]);
    assert.notDeepEqual(changed.rank_icv_left, start.rank_icv_left);
    const { regions } = await getReport(api, pid, {});
    assert.equal(regions.find(({ part_index }) => part_index[0] === LEFT)!.volume_left, 1.7);

    const { strokes } = await listStrokes(other, pid);
    assert.deepEqual(
      strokes.slice(0, 2).map(({ series, value, created_by, is_undone }) => [
        series,
        value,
        created_by,
        is_undone,
      ]),
      [["t1", RIGHT, "Administrator", false], ["t1", 0, "Other", false]],
    );

    const { stroke_id, patient } = await changeStrokes(api, pid, "t1", "undo");
    assert.equal(stroke_id, strokes.at(-1)!.id);
    assert.equal(hippocampus(patient).volume_left, 1.71);
    await changeStrokes(api, pid, "t1", "redo");
    assert.equal((await changeStrokes(api, pid, "t1", "redo")).stroke_id, null);
    for (let n = 0; n < 100; n++) {
      const { stroke_id } = await changeStrokes(api, pid, "t1", "undo");
      assert.equal(stroke_id, strokes.at(-1 - n)!.id);
    }
    assert.equal((await changeStrokes(api, pid, "t1", "undo")).stroke_id, null);
    assert.deepEqual((await getPatient(api, pid)).t1_result, before.t1_result);
    // an undone stroke cannot be redone after another stroke
    await paint(api, pid, 3, 0);
    assert.equal((await changeStrokes(api, pid, "t1", "redo")).stroke_id, null);
  },
);

postgresTest(
  "strokes of two servers over one map are both measured, whoever comes first",
  (database) =>
    withCore(
      async ({ api, open, dataDir }) => {
        const pid = await addReadStudy(dataDir), folder = await Deno.makeTempDir();
        Deno.symlinkSync(`${dataDir}/blobs`, `${folder}/blobs`);
        const core = await createCore({ dataDir: folder, databaseUrl: database.url, workers: 0 });
        try {
          const there = { ...await colleague(open, dataDir), send: core.fetch };
          const start = hippocampus(await getPatient(api, pid)).volume_left!;
          // blocks both strokes at the point where they store results computed from the strokes
          // seen so far
          const holding = new pg.Client({ connectionString: database.url! });
          await holding.connect();
          await holding.query("BEGIN");
          await holding.query("LOCK TABLE original_results IN EXCLUSIVE MODE");
          const painting = Promise.all([paint(api, pid, 0, 0), paint(there, pid, 1, 0)]);
          await until(async () => {
            const { rows } = await holding.query(
              "SELECT count(DISTINCT pid)::int AS n FROM pg_locks WHERE NOT granted",
            );
            return rows[0]!.n === 2;
          });
          await holding.query("COMMIT");
          await holding.end();
          await painting;
          assert.equal(
            hippocampus(await getPatient(api, pid)).volume_left!,
            Math.round(100 * start - 2) / 100,
          );
          await Promise.all([api, there].map((each) => changeStrokes(each, pid, "t1", "undo")));
          assert.equal(
            (await listStrokes(api, pid)).strokes.filter(({ is_undone }) => is_undone).length,
            2,
          );
        } finally {
          await core.close();
          await Deno.remove(folder, { recursive: true });
        }
      },
      {},
      database,
    ),
);

coreTest(
  "a correction is taken back with one call, stays in the history and in the audit log",
  async (site) => {
    const { api, dataDir } = site, pid = await addReadStudy(dataDir);
    // computes the findings, as at the end of an analysis
    const beside = await openBeside(dataDir);
    await refreshFindings(beside, [pid]);
    await beside.destroy();
    const before = await getPatient(api, pid);
    const lesion = { series: "t2" as const, runs: [voxelAt(30, 10, 10), 4, voxelAt(5, 5, 5), 20] };
    const { patient } = await addStroke(api, pid, { ...lesion, value: 2 });
    assert.deepEqual(patient.wmh_detail!.lesions!.map(({ deep_ml }) => deep_ml), [0, 0.064, 0.02]);
    const erased = await addStroke(api, pid, {
      series: "t2",
      runs: [0, voxelAt(0, 0, 20)],
      value: 0,
    });
    assert.deepEqual([erased.patient.wmh, erased.patient.wmh_detail!.lesion_count], [0, 0]);
    // the list shows the finding of the corrected results
    const listed = async () =>
      (await listPatients(api)).patients.find((row) => row.pid === pid)!.finding?.wmh;
    assert.equal(await listed(), 0);
    await paint(api, pid, 1, 0);
    // each label map is restored separately
    const back = await changeStrokes(api, pid, "t2", "restore");
    assert.deepEqual([back.patient.wmh, await listed()], [before.wmh, before.wmh]);
    assert.equal(hippocampus(back.patient).volume_left, 2.69);
    await changeStrokes(api, pid, "t1", "restore");
    assert.deepEqual(await getPatient(api, pid), before);
    assert.deepEqual((await listStrokes(api, pid)).strokes.map(({ is_undone }) => is_undone), [
      true,
      true,
      true,
    ]);
    const db = await openBeside(dataDir);
    try {
      const entries = await db.selectFrom("audit").select("event").where("event", "like", "label.%")
        .orderBy("seq").execute();
      assert.deepEqual(entries.map(({ event }) => event), [
        "label.correct",
        "label.correct",
        "label.correct",
        "label.restore",
        "label.restore",
      ]);
    } finally {
      await db.destroy();
    }
  },
);

coreTest(
  "strokes outside of the map, of no label, or of a study without results are refused",
  async (site) => {
    const { api, dataDir } = site, pid = await addReadStudy(dataDir, { hasFlair: false });
    const voxels = READ_SHAPE[0] * READ_SHAPE[1] * READ_SHAPE[2];
    const refused = [
      { series: "t1" as const, runs: [voxels - 1, 2], value: 1 },
      { series: "t1" as const, runs: [5, 0], value: 1 },
      { series: "t1" as const, runs: [5, 1, 6], value: 1 },
      { series: "t1" as const, runs: [5, 1], value: 105 },
      { series: "t2" as const, runs: [5, 1], value: 3 },
    ];
    for (const post of refused) {
      await assert.rejects(addStroke(api, pid, post), { code: "input.invalid" });
    }
    await assert.rejects(addStroke(api, pid, { series: "t2", runs: [5, 1], value: 1 }), {
      code: "study.not_analyzed",
    });
    assert.deepEqual((await listStrokes(api, pid)).strokes, []);
  },
);

coreTest(
  "the volume says how its bytes follow from the series, and every stored series can be had",
  async (site) => {
    const { api, dataDir } = site, pid = await addReadStudy(dataDir);
    const { scales } = await getVolume(api, pid);
    for (const scale of [scales!.t1!, scales!.t2!]) {
      assert.ok(
        Math.abs(scale.slope - 3) < 1e-6 && Math.abs(scale.intercept - 100) < 1e-3,
        `${scale.slope}`,
      );
      assert.equal(scale.window, null);
    }
    const { series } = await listSeries(api, pid);
    assert.deepEqual(
      series.map(({ kind, description, is_analysed, shape }) => [
        kind,
        description,
        is_analysed,
        shape,
      ]),
      [["t1", "T1w MPRAGE", true, READ_SHAPE], ["t2", "T2 FLAIR", true, READ_SHAPE]],
    );
    const bytes = new Uint8Array(
      await (await getSeriesVolume(api, series[0]!.volume_url)).arrayBuffer(),
    );
    assert.deepEqual([...bytes.subarray(0, 2)], [0x1f, 0x8b]);
    const wrong = series[0]!.volume_url.replace(/v=.*/, "v=0000000000000000");
    await assert.rejects(getSeriesVolume(api, wrong), { code: "entity.not_found" });
  },
);

coreTest(
  "the label map's address is another after a correction, and gives the corrected map",
  async (site) => {
    const { api, dataDir } = site, pid = await addReadStudy(dataDir);
    const map = async (url: string) => {
      const response = await call(api, url);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return {
        voxels: npyVoxels(bytes),
        isKept: /immutable/.test(response.headers.get("cache-control")!),
      };
    };
    const { t1w_mask_file: first } = await getPatient(api, pid), original = await map(first!);
    const { patient } = await addStroke(api, pid, {
      series: "t1",
      runs: [voxelAt(25, 22, 20), 3],
      value: RIGHT,
    });
    assert.notEqual(patient.t1w_mask_file, first);
    const corrected = await map(patient.t1w_mask_file!);
    assert.ok(original.isKept && corrected.isKept);
    assert.deepEqual(
      [...corrected.voxels].flatMap((label, voxel) =>
        label === original.voxels[voxel] ? [] : [[voxel, label]]
      ),
      [0, 1, 2].map((n) => [voxelAt(25 + n, 22, 20), RIGHT]),
    );
    // a page with an earlier map reads the current one
    const late = await map(first!);
    assert.deepEqual([late.isKept, late.voxels[voxelAt(26, 22, 20)]], [false, RIGHT]);
    await changeStrokes(api, pid, "t1", "undo");
    const back = await map(patient.t1w_mask_file!);
    assert.deepEqual([back.isKept, back.voxels[voxelAt(26, 22, 20)]], [false, LEFT]);
    await assert.rejects(map(first!.replace(/v=.*/, "v=00000000000000000000000f")), {
      code: "entity.not_found",
    });
  },
);
