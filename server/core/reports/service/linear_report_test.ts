// covers: S-41
import assert from "node:assert/strict";
import { csvText } from "@/server/core/exports/service/workbook.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import {
  fullReport,
  LINEAR,
  reportInput,
  textOfSheet,
  volumesAt,
} from "@/server/core/reports/service/report_fixture.ts";
import { buildReport } from "@/server/core/reports/service/report_model.ts";
import { correctedResults } from "@/server/core/reading/service/corrected.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { LANGUAGES } from "@/model/text.ts";
import { linearText } from "@/model/text/report/linear.ts";
import { CITATIONS } from "@/model/text/report/pages/reading.ts";
import { regionBodiesOf } from "@/report/sheets/regions_sheet.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { rowsOf } from "@/tests/page_one/printed_rows.ts";

const PRINTED = [
  ["evans", "0.28", "0.27–0.29"],
  ["frontal_horns", "36.4", "34.9–37.6"],
  ["third_ventricle", "5.3", "4.1–6.4"],
  ["callosal_angle", "118", "112–122"],
] as const;

const GRID = {
  shape: [2, 1, 1] as [number, number, number],
  rasFromIjkRows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
};
const results = (grade: "A" | "C" = "A"): AnalysisResults => ({
  ...GRID,
  volumesMm3: [...reportInput().analysis.volumesMm3],
  icvMm3: 1_409_000,
  quality: { grade },
  linear: LINEAR,
});

Deno.test("widths and angle of the ventricles are the same in report and table, each with its range", () => {
  for (const language of LANGUAGES) {
    const sheets = reportSheetsOf(fullReport(language)),
      rows = sheets.flatMap(({ blocks }) =>
        rowsOf(blocks).map(({ cells }) => cells.map(({ text }) => text))
      );
    for (const [key, value, range] of PRINTED) {
      const printed = rows.filter(([name]) => name === linearText[key][language]);
      // a Korean range is written with a tilde
      const ends = language === "ko" ? range.replace("–", "~") : range;
      assert.deepEqual(printed, [[linearText[key][language], value, ends]], key);
    }
  }
  const fields = [
    "evans_index",
    "evans_index_low",
    "callosal_angle",
    "callosal_angle_high",
  ] as const;
  const columns = exportColumnsOf({ fields: [...fields], measures: [], parts: [] });
  const row = {
    pid: 1,
    patient_age: 70,
    patient_sex: "female",
    label_list: [],
  } as unknown as PatientRow;
  const cellsOf = (of: AnalysisResults) =>
    csvText([excelRowOf(columns, { row, results: of, flair: null })]);
  assert.equal(cellsOf(results()).trim(), "0.28,0.27,118,122");
  assert.equal(cellsOf(results("C")).trim(), ",,,");
});

Deno.test("grade C and a corrected ventricle have no widths, another corrected label keeps them", () => {
  const input = reportInput();
  const poor = buildReport({ ...input, analysis: { ...input.analysis, quality: { grade: "C" } } });
  assert.equal(poor.linear, undefined);
  assert.equal(buildReport(input).linear!.evans!.value, 0.28);
  const painted = (from: number, to: number) =>
    correctedResults(results(), new Uint8Array([from, from]), [{
      id: 1,
      analysisId: 1,
      runs: [0, 1],
      value: to,
      createdAt: "2026-01-02T00:00:00Z",
      creator: "Reader",
      isUndone: false,
    }]);
  assert.equal(painted(15, 1).linear, undefined);
  assert.equal(painted(1, 25).linear, undefined);
  assert.deepEqual(painted(19, 20).linear, LINEAR);
});

Deno.test("each method that a report cites by author and year is among the sources of the Reading Materials", () => {
  for (const language of LANGUAGES) {
    const sheets = reportSheetsOf(fullReport(language));
    const words = sheets.flatMap(textOfSheet).join("\n");
    const cited = new Set([...words.matchAll(/\b([A-Z][a-z]+) (19\d\d|20\d\d)(?=[),])/g)].map(
      ([, author, year]) => `${author} ${year}`,
    ));
    for (const name of ["Evans 1942", "Ishii 2008", "Scheltens 1992", "Turner 2001"]) {
      assert.ok(cited.has(name));
    }
    for (const each of cited) {
      const [author, year] = each.split(" ") as [string, string];
      const source = CITATIONS.find((one) => one.startsWith(author) && one.includes(year));
      assert.ok(source && words.includes(source), each);
    }
  }
});

Deno.test("the regions' pages explain each sign that their tables contain", () => {
  const signs = new Set<string>();
  for (const language of LANGUAGES) {
    const doubted = { ...reportInput().analysis, volumesMm3: volumesAt(0) };
    doubted.volumesMm3[19] = 0.4 * doubted.volumesMm3[19]!;
    const reports = [fullReport(language), fullReport(language, { analysis: doubted })];
    for (const { blocks } of reports.flatMap((report) => regionBodiesOf(report))) {
      const key = blocks.flatMap((block) => block.kind === "small" ? [block.text] : []).join(" ");
      for (const { cells } of rowsOf(blocks)) {
        // of the table of widths, which has three columns, no sign
        const sign = cells.length < 9 ? "" : cells.at(-1)?.text ?? "";
        for (const one of sign.match(/[▽▼△▲]+|[○≈!]/gu) ?? []) {
          signs.add(one);
          assert.ok(key.includes(`${one} `) || key.includes(`${one})`), `${one}: ${key}`);
        }
      }
    }
  }
  assert.ok(["○", "≈", "!", "▼"].every((sign) => signs.has(sign)), [...signs].join());
});
