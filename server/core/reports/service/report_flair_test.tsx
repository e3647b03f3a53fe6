import assert from "node:assert/strict";
import { rangeDigits } from "@/model/norms/rank_format.ts";
import { renderToStaticMarkup } from "react-dom/server";
import { mainPageOf } from "@/report/model/page.ts";
import { type ReportResponse, reportResponse } from "@/model/schema/report/report.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { ReportSheet } from "@/report/html/ReportSheet.tsx";
import {
  buildFlairReport,
  type FlairReportInput,
} from "@/server/core/reports/service/report_flair.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import {
  flairInput,
  fullReport,
  textOfSheet,
} from "@/server/core/reports/service/report_fixture.ts";

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
  for (const row of others) {
    assert.deepEqual([row.total, row.note], ["–", "T1w series needed"], row.key);
  }
  assert.equal(rowsOf(flairInput({}, { isT1Uploaded: true })).hippocampus!.note, "Not measured");
});

Deno.test("buildFlairReport() has a dash for an ICV that was not measured", () => {
  const given = flairInput({ icvMm3: null }), rows = rowsOf(given);
  assert.deepEqual([rows.icv!.total, rows.wmh!.icvPercent], ["–", "–"]);
  assert.equal(mainPageOf(buildFlairReport(given)).quality[0]!.value, "–");
});

Deno.test("ReportSheet of a FLAIR analysis has the lesions' parts and no curves, legend or percentile", () => {
  const report = buildFlairReport(flairInput());
  assert.match(mainPageOf(report).notice!, /low confidence.*require a T1w series/);
  // once on a page
  for (const { blocks } of reportSheetsOf(report)) {
    assert.ok(blocks.filter(({ kind }) => kind === "notice").length < 2);
  }
  const html = renderToStaticMarkup(<ReportSheet sheet={reportSheetsOf(report)[0]!} />);
  // each once, in the table
  for (const ml of [">10.00<", ">6.00<", ">4.00<", ">2.50<"]) {
    assert.equal(html.split(ml).length, 2, ml);
  }
  assert.ok(!html.includes("periventricular 6.00"));
  assert.ok(!html.includes("report-drawings") && !html.includes("Rail: dot"));
});

const DEEP = readOnFlair((label) => 200 * label);

Deno.test("the Main Page of a FLAIR analysis has the deep structures with their interval, where the network was sure", () => {
  for (const language of ["en", "ko"] as const) {
    const report = reportResponse.parse(
      buildFlairReport(flairInput({ deepStructures: DEEP }, { language, pages: [1, 128, 1024] })),
    );
    const main = reportSheetsOf(report).find(({ title }) =>
      title.split(" · ").includes(language === "en" ? "Main Page" : "주요 결과")
    )!;
    const words = textOfSheet(main).join("\n"),
      row = report.flair_structures!.find(({ part_index }) => part_index[0] === 19)!;
    const interval = rangeDigits(row.low.toFixed(2), row.high.toFixed(2), language);
    for (const ml of ["3.80", "4.00", "7.80", interval]) {
      assert.ok(words.includes(ml), ml);
    }
    assert.match(words, language === "en" ? /80\u00a0% interval/ : /80\u00a0% 구간/);
    // no page says that there are no regions
    const all = reportSheetsOf(report).flatMap(textOfSheet).join("\n");
    assert.doesNotMatch(all, /regional volumes, thickness|영역별 부피와 두께/);
    assert.doesNotMatch(words, /\{\w+\}/);
  }
  const refused = buildFlairReport(flairInput({ deepStructures: { ...DEEP, isUsed: false } }));
  assert.equal(refused.flair_structures, undefined);
  assert.doesNotMatch(reportSheetsOf(refused).flatMap(textOfSheet).join(), /80\u00a0% interval/);
});

/** Every word of the pages, footer included. */
const printed = (report: ReportResponse) =>
  reportSheetsOf(report).map((sheet) => renderToStaticMarkup(<ReportSheet sheet={sheet} />)).join(
    "\n",
  );

Deno.test("Reading Materials and footer of a FLAIR analysis explain and cite only what its report has", () => {
  const absent = {
    en: /Norms:|Percentile:|Bands:|Atrophy Score|MTA|Φ|Desikan|Scheltens|Cortical thickness:/,
    ko: /규준:|백분위:|판정:|위축 점수|MTA|Φ|Desikan|Scheltens|피질 두께:/,
  };
  for (const language of ["en", "ko"] as const) {
    const pages = [1024] as const,
      flair = { ...buildFlairReport(flairInput({}, { language })), page_list: [...pages] };
    assert.doesNotMatch(printed(flair), absent[language]);
    assert.match(
      printed(flair),
      language === "en" ? /bright areas of the white matter/ : /밝게 보이는 백질/,
    );
    // the same words are there where there is something to explain
    assert.match(printed({ ...fullReport(language), page_list: [...pages] }), absent[language]);
  }
});

Deno.test("the parts of the lesions of a FLAIR analysis are printed once: on the WMH page where there is one", () => {
  const report = buildFlairReport(flairInput());
  const timesOf = (page_list: ReportResponse["page_list"], text: string) =>
    reportSheetsOf({ ...report, page_list }).flatMap(textOfSheet).filter((each) => each === text)
      .length;
  for (const part of ["6.00", "4.00", "2.50"]) {
    assert.deepEqual([timesOf([], part), timesOf([128], part)], [1, 1], part);
  }
  // the total belongs to both
  assert.deepEqual([timesOf([], "10.00"), timesOf([128], "10.00")], [1, 2]);
});
