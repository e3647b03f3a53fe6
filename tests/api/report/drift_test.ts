// covers: S-141
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import {
  computeDrift,
  getDrift,
  getDriftDetails,
  restartDrift,
} from "@/client/api/report/norms.ts";
import { OVERALL, UNRELIABLE } from "@/model/drift/charts.ts";
import { LEARNING } from "@/model/drift/cusum.ts";
import { countMovedScanners } from "@/server/core/norms/storage/drift.ts";
import type { DriftGroup } from "@/model/schema/report/drift.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  CHARTED_LABELS,
  measureAgain,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { until } from "@/tests/sites/until.ts";

const BEFORE = 110, COUNT = 150;

async function compute(api: Api): Promise<DriftGroup[]> {
  await computeDrift(api);
  return (await until(async () => {
    const answer = await getDrift(api);
    return answer.is_computing ? null : answer;
  })).groups;
}

/** Has the next computation begin the charts from the first result, as after an upgrade. */
async function forgetCharts(dataDir: string, { keepsMoved = false } = {}): Promise<void> {
  const db = await openBeside(dataDir);
  await db.deleteFrom("charted_results").execute();
  await db.updateTable("drift_groups").set({
    studies: 0,
    state: "[]",
    charts: "[]",
    ...!keepsMoved && { moved: "[]" },
  }).execute();
  await db.destroy();
}

coreTest(
  "control charts: a scanner that reads otherwise is found, kept, and started again",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    assert.deepEqual((await getDrift(api)).groups, []);
    await measureAgain(dataDir, COUNT, 0, 3, CHARTED_LABELS);
    const [steady] = await compute(api);
    assert.deepEqual(
      [steady!.scanner, steady!.protocol, steady!.engine_version, steady!.studies, steady!.state],
      [ROUTINE_SCANNER, ROUTINE_PROTOCOL, ROUTINE_ENGINE, COUNT, "steady"],
    );

    // a result is judged once: the charts stay as they are, whatever becomes of it later
    const steadyCharts = (await getDriftDetails(api, steady!.id)).charts;
    await measureAgain(dataDir, COUNT, (pid) => pid > BEFORE ? -1.5 : 0, 3, CHARTED_LABELS);
    const [unchanged] = await compute(api);
    assert.deepEqual([unchanged!.studies, unchanged!.state], [COUNT, "steady"]);
    assert.deepEqual((await getDriftDetails(api, steady!.id)).charts, steadyCharts);

    await forgetCharts(dataDir);
    const [moved] = await compute(api);
    assert.equal(moved!.state, "moved");
    const overall = moved!.moved.find(({ name }) => name === OVERALL);
    assert.equal(overall?.direction, "lower", JSON.stringify(moved!.moved));
    const { charts } = await getDriftDetails(api, moved!.id);
    const chart = charts.find(({ name }) => name === OVERALL)!;
    assert.equal(chart.values.length, COUNT);
    assert.ok(chart.moved_at! >= BEFORE && chart.moved_at! < COUNT, String(chart.moved_at));
    assert.ok(chart.began_at! >= BEFORE - 5 && chart.began_at! <= chart.moved_at!);
    assert.equal(chart.dates[chart.began_at!], overall!.date);
    assert.ok(chart.lower[chart.moved_at!]! > chart.limit);
    const db = await openBeside(dataDir);
    assert.equal(await countMovedScanners(db), 1);

    // results of grade C have a chart of their own, and none in the others
    await db.updateTable("analyses").set((e) => ({
      results: e.fn<string>("replace", ["results", e.val('"grade":"A"'), e.val('"grade":"C"')]),
    })).where("pid", ">", BEFORE).execute();
    await forgetCharts(dataDir, { keepsMoved: true });
    const [kept] = await compute(api);
    assert.ok(kept!.moved.some(({ name }) => name === OVERALL), "a change found before stays");
    assert.ok(kept!.moved.some(({ name }) => name === UNRELIABLE));

    // another engine begins charts of its own
    await db.updateTable("analyses").set({ engine_version: "sulcus-engine 9.0.0" })
      .where("pid", "<=", 5).execute();
    await db.deleteFrom("charted_results").where("pid", "<=", 5).execute();
    const groups = await compute(api);
    const other = groups.find(({ engine_version }) => engine_version !== ROUTINE_ENGINE)!;
    assert.deepEqual([other.studies, other.state], [5, "learning"]);
    assert.ok(other.studies < LEARNING);

    // a change that was found is cleared by two people: see chart_restart_test.ts
    await restartDrift(api, other.id, "service");
    const again = (await compute(api)).find(({ id }) => id === other.id)!;
    assert.deepEqual([again.state, again.studies, again.moved], ["learning", 0, []]);
    assert.ok(again.restarted_at !== null && again.restarted_by !== null);
    await assert.rejects(restartDrift(api, 999, "service"), { code: "entity.not_found" });
    await assert.rejects(getDrift(open), { code: "token.missing" });
    const events = await db.selectFrom("audit").select("event").where("event", "like", "drift.%")
      .where("outcome", "=", "ok").distinct().orderBy("event").execute();
    await db.destroy();
    assert.deepEqual(events.map(({ event }) => event), ["drift.compute", "drift.restart"]);
  },
);
