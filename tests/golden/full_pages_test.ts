// How full the sheets of all kinds of reports are, and that no percentile wraps in its column.
// covers: S-81
import assert from "node:assert/strict";
import { renderPdf } from "@/report/pdf/pdf.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Column, SHEET_HEIGHT } from "@/report/sheets/sheet.ts";
import { linesOf } from "@/report/sheets/text_width.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { GOLDEN_CASES, GOLDEN_PICTURES } from "@/tests/golden/report_cases.ts";
import { blocksOf } from "@/tests/page_one/printed_rows.ts";

/**
 * Largest share of a sheet that may be blank: about the height of one picture strip or chart, the
 * smallest part that could still be moved from the next sheet. The last sheet ends where it ends.
 */
const MOST_BLANK = 0.34;

for (const { name, report } of GOLDEN_CASES) {
  Deno.test(`${name}: no sheet before the last is blank by more than ${MOST_BLANK}`, () => {
    const sheets = reportSheetsOf(report);
    for (const [at, { title, blocks }] of sheets.slice(0, -1).entries()) {
      const used = heightOf(blocks);
      // a sheet that fits on the one before it is joined with it
      const next = heightOf(sheets[at + 1]!.blocks.filter(({ kind }) => kind !== "identity"));
      assert.ok(used + next > SHEET_HEIGHT, `${title} and ${sheets[at + 1]!.title} fit on one`);
      const blank = 1 - used / SHEET_HEIGHT;
      assert.ok(blank <= MOST_BLANK, `${title}: ${blank.toFixed(2)} of ${name} is blank`);
    }
  });
}

Deno.test("no percentile with its interval is wider than its column", () => {
  for (const { name, report } of GOLDEN_CASES) {
    for (const { title, blocks } of reportSheetsOf(report)) {
      for (const block of blocksOf(blocks)) {
        if (block.kind !== "table") continue;
        for (const { cells } of block.rows) {
          for (const [at, { text = "" }] of cells.entries()) {
            const column: Column = block.columns[at]!;
            if (!/^(>|<)?\d+(st|nd|rd|th), .*\d$/.test(text) || column.width === "*") continue;
            const size: number = column.isSmall ? 6.8 : block.isDense ? 7.5 : 8;
            assert.equal(
              linesOf(text, size, column.width - 6, true),
              1,
              `${name}, ${title}: ${text}`,
            );
          }
        }
      }
    }
  }
});

Deno.test({
  name: "a report has as many pages on paper as sheets" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  ignore: !hasPoppler,
  async fn() {
    for (
      const { name, report } of GOLDEN_CASES.filter(({ name }) => /^(atrophic|child)/.test(name))
    ) {
      const info = await runOnPdf("pdfinfo", [""], await renderPdf(report, GOLDEN_PICTURES));
      assert.equal(Number(/Pages: +(\d+)/.exec(info)![1]), reportSheetsOf(report).length, name);
    }
  },
});
