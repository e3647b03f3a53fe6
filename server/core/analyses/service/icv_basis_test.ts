import assert from "node:assert/strict";
import { reportText } from "@/model/text/report/report.ts";
import { headOf } from "@/server/core/exports/service/column_heads_fixture.ts";
import { exportFieldText } from "@/model/text/worklist/export_columns.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { ICV_MEAN_ML, ICV_SD_ML } from "@/model/norms/norms.ts";
import { shownRank } from "@/model/norms/rank_format.ts";
import { isBrainExtracted, warningsOf } from "@/model/measured/icv_basis.ts";
import { measureStudy, qualityOf } from "@/model/measured/measured_study.ts";
import { icvOfPercentiles } from "@/model/measured/region_data.ts";
import { noticeOf } from "@/report/model/page.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { largestDeviation } from "@/server/core/analyses/service/finding.ts";
import { keyMeasures } from "@/server/core/connections/service/reported_study.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { buildReport } from "@/server/core/reports/service/report_model.ts";
import { reportInput } from "@/server/core/reports/service/report_fixture.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { basisOf } from "@/viewer/session/region_facts.ts";

const WOMAN = { age: 70, sex: "female" } as const;
const LIMIT_MM3 = 1000 * (ICV_MEAN_ML.female + 3 * ICV_SD_ML) *
  Math.exp(methodErrorOf("icv", "volume")!.bias);
const AGREED = { isUsed: true, reason: "agreed" },
  ALONE = { isUsed: false, reason: "extracted brain" };
const resultsOf = (
  icvMm3: number,
  secondOpinion: Record<string, unknown> | null,
  warnings: string[] = [],
) =>
  ({
    ...reportInput().analysis,
    icvMm3,
    secondOpinion,
    quality: { grade: "A", warnings },
    shape: [1, 1, 1],
    rasFromIjkRows: [],
  }) as unknown as AnalysisResults;
const ROW = {
  patient_age: 70,
  patient_sex: "female",
  patient_birthdate: "1955-05-05",
  study_date: "2026-01-01",
  label_list: [],
} as unknown as PatientRow;

/** Everything that is said of a result, by where. */
function saidOf(results: AnalysisResults) {
  const { icvMm3, regions, aggregates } = measureStudy({ patient: ROW, t1: results, flair: null });
  const report = buildReport({
    ...reportInput(),
    analysis: { ...reportInput().analysis, ...results },
  });
  const columns = exportColumnsOf(),
    cells = excelRowOf(columns, { row: ROW, results, flair: null });
  const at = (title: string) => cells[columns.findIndex((column) => column.title === title)];
  return { icvMm3, regions, report, at, aggregates };
}

Deno.test("a brain-extracted result has no ICV anywhere, and percentiles by age and sex alone", () => {
  // of results before and after the engine named it, with the second network asked or not
  for (
    const results of [
      resultsOf(1_700_000, ALONE, ["second_opinion_refused"]),
      resultsOf(1_700_000, null, ["brain_extracted"]),
    ]
  ) {
    assert.equal(isBrainExtracted(results), true);
    const { icvMm3, regions, report, at, aggregates } = saidOf(results);
    assert.equal(icvMm3, null);
    for (const row of [...regions, ...aggregates]) {
      assert.deepEqual([row.rank_icv_total, row.np_icv_total, row.icv_percent], [
        null,
        null,
        undefined,
      ]);
    }
    assert.ok(
      regions.some((row) => row.rank_volume_total !== null && shownRank(row, "total") !== null),
    );
    assert.ok(aggregates.every((row) => shownRank(row, "total") !== null));
    assert.ok(largestDeviation(regions) !== null);
    assert.equal(basisOf(regions), "region");
    assert.deepEqual([
      at(exportFieldText.icv.en),
      at(headOf("Hippocampus", "left", "rank_icv", "percentile")),
    ], [
      null,
      null,
    ]);
    assert.equal(typeof at(headOf("Hippocampus", "left", "rank_sex", "percentile")), "number");
    assert.ok(keyMeasures(results, null).every(({ name }) => name !== "Intracranial volume"));
    assert.deepEqual([report.icv.volume, report.icv.rank, report.qc.brain_icv_percent], [
      null,
      null,
      null,
    ]);
    assert.ok(report.main_page.rows.every((row) => row.icv_percent === null));
    assert.equal(report.reference.without_icv, "brain_extracted");
    assert.ok(noticeOf(report)!.includes(reportText.withoutIcvExtracted.en));
    const hippocampus = report.main_page.rows.find(({ key }) => key === "hippocampus")!;
    const row = regions.find(({ brain_regions }) => brain_regions === "Hippocampus")!;
    assert.deepEqual(hippocampus.rank_total, row.rank_volume_total);
    assert.ok(report.qc.warnings.includes("brain_extracted"));
    assert.ok(!report.qc.warnings.includes("second_opinion_refused"));
    assert.ok(reportSheetsOf(report).length > 0);
  }
});

Deno.test("an ICV beyond three standard deviations is shown, and percentiles are by age and sex alone", () => {
  const beyond = resultsOf(LIMIT_MM3 + 1000, AGREED), within = resultsOf(LIMIT_MM3 - 1000, AGREED);
  const { regions, report, at } = saidOf(beyond);
  assert.ok(regions.every((row) => row.rank_icv_total === null && row.rank_icv_left === null));
  assert.equal(at(exportFieldText.icv.en), Math.round((LIMIT_MM3 + 1000) / 10) / 100);
  assert.equal(report.reference.without_icv, "icv_beyond_norms");
  assert.match(noticeOf(report)!, /age and sex only.*3 standard deviations/);
  assert.ok(report.qc.warnings.includes("icv_beyond_norms") && report.icv.volume !== null);
  assert.equal(basisOf(regions), "region");
  const usual = saidOf(within);
  // the grade of the segmentation, too
  assert.deepEqual(
    [report.qc.grade, at(exportFieldText.t1_grade.en), usual.report.qc.grade],
    ["B", "B", "A"],
  );
  assert.equal(usual.report.reference.without_icv, undefined);
  assert.equal(noticeOf(usual.report), null);
  assert.equal(basisOf(usual.regions), "icv");
  assert.ok(usual.regions.some((row) => row.rank_icv_total !== null));
  assert.deepEqual(
    [LIMIT_MM3 + 1000, LIMIT_MM3 - 1000, null].map((mm3) => icvOfPercentiles(mm3, WOMAN) === null),
    [true, false, true],
  );
});

Deno.test("warningsOf() leaves the warnings of whole heads as they are", () => {
  const whole = resultsOf(1_409_000, { isUsed: false, reason: "cortex" }, [
    "second_opinion_refused",
    "folding",
  ]);
  assert.deepEqual(warningsOf(whole), ["second_opinion_refused", "folding"]);
  assert.equal(isBrainExtracted(whole), false);
  assert.deepEqual(qualityOf(resultsOf(1_409_000, ALONE, ["second_opinion_refused", "folding"])), {
    grade: "A",
    warnings: ["brain_extracted", "folding"],
  });
});
