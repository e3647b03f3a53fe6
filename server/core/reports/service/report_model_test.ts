import assert from "node:assert/strict";
import { engineName } from "@/model/measured/engine_name.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { normOfPair, percentileOf } from "@/model/norms/norms.ts";
import { mainPageOf } from "@/report/model/page.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { reportResponse } from "@/model/schema/report/report.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { textIn } from "@/model/text.ts";
import { scorePageText } from "@/model/text/report/pages/score.ts";
import { reportText } from "@/model/text/report/report.ts";
import { buildReport, type ReportInput } from "@/server/core/reports/service/report_model.ts";
import { reportInput, SUBJECT, volumesAt } from "@/server/core/reports/service/report_fixture.ts";

const rowOf = (given: ReportInput, key: string) =>
  buildReport(given).main_page.rows.find((row) => row.key === key)!;

Deno.test("buildReport() keeps to its schema and gives hand-calculated numbers", () => {
  const report = reportResponse.parse(buildReport(reportInput()));
  assert.equal(report.icv.volume, 1409);
  const hippocampus = report.main_page.rows.find((row) => row.key === "hippocampus")!;
  // 3609.8 mm³, the check value of the norms at 70 years, as the method measures it
  const left = 3609.8 * Math.exp(methodErrorOf("19", "volume")!.bias), right = volumesAt(0)[20]!;
  assert.equal(hippocampus.volume_left, Math.round(left / 10) / 100);
  assert.equal(hippocampus.volume_total, Math.round((left + right) / 10) / 100);
  assert.equal(hippocampus.icv_percent, Math.round(100 * 100 * (left + right) / 1_409_000) / 100);
  for (const percentile of [hippocampus.np_left, hippocampus.np_right, hippocampus.np_total]) {
    assert.ok(Math.abs(percentile! - 50) < 0.1, String(percentile));
  }
  assert.equal(hippocampus.band, 0);
});

Deno.test("buildReport() sums the cortex by side and leaves ventricles and fluid out of the brain", () => {
  const volumes = Array.from({ length: 105 }, (_, label) => label === 0 ? 0 : 1000);
  const given = reportInput({ analysis: { ...reportInput().analysis, volumesMm3: volumes } });
  const cortex = rowOf(given, "cortex");
  assert.deepEqual([cortex.volume_left, cortex.volume_right, cortex.volume_total], [34, 34, 68]);
  // 104 labels less 15–18, 25, 26 and 27
  assert.equal(rowOf(given, "brain").volume_total, 97);
  assert.equal(buildReport(given).qc.brain_icv_percent, 6.88);
});

Deno.test("buildReport() gives the total the percentile of the pair, as the part has elsewhere", () => {
  const given = reportInput({
    analysis: { ...reportInput().analysis, volumesMm3: volumesAt(-1.3) },
  });
  const row = rowOf(given, "thalamus"), pair = normOfPair(7, 8, "volume", SUBJECT)!;
  const measured = volumesAt(-1.3)[7]! + volumesAt(-1.3)[8]!;
  const total = measured / Math.exp(methodErrorOf("7+8", "volume")!.bias);
  assert.equal(row.np_total, Math.round(100 * percentileOf(total, pair)) / 100);
  assert.equal(row.np_left, 9.68);
  assert.equal(
    row.np_total,
    buildReport(given).regions.find((r) => r.brain_regions === "Thalamus")!.np_icv_total,
  );
});

Deno.test("buildReport() has volumes but no percentile of a segmentation of grade C", () => {
  const quality = { grade: "C", warnings: ["pose_extreme"] };
  const report = buildReport(reportInput({ analysis: { ...reportInput().analysis, quality } }));
  assert.deepEqual([report.qc.grade, report.reference.reason, report.reference.in_range], [
    "C",
    "quality",
    false,
  ]);
  assert.deepEqual([report.icv.volume, report.icv.np], [1409, null]);
  assert.ok(report.main_page.rows.every((row) => row.volume_total !== 0 && row.np_total === null));
  assert.ok(report.main_page.rows.every((row) => row.band === null));
  assert.ok(
    report.regions.every((row) => row.np_icv_total === null && row.np_volume_total === null),
  );
});

Deno.test("buildReport() marks large ventricles and not small ones", () => {
  const at = (z: number) =>
    rowOf(
      reportInput({ analysis: { ...reportInput().analysis, volumesMm3: volumesAt(z) } }),
      "lateral_ventricles",
    );
  assert.equal(at(2).is_inverted, true);
  assert.equal(at(2).band, 2);
  assert.equal(at(1).band, 1);
  assert.equal(at(-2).band, 0);
  assert.ok(at(2).np_total! > 95 && at(-2).np_total! < 5);
});

Deno.test("buildReport() gives a child no percentile and says why", () => {
  const report = buildReport(reportInput({}, { age: 3 }));
  assert.ok(report.main_page.rows.every((row) => row.np_total === null && row.band === null));
  assert.ok(report.main_page.charts.every((chart) => chart.curve.length === 0));
  assert.ok(report.regions.every((region) => region.np_icv_total === null));
  assert.equal(
    mainPageOf(report).notice,
    textIn(reportText.ageOutsideNorms, "en", { min: 18, max: 100, age: 3 }),
  );
  assert.match(mainPageOf(buildReport(reportInput({}, { sex: null }))).notice!, /sex is unknown/);
  assert.match(
    mainPageOf(buildReport(reportInput({}, { age: null }))).notice!,
    /birth date or the study date/,
  );
  assert.equal(mainPageOf(buildReport(reportInput())).notice, null);
});

Deno.test("buildReport() says what is missing instead of a number", () => {
  const notes = (isFlairUploaded: boolean) =>
    mainPageOf(buildReport(reportInput({}, { isFlairUploaded }))).rows.slice(-2).map((
      row,
    ) => [row.total, row.note]);
  assert.deepEqual(notes(false), [["–", "FLAIR series needed"], ["–", "Not measured"]]);
  assert.deepEqual(notes(true)[0], ["–", "Not measured"]);
});

Deno.test("buildReport() lengthens the age axis for a patient outside of it", () => {
  const curve = buildReport(reportInput({}, { age: 93 })).main_page.charts[0]!.curve;
  assert.deepEqual([curve[0]!.age, curve.at(-1)!.age], [20, 93]);
});

Deno.test("buildReport() leaves out who it is when anonymised", () => {
  const report = buildReport(reportInput({ isAnonymized: true }));
  assert.ok(!/P1|김|1955-05-05/.test(JSON.stringify(report)));
  assert.equal(report.patient.patient_age, 70);
});

Deno.test("mainPageOf() has the same rows and figures in both languages", () => {
  const [en, ko] = (["en", "ko"] as const).map((language) =>
    mainPageOf(buildReport(reportInput({ language })))
  );
  const plain = (percentile: string) =>
    percentile.replace(/(st|nd|rd|th)\b/, "").replace(/(?<=\d)(?:–|\u00a0to\u00a0)/, "~");
  assert.deepEqual(
    en!.rows.map((row) => [row.total, plain(row.percentile)]),
    ko!.rows.map((r) => [r.total, r.percentile]),
  );
  assert.equal(ko!.rows[4]!.name, "해마");
});

Deno.test("engineName() names engine and network in the language of the report", () => {
  assert.equal(engineName("sulcus-engine 0.7.0", "en"), "Sulcus engine 0.7.0");
  const both = "sulcus-engine 0.7.0 with deep structures of any contrast 2";
  assert.equal(engineName(both, "en"), "Sulcus engine 0.7.0 with deep structures 2");
  assert.equal(engineName(both, "ko"), "Sulcus 엔진 0.7.0(심부 구조 신경망 2)");
});

Deno.test("buildReport() gives no score when a structure of it is missing from the segmentation", () => {
  const { analysis } = reportInput();
  const reportWithout = (isLost: (label: number) => boolean) =>
    buildReport(reportInput({
      pages: [1, 2],
      analysis: {
        ...analysis,
        volumesMm3: analysis.volumesMm3.map((mm3, label) => isLost(label) ? 0 : mm3),
      },
    }));
  const isTemporal = (label: number) => {
    const region = regionOf(label);
    return region?.group === "temporal" && region.hemisphere === "R";
  };
  assert.ok(reportWithout(() => false).atrophy_score);
  // pallidum, which the score does not contain
  assert.ok(reportWithout((label) => label === 13).atrophy_score);
  for (
    const isLost of [
      (label: number) => label === 19,
      (label: number) => label === 82,
      (label: number) => regionOf(label)?.hemisphere === "L",
      isTemporal,
    ]
  ) {
    const report = reportWithout(isLost);
    assert.equal(report.atrophy_score, null);
    assert.ok(JSON.stringify(reportSheetsOf(report)).includes(scorePageText.scoreMissing.en));
  }
});
