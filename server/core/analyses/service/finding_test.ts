import assert from "node:assert/strict";
import { sql } from "kysely";
import { listPatients } from "@/client/api/studies/patients.ts";
import { call } from "@/client/api/http.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { regionDataOf } from "@/model/measured/region_data.ts";
import {
  changeOf,
  largestDeviation,
  refreshFindings,
} from "@/server/core/analyses/service/finding.ts";
import { readMigrations } from "@/server/core/database/migrations.ts";
import { THUMBNAIL_PIXELS } from "@/server/core/analyses/service/files/thumbnail.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { lesionOrderOf } from "@/model/regions/fazekas.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";

const USUAL: PercentileRank = {
  percentile: 50,
  low: 30,
  high: 70,
  has_bands: true,
  level: 0,
  possible_level: 0,
  is_usual: true,
  doubt: null,
};

/** Rows of a head in which every part is in the middle, but for what is said. */
function rows(change: Record<string, Partial<PercentileRank>>) {
  return regionDataOf(new Array(105).fill(1000), 1_400_000, { age: 60, sex: "female" }).map((
    row,
  ) => ({
    ...row,
    rank_icv_left: { ...USUAL, ...change[`${row.brain_regions} L`] },
    rank_icv_right: { ...USUAL, ...change[`${row.brain_regions} R`] },
    rank_icv_total: { ...USUAL, ...change[row.brain_regions] },
  }));
}

Deno.test("largestDeviation() is the side nearest to its conspicuous end: low for tissue, high for fluid", () => {
  const found = (change: Record<string, Partial<PercentileRank>>) => {
    const { brain_regions, side } = largestDeviation(rows(change))!.found;
    return `${brain_regions} ${side}`.trim();
  };
  assert.equal(
    found({ "Hippocampus L": { percentile: 3 }, "Amygdala R": { percentile: 8 } }),
    "Hippocampus L",
  );
  assert.equal(
    found({ "Hippocampus L": { percentile: 3 }, "Lateral ventricle R": { percentile: 98.5 } }),
    "Lateral ventricle R",
  );
  assert.equal(
    found({ "Hippocampus L": { percentile: 97 }, "Brain stem": { percentile: 9 } }),
    "Brain stem",
  );
  // without a band there is no percentile to name, and a doubted value speaks of the segmentation
  assert.equal(
    found({
      "Accumbens L": { percentile: 0.1, has_bands: false },
      "Amygdala L": { percentile: 0.2, doubt: "value" },
      "Putamen R": { percentile: 20 },
    }),
    "Putamen R",
  );
});

Deno.test("changeOf() is the larger of brain and hippocampi, none at the first study or within the error", () => {
  const visit = (pid: number, studyDate: string, hippocampus: number) => ({
    pid,
    studyDate,
    volumesMm3: Array.from(
      { length: 105 },
      (_, label) => label === 19 || label === 20 ? hippocampus : 10_000,
    ),
    thicknessMm: [],
    sideMm: [0, 0] as [number, number],
    differences: [],
  });
  const results = {
    icvMm3: 1,
    visits: [
      visit(1, "2024-01-01", 3500),
      visit(2, "2025-01-01", 3300),
      visit(3, "2025-02-01", 3500),
    ],
  };
  assert.equal(changeOf(results, 1), null);
  const change = changeOf(results, 2);
  assert.deepEqual([change?.key, change?.since], ["hippocampus", "2024-01-01"]);
  assert.ok(change!.percent < -5 && change!.percent > -7);
  assert.equal(changeOf(results, 3), null, "too soon after the one before");
  // since the one before, not since the first
  const later = {
    icvMm3: 1,
    visits: [...results.visits.slice(0, 2), visit(4, "2026-01-01", 3400)],
  };
  const since = changeOf(later, 4);
  assert.deepEqual([since?.key, since?.since], ["hippocampus", "2025-01-01"]);
  assert.ok(since!.percent > 2 && since!.percent < 4);
  // one of another protocol in between is passed over
  const [first, other] = results.visits;
  const passed = {
    icvMm3: 1,
    visits: [first!, { ...other!, differences: ["scanner"] }, later.visits[2]!],
  };
  assert.equal(
    changeOf(passed as unknown as Parameters<typeof changeOf>[0], 4)?.since,
    "2024-01-01",
  );
  // of either study
  type Compared = Parameters<typeof changeOf>[0];
  const unknown = (at: number) => ({
    ...results,
    visits: results.visits.map((one, n) => n === at ? { ...one, differences: null } : one),
  });
  assert.equal(change!.is_acquisition_unknown, undefined);
  for (const at of [0, 1]) {
    const changed = changeOf(unknown(at) as unknown as Compared, 2)!;
    assert.deepEqual(changed, { ...change, is_acquisition_unknown: true });
  }
  assert.equal(changeOf(results, 9), null);
  assert.equal(changeOf(null, 2), null);
});

Deno.test("lesionOrderOf() falls with the load, and meets the grades at their cut-offs", () => {
  assert.deepEqual([0, 3.4, 9.6, 17.1].map(lesionOrderOf), [50, 25, 5, 1]);
  const loads = Array.from({ length: 200 }, (_, n) => n / 4).map(lesionOrderOf);
  assert.ok(loads.every((value, n) => value > 0 && (n === 0 || value < loads[n - 1]!)));
});

Deno.test("a study of a FLAIR series alone has its lesions as its finding, and stands where they put it", () =>
  withCore(async ({ api, dataDir }) => {
    await addStudies(dataDir, 4);
    const flair = (totalMl: number, isLowConfidence = false) =>
      ({
        periMm3: totalMl * 600,
        deepMm3: totalMl * 400,
        whiteMatterMm3: 400_000,
        lesionCount: 9,
        isLowConfidence,
        tissue: "flair",
        grade: "A",
      }) as unknown as AnalysisResults;
    await setCompleted(dataDir, 1, "2026-01-06T01:00:00Z", "t2", flair(2));
    await setCompleted(dataDir, 2, "2026-01-06T01:00:00Z", "t2", flair(20));
    await setCompleted(dataDir, 3, "2026-01-06T01:00:00Z", "t2", flair(60, true));
    const db = await openBeside(dataDir);
    await refreshFindings(db, [1, 2, 3, 4]);
    await db.destroy();
    const { patients } = await listPatients(api, { sort_key: "finding", sort_direction: "asc" });
    assert.deepEqual(
      patients.map(({ pid, finding }) => [pid, finding?.wmh, finding?.fazekas_equivalent]),
      [
        [2, 20, 3],
        [1, 2, 0],
        [3, 60, null],
        [4, undefined, undefined],
      ],
    );
  }));

Deno.test("a study's finding is in its row, sorts the list, and its picture is a small PNG", () =>
  withCore(async ({ api, dataDir }) => {
    await addReported(dataDir, 2);
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({
      patient_age: 60,
      patient_birthdate: null,
      patient_sex: "female",
    })
      .execute();
    await refreshFindings(db, [1]);
    await db.destroy();
    const { patients } = await listPatients(api, { sort_key: "finding", sort_direction: "asc" });
    assert.deepEqual(patients.map(({ pid }) => pid), [1, 2], "without a finding last");
    const { finding } = patients[0]!;
    assert.equal(typeof finding?.deviation?.brain_regions, "string");
    assert.deepEqual([finding?.wmh, finding?.fazekas_equivalent, finding?.change], [
      null,
      null,
      null,
    ]);
    const picture = await call(api, "/api/v1/patients/1/thumbnail");
    const bytes = new DataView(await picture.arrayBuffer());
    assert.equal(bytes.getUint32(0), 0x89504e47);
    assert.deepEqual([bytes.getUint32(16), bytes.getUint32(20)], [
      THUMBNAIL_PIXELS,
      THUMBNAIL_PIXELS,
    ]);
    await assert.rejects(call(api, "/api/v1/patients/7/thumbnail"), { code: "entity.not_found" });
  }));

Deno.test("an update reads the findings of patients with several studies anew: they named the change since the first", () =>
  withCore(async ({ dataDir }) => {
    await addStudies(dataDir, 4, (n) => ({ patientId: ["ONE", "TWO", "TWO", ""][n - 1]! }));
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({ finding: "{}" }).execute();
    const update = readMigrations().find(({ name }) => name === "0025_finding_changes.sql")!;
    await sql.raw(update.sql).execute(db);
    const rows = await db.selectFrom("patients").select(["patient_id", "finding"]).orderBy("pid")
      .execute();
    await db.destroy();
    assert.deepEqual(rows.map(({ patient_id, finding }) => [patient_id, finding === null]), [
      ["ONE", false],
      ["TWO", true],
      ["TWO", true],
      ["", false],
    ]);
  }));
