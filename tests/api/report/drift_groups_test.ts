// covers: S-141
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import {
  computeDrift,
  getDrift,
  getDriftDetails,
  restartDrift,
} from "@/client/api/report/norms.ts";
import { UNRELIABLE } from "@/model/drift/charts.ts";
import type { DriftGroup } from "@/model/schema/report/drift.ts";
import { chartMetrics } from "@/server/core/norms/service/charts/drift.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  ROUTINE_COIL,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { until } from "@/tests/sites/until.ts";

const COUNT = 12, NEW_COIL_FROM = 9, NEW_COIL = "Head_32";

async function compute(api: Api): Promise<DriftGroup[]> {
  await computeDrift(api);
  return (await until(async () => {
    const answer = await getDrift(api);
    return answer.is_computing ? null : answer;
  })).groups;
}

const sizes = (groups: readonly DriftGroup[]) =>
  groups.map(({ coil, engine_version, studies }) => [coil, engine_version, studies]);

/** Values of the chart of results that are not usable. */
const unreliableOf = async (api: Api, { id }: DriftGroup) =>
  (await getDriftDetails(api, id)).charts.find(({ name }) => name === UNRELIABLE)!.values;

coreTest(
  "control charts begin with each receive coil, and count failed analyses",
  async ({ api, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    const db = await openBeside(dataDir);
    try {
      await db.updateTable("series").set({ coil: NEW_COIL }).where("pid", ">=", NEW_COIL_FROM)
        .execute();
      await db.updateTable("series").set({ coil: NEW_COIL.toUpperCase() })
        .where("pid", "=", COUNT).execute();
      const [usual, newCoil] = await compute(api);
      assert.deepEqual(
        sizes([usual!, newCoil!]),
        [[ROUTINE_COIL, ROUTINE_ENGINE, 8], [NEW_COIL, ROUTINE_ENGINE, 4]],
      );
      assert.deepEqual(await unreliableOf(api, newCoil!), [0, 0, 0, 0]);

      // one was refused, one failed; a full disk says nothing about the scanner
      const codes = [[10, "storage.full"], [11, "engine.unsupported_input"], [
        12,
        "engine.crashed",
      ]];
      for (const [pid, code] of codes as [number, string][]) {
        await db.updateTable("analyses").set({
          status: "failed",
          error_code: code,
          results: null,
          engine_version: null,
        }).where("pid", "=", pid).execute();
      }
      await db.deleteFrom("drift_groups").where("id", "=", newCoil!.id).execute();
      const again = (await compute(api)).find(({ coil }) => coil !== ROUTINE_COIL);
      assert.equal(again!.studies, 3);
      assert.deepEqual(await unreliableOf(api, again!), [0, 1, 1]);

      const labels = {
        scanner: ROUTINE_SCANNER,
        protocol: ROUTINE_PROTOCOL,
        coil: ROUTINE_COIL,
        engine: ROUTINE_ENGINE,
      };
      const ofUsual = (await chartMetrics({ db })).filter((each) =>
        each.labels?.coil === ROUTINE_COIL
      );
      assert.deepEqual(
        ofUsual.filter(({ labels: { chart } = {} }) => chart === undefined || chart === UNRELIABLE)
          .map(({ metric: { name }, labels, value }) => [name, labels, value]),
        [
          ["sulcus_chart_studies", labels, 8],
          ["sulcus_chart_monitored", labels, 0],
          ["sulcus_chart_limit_ratio", { ...labels, chart: UNRELIABLE }, 0],
          ["sulcus_chart_changed", { ...labels, chart: UNRELIABLE }, 0],
        ],
      );
      assert.equal(ofUsual.length, 2 + 2 * 12);

      // metrics are exported only for the 50 scanners whose charts were computed last
      for (let n = 0; n < 51; n++) {
        await db.insertInto("drift_groups").values({
          scanner: `GE ${n}`,
          protocol: labels.protocol,
          coil: labels.coil,
          engine_version: ROUTINE_ENGINE,
          computed_at: `2090-01-01T00:00:${String(n).padStart(2, "0")}.000Z`,
          studies: n,
          is_moved: 0,
          moved: "[]",
          charts: "[]",
          sums: JSON.stringify([{ name: UNRELIABLE, part: 0 }]),
        }).execute();
      }
      const measured = await chartMetrics({ db });
      assert.equal(measured.length, 50 * 4);
      assert.equal(measured[0]!.labels?.scanner, "GE 50");
      assert.ok(measured.every((each) => each.labels?.scanner !== ROUTINE_SCANNER));
    } finally {
      await db.destroy();
    }
  },
);

coreTest(
  "a restart of charts from before coils were read holds for those of each coil",
  async ({ api, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    const db = await openBeside(dataDir);
    try {
      await db.updateTable("series").set({ coil: "" }).execute();
      const [mixed] = await compute(api);
      assert.deepEqual([mixed!.coil, mixed!.studies], ["", COUNT]);
      await restartDrift(api, mixed!.id, "service");
      // an upgrade has recorded no result
      await db.deleteFrom("charted_results").execute();
      await db.updateTable("series").set({ coil: NEW_COIL }).execute();
      const groups = await compute(api);
      assert.deepEqual(sizes(groups).map(([coil, , studies]) => [coil, studies]), [
        ["", 0],
        [NEW_COIL, 0],
      ]);
    } finally {
      await db.destroy();
    }
  },
);
