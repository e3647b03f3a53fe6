// Each sheet of a report is one PDF page, and nothing is printed outside of its margins, for
// generated reports of all kinds.
// GENERATED_REPORTS=2000 is the long run, GENERATED_FROM=0 the number before its first report.
// covers: D2-2.20, S-81
import assert from "node:assert/strict";
import { renderPdf } from "@/report/pdf/pdf.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { SHEET_HEIGHT } from "@/report/sheets/sheet.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { GOLDEN_PICTURES } from "@/tests/golden/report_cases.ts";
import { generatedReport } from "@/tests/page_one/generated_reports.ts";

const COUNT = Number(Deno.env.get("GENERATED_REPORTS") ?? 0);
const FROM = Number(Deno.env.get("GENERATED_FROM") ?? 0);
/**
 * Seeds of reports that once had more pages than sheets, because of: an opinion of many lines, a
 * long series name, notes of measurements, a single chart in a row, a name of five lines, many
 * notices above the lesions, or an ID of punctuation or of 98 Han characters.
 */
const ONCE_WRONG = [5, 8, 14, 17, 53, 76, 85, 97, 146];
const NUMBERS = COUNT > 0 ? Array.from({ length: COUNT }, (_, n) => FROM + 1 + n) : ONCE_WRONG;

const ESTIMATED = 200;
Deno.test(`no sheet is estimated higher than its page, of ${ESTIMATED} generated reports`, () => {
  const higher: string[] = [];
  for (let seed = FROM + 1; seed <= FROM + ESTIMATED; seed++) {
    for (const { title, blocks } of reportSheetsOf(generatedReport(seed))) {
      const height = heightOf(blocks);
      if (!(height <= SHEET_HEIGHT)) higher.push(`${seed}, ${title}: ${height.toFixed(0)} pt`);
    }
  }
  assert.deepEqual(higher, []);
});

/** Number of pages of an uncompressed PDF. */
const pagesIn = (pdf: Uint8Array) =>
  [...new TextDecoder("latin1").decode(pdf).matchAll(/\/Type \/Page\b(?!s)/g)].length;

/** Left and right edge of the printed area, points, with a tolerance of one point. */
const MARGIN = 14 * 72 / 25.4, LEFT = MARGIN - 1, RIGHT = 210 * 72 / 25.4 - MARGIN + 1;

/** Words of a PDF outside of the margins, except the watermark, which is wider. */
async function wordsBeyond(pdf: Uint8Array): Promise<string[]> {
  const words = await runOnPdf("pdftotext", ["-bbox", "", "-"], pdf);
  return [...words.matchAll(/xMin="([\d.-]+)" yMin="[\d.-]+" xMax="([\d.-]+)"[^>]*>([^<]*)/g)]
    .filter(([, left, right, word]) =>
      !/^D?E?M?O?$/.test(word!) && (Number(left) < LEFT || Number(right) > RIGHT)
    ).map(([, , , word]) => word!);
}

Deno.test(`a PDF has a page for each sheet, of ${NUMBERS.length} generated reports`, async () => {
  const wrong: string[] = [], counts = new Set<number>();
  for (const [at, seed] of NUMBERS.entries()) {
    const report = generatedReport(seed), sheets = reportSheetsOf(report);
    const pdf = await renderPdf(report, GOLDEN_PICTURES), pages = pagesIn(pdf);
    counts.add(sheets.length);
    if (pages !== sheets.length) {
      wrong.push(
        `${seed}: ${pages} pages, ${sheets.length} sheets (${
          sheets.map(({ title }) => title).join("; ")
        })`,
      );
    }
    // poppler, as an independent reader, counts equal pages
    if (at % 5 < 2 && hasPoppler) {
      const beyond = await wordsBeyond(pdf);
      if (beyond.length > 0) wrong.push(`${seed}: beyond the margins ${beyond.join(" ")}`);
      const info = await runOnPdf("pdfinfo", [""], pdf);
      assert.equal(Number(/Pages: +(\d+)/.exec(info)![1]), pages);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(counts.size > Math.min(7, NUMBERS.length / 2), `reports of ${[...counts]} sheets`);
});
