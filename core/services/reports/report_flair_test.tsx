import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { mainPageOf } from "@/report/model/page.ts";
import { reportResponse } from "@/model/schema/report/report.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { ReportSheet } from "@/report/html/ReportSheet.tsx";
import { buildFlairReport, type FlairReportInput } from "@/core/services/reports/report_flair.ts";
import { flairInput } from "@/core/services/reports/report_fixture.ts";

const rowsOf = (given: FlairReportInput) =>
  Object.fromEntries(
    mainPageOf(reportResponse.parse(buildFlairReport(given))).rows.map((row) => [row.key, row]),
  );

Deno.test("buildFlairReport() has ICV and lesions, and asks for a T1w series elsewhere", () => {
  const rows = rowsOf(flairInput());
  assert.equal(rows.icv!.total, "1500.00");
  assert.deepEqual(
    [rows.wmh!.total, rows.wmh!.icvPercent, rows.wmh!.note],
    ["10.00", "0.67", "Low confidence"],
  );
  const others = Object.values(rows).filter((row) => row.key !== "icv" && row.key !== "wmh");
  assert.equal(others.length, 8);
  for (const row of others) assert.deepEqual([row.total, row.note], ["–", "T1w series needed"], row.key);
  assert.equal(rowsOf(flairInput({}, { isT1Uploaded: true })).hippocampus!.note, "Not measured");
});

Deno.test("buildFlairReport() has a dash for an ICV that was not measured", () => {
  const given = flairInput({ icvMm3: null }), rows = rowsOf(given);
  assert.deepEqual([rows.icv!.total, rows.wmh!.icvPercent], ["–", "–"]);
  assert.equal(mainPageOf(buildFlairReport(given)).quality[0]!.value, "–");
});

Deno.test("ReportSheet of a FLAIR analysis has the lesions' parts and no curves, legend or percentile", () => {
  const report = buildFlairReport(flairInput());
  assert.match(mainPageOf(report).notice!, /low confidence.*need a T1w series/);
  // once on a page
  for (const { blocks } of reportSheetsOf(report)) {
    assert.ok(blocks.filter(({ kind }) => kind === "notice").length < 2);
  }
  const html = renderToStaticMarkup(<ReportSheet sheet={reportSheetsOf(report)[0]!} />);
  // each once, in the table
  for (const ml of [">10.00<", ">6.00<", ">4.00<", ">2.50<"]) assert.equal(html.split(ml).length, 2, ml);
  assert.ok(!html.includes("periventricular 6.00"));
  assert.ok(!html.includes("report-drawings") && !html.includes("Rail: dot"));
});
