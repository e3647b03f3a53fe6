import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { mainPageOf } from "@/model/report_page.ts";
import { reportResponse } from "@/model/schema/report.ts";
import { reportSheetsOf } from "@/model/report_sheets.ts";
import { ReportSheet } from "@/components/report/ReportSheet.tsx";
import { buildFlairReport, type FlairReportInput } from "@/core/services/report_flair.ts";
import { DEFAULT_THRESHOLDS } from "@/core/services/report_model.ts";

const input = (flair: Partial<FlairReportInput["flair"]> = {}, isT1Uploaded = false): FlairReportInput => ({
  pid: 7,
  language: "en",
  isAnonymized: false,
  generatedAt: "2026-01-02T03:04:05.678Z",
  version: "0.1.0",
  certType: "DEMO",
  hospitalName: "",
  thresholds: DEFAULT_THRESHOLDS,
  opinion: { opinion_id: 0, message: "" },
  pages: [],
  patient: {
    id: "P1",
    name: "김지은",
    age: 70,
    sex: "female",
    birthDate: "1955-05-05",
    studyDate: "2026-01-01",
    isFlairUploaded: true,
  },
  series: { description: "FLAIR", manufacturer: null, field_strength: null, slices: 40, voxel_mm: [1, 1, 3] },
  seriesList: [],
  images: [],
  isT1Uploaded,
  flair: {
    finishedAt: "2026-01-02T00:00:00Z",
    engineVersion: "sulcus-engine 0.1.0",
    periMm3: 6000,
    deepMm3: 4000,
    whiteMatterMm3: 400_000,
    lesionCount: 12,
    isLowConfidence: true,
    tissue: "flair",
    icvMm3: 1_500_000,
    grade: "B",
    ...flair,
  },
});

const rowsOf = (given: FlairReportInput) =>
  Object.fromEntries(
    mainPageOf(reportResponse.parse(buildFlairReport(given))).rows.map((row) => [row.key, row]),
  );

Deno.test("buildFlairReport() has ICV and lesions, and asks for a T1w series elsewhere", () => {
  const rows = rowsOf(input());
  assert.equal(rows.icv!.total, "1500.00");
  assert.deepEqual(
    [rows.wmh!.total, rows.wmh!.icvPercent, rows.wmh!.note],
    ["10.00", "0.67", "Low confidence"],
  );
  const others = Object.values(rows).filter((row) => row.key !== "icv" && row.key !== "wmh");
  assert.equal(others.length, 8);
  for (const row of others) assert.deepEqual([row.total, row.note], ["–", "T1w series needed"], row.key);
  assert.equal(rowsOf(input({}, true)).hippocampus!.note, "Not measured");
});

Deno.test("buildFlairReport() has a dash for an ICV that was not measured", () => {
  const given = input({ icvMm3: null }), rows = rowsOf(given);
  assert.deepEqual([rows.icv!.total, rows.wmh!.icvPercent], ["–", "–"]);
  assert.equal(mainPageOf(buildFlairReport(given)).quality[0]!.value, "–");
});

Deno.test("ReportSheet of a FLAIR analysis has the lesions' parts and no curves, legend or percentile", () => {
  const report = buildFlairReport(input());
  assert.match(mainPageOf(report).notice!, /low confidence.*need a T1w series/);
  const html = renderToStaticMarkup(<ReportSheet sheet={reportSheetsOf(report)[0]!} />);
  assert.ok(html.includes("10.00 mL: periventricular 6.00, deep 4.00; 2.50 % of cerebral white matter"));
  assert.ok(!html.includes("report-drawings") && !html.includes("Rail: dot"));
});
