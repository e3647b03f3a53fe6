// Functions with which tests read texts and table cells from the sheets of a report.
import assert from "node:assert/strict";
import { type PageCode } from "@/model/report/pages.ts";
import { reportResponse } from "@/model/schema/report/report.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { Block, Sheet, TableRow } from "@/report/sheets/sheet.ts";
import { fullReport, textOfSheet } from "@/server/core/reports/service/report_fixture.ts";

/** Options of the report that a test builds. */
export type Input = NonNullable<Parameters<typeof fullReport>[1]>;
/** Sheets of one report page, without the Main Page and the page of all findings. */
export const sheetsOf = (code: PageCode, change: Input = {}, patient = {}): Sheet[] => {
  const report = reportResponse.parse(fullReport("en", { pages: [code], ...change }, patient));
  const others = ["Main Page", conclusionText.all.en];
  return reportSheetsOf(report).filter(({ title }) =>
    !title.split(" · ").every((page) => others.includes(page))
  );
};
/** Rows of all tables in some blocks, including tables in two columns. */
export const rowsOf = (blocks: readonly Block[]): TableRow[] =>
  blocks.flatMap((block) =>
    block.kind === "table"
      ? block.rows
      : block.kind === "split"
      ? rowsOf([...block.left, ...block.right])
      : []
  );
/** Cells of all tables on some sheets of a report, by the text of the first cell in the row. */
export const cellsOf = (sheets: readonly Sheet[]) =>
  new Map(
    sheets.flatMap(({ blocks }) => rowsOf(blocks))
      .map(({ cells }) => [cells[0]!.text!, cells.slice(1)] as const),
  );
/** Texts of the cells in a row; "svg" for a cell with a drawing. */
export const textsOf = (sheets: readonly Sheet[], name: string) => {
  const cells = cellsOf(sheets).get(name);
  assert.ok(cells, `no row ${name}`);
  return cells.map((cell) => cell.svg === undefined ? cell.text ?? "" : "svg");
};

/** All texts on some sheets of a report. */
export const flat = (sheets: readonly Sheet[]) => sheets.flatMap(textOfSheet);
