// The sheets of all kinds of reports are filled well, and no percentile wraps in its column.
// covers: S-81
import assert from "node:assert/strict";
import { renderPdf } from "@/report/pdf/pdf.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import type { PageCode } from "@/model/report/pages.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { LANGUAGES } from "@/model/text.ts";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { reportText } from "@/model/text/report/report.ts";
import { findingsText } from "@/model/text/report/report_findings.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { signedLabelText } from "@/model/text/report/report_text.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, type Column, SHEET_HEIGHT } from "@/report/sheets/sheet.ts";
import { linesOf } from "@/report/sheets/text_width.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import {
  fullReport,
  reportInput,
  textOfSheet,
} from "@/server/core/reports/service/report_fixture.ts";
import { GOLDEN_CASES, GOLDEN_PICTURES } from "@/tests/golden/report_cases.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { qualityText } from "@/model/text/quality.ts";
import { noticeOf } from "@/report/model/page.ts";
import { blocksOf } from "@/tests/page_one/printed_rows.ts";

/**
 * Largest allowed blank share of a sheet: about the height of a picture strip or chart, the
 * smallest part that could be moved from the next sheet. The last sheet may end anywhere.
 */
const MOST_BLANK = 0.34;

for (const { name, report } of GOLDEN_CASES) {
  Deno.test(`${name}: no sheet before the last is blank by more than ${MOST_BLANK}`, () => {
    const sheets = reportSheetsOf(report);
    for (const [at, { title, blocks }] of sheets.slice(0, -1).entries()) {
      const used = heightOf(blocks);
      // two sheets that fit on one page would have been joined
      const next = heightOf(sheets[at + 1]!.blocks.filter(({ kind }) => kind !== "identity"));
      assert.ok(used + next > SHEET_HEIGHT, `${title} and ${sheets[at + 1]!.title} fit on one`);
      const blank = 1 - used / SHEET_HEIGHT;
      assert.ok(blank <= MOST_BLANK, `${title}: ${blank.toFixed(2)} of ${name} is blank`);
    }
  });
}

Deno.test("a report with the page Hospital-MTA shows the slice of the hippocampi once, of all pages", () => {
  for (const { name, report } of GOLDEN_CASES.filter(({ report }) => report.hippocampus)) {
    const sheets = reportSheetsOf(report).filter(({ blocks }) =>
      blocksOf(blocks).some((block) =>
        block.kind === "pictures" && block.pictures.some(({ key }) => key === "hippocampi")
      )
    );
    assert.deepEqual(sheets.map(({ pages }) => pages.includes(16)), [true], name);
  }
});

Deno.test("the page Longitudinal explains curves only where it has some", () => {
  for (const { name, report } of GOLDEN_CASES) {
    const text = longitudinalPageText.changeCurves[report.language];
    for (const { pages, blocks } of reportSheetsOf(report)) {
      if (!pages.includes(64)) continue;
      const isExplained = blocks.some((block) =>
        block.kind === "small" && block.text.includes(text)
      );
      const hasCurves = blocks.some((block) =>
        block.kind === "heading" && block.text === reportText.curves[report.language]
      );
      assert.equal(isExplained, hasCurves, name);
    }
  }
});

/** Titles of pages without a code, which are only added when needed. */
const ADDED_TITLES = {
  conclusion: signedLabelText.conclusion,
  findings: conclusionText.all,
  images: findingsText.title,
};

Deno.test("each sheet names its pages by code in the order of its title", () => {
  for (const { name, report } of GOLDEN_CASES) {
    for (const { pages, title } of reportSheetsOf(report)) {
      const titles = pages.map((page) =>
        (typeof page === "number" ? pageTitle[page] : ADDED_TITLES[page])[report.language]
      );
      assert.equal(titles.join(" · "), title, name);
    }
  }
});

/** Largest blank share of a sheet of a report without percentiles. */
const MOST_BLANK_UNCOMPARED = 0.15;

Deno.test("of grade C and of a child, Check-up and ICV share a sheet and the regions fill theirs", () => {
  for (const language of LANGUAGES) {
    const parts = { language, pages: [1, 8, 32, 512, 1024] as PageCode[] };
    const { analysis } = reportInput();
    const child = fullReport(language, parts, { age: 7, birthDate: "2018-05-05" });
    const poor = fullReport(language, {
      ...parts,
      analysis: { ...analysis, quality: { grade: "C", warnings: ["pair_unequal"] } },
    });
    for (const report of [child, poor]) {
      const sheets = reportSheetsOf({ ...report, page_list: parts.pages });
      const shared = [pageTitle[8], pageTitle[32]].map((title) => title[language]).join(" · ");
      assert.ok(
        sheets.some(({ title }) => title === shared),
        sheets.map(({ title }) => title).join(),
      );
      for (const { title, blocks } of sheets.slice(1, -1)) {
        const blank = 1 - heightOf(blocks) / SHEET_HEIGHT;
        assert.ok(blank <= MOST_BLANK_UNCOMPARED, `${title}: ${blank.toFixed(2)} is blank`);
      }
    }
  }
});

/** Blank share of each sheet of a report, with the sheet's title. */
const blankOf = (report: ReportResponse): [title: string, blank: number][] =>
  reportSheetsOf(report).map(({ title, blocks }) => [title, 1 - heightOf(blocks) / SHEET_HEIGHT]);

Deno.test("an ICV page with norms, a Cover without norms and the last sheet of a FLAIR report are filled", () => {
  const { analysis } = reportInput(), wrong: string[] = [];
  const check = (name: string, sheets: readonly [string, number][]) =>
    wrong.push(
      ...sheets.filter(([, blank]) => blank > MOST_BLANK_UNCOMPARED).map(([title, blank]) =>
        `${name}, ${title}: ${blank.toFixed(2)} is blank`
      ),
    );
  for (const language of LANGUAGES) {
    const titled = (report: ReportResponse, page: 1 | 32) =>
      blankOf(report).filter(([title]) => title.split(" · ").includes(pageTitle[page][language]));
    for (const pages of [[1, 32], [1, 512], [1, 1024], [1]] as PageCode[][]) {
      const parts = { language, pages, lesions: null };
      const compared = fullReport(language, parts);
      check(`${pages}`, titled({ ...compared, page_list: pages }, 32));
      const uncompared = {
        child: fullReport(language, parts, { age: 7 }),
        "sex unknown": fullReport(language, parts, { sex: null }),
        "grade C": fullReport(language, {
          ...parts,
          analysis: { ...analysis, quality: { grade: "C", warnings: ["pair_unequal"] } },
        }),
      };
      for (const [name, report] of Object.entries(uncompared)) {
        check(`${name} ${pages} ${language}`, titled({ ...report, page_list: pages }, 1));
      }
    }
  }
  for (const { name, report } of GOLDEN_CASES.filter(({ name }) => name.includes("_t2_"))) {
    check(name, blankOf(report));
  }
  assert.deepEqual(wrong, []);
});

/** Page selections for which sheets once exceeded {@link MOST_BLANK_UNCOMPARED}. */
const SELECTIONS: readonly PageCode[][] = [[], [1], [8], [16], [32], [128], [1, 8], [1, 16]];

Deno.test("of few pages, no sheet but the list of all results is blank by more than 15 %", () => {
  const wrong: string[] = [];
  for (const { name, report } of GOLDEN_CASES) {
    const all = conclusionText.all[report.language];
    for (const pages of SELECTIONS) {
      const page_list = pages.filter((page) => report.page_list.includes(page));
      for (const [title, blank] of blankOf({ ...report, page_list })) {
        if (title !== all && blank > MOST_BLANK_UNCOMPARED) {
          wrong.push(`${name} [${page_list}], ${title}: ${blank.toFixed(2)}`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a Cover that shares its sheet with the Main Page says its quality and notice once", () => {
  for (const { name, report } of GOLDEN_CASES.filter(({ name }) => name.includes("normal_t2_"))) {
    const texts = textOfSheet(reportSheetsOf(report)[0]!), { language } = report;
    assert.equal(texts.filter((text) => text === qualityText.grade[language]).length, 1, name);
    assert.equal(texts.filter((text) => text === noticeOf(report)).length, 1, name);
  }
});

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

Deno.test("no MTA grade and no comparison below it is wider than its column", () => {
  for (const language of LANGUAGES) {
    for (const [left, right] of [[0, 4], [4, 0]] as const) {
      const mta = { left, right, entered_by: "R", entered_at: "2026-01-02T00:00:00Z" };
      const report = fullReport(language, { pages: [16], mta, lesions: null });
      const tables = reportSheetsOf(report).flatMap(({ blocks }) => blocksOf(blocks)).filter((
        block,
      ) => block.kind === "table" && block.rows[0]?.cells[0]?.text === "MTA");
      assert.equal(tables.length, 1);
      for (const { columns, rows } of tables as Extract<Block, { kind: "table" }>[]) {
        for (const [at, { text = "", under = "" }] of rows[0]!.cells.entries()) {
          const { width } = columns[at]!;
          if (width === "*") continue;
          assert.ok(at === 0 || under !== "", language);
          // small print on the screen has .78 of the text's size
          for (const [words, size] of [[text, 8], [under, 0.78 * 8]] as const) {
            assert.equal(linesOf(words, size, width - 6, true), 1, words);
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
