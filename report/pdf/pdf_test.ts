// covers: S-81
import assert from "node:assert/strict";
import { encodePng } from "@/report/pdf/png.ts";
import { LOGO, type Pictures, renderPdf } from "@/report/pdf/pdf.ts";
import { hasPoppler, hasQpdf, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { MAX_SOURCE, MAX_TITLE } from "@/model/norms/imported/cells.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { imageKey } from "@/model/schema/report/report.ts";
import type { ReportInput } from "@/server/core/reports/service/report_model.ts";
import {
  fullReport,
  reportInput,
  textOfSheet,
} from "@/server/core/reports/service/report_fixture.ts";

const picture = encodePng(new Uint8Array(3 * 16 * 16).fill(90), 16, 16);
const pictures: Pictures = Object.fromEntries(imageKey.options.map((key) => [key, picture]));
const MAIN = { pages: [] };

const LONG = {
  hospitalName: "한국대학교병원",
  opinion: { opinion_id: 1, message: "소견 문장을 길게 적습니다. ".repeat(30).slice(0, 350) },
  thresholds: [1, 5, 25],
};

const ifPoppler = { ignore: !hasPoppler };

Deno.test("renderPdf() gives the same bytes for the same report", async () => {
  const report = fullReport("ko", MAIN);
  const first = await renderPdf(report, pictures), second = await renderPdf(report, pictures);
  assert.deepEqual(first, second);
  const other = await renderPdf(fullReport("ko", MAIN, { name: "이수민" }), pictures);
  assert.notDeepEqual(first, other);
});

// covers: D1-2.1
Deno.test({
  ...ifPoppler,
  name: "renderPdf() prints the hospital's logo on every page, and does without its picture" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  fn: async () => {
    const report = { ...fullReport("en", MAIN), logo_url: "/logo" };
    const logo = encodePng(new Uint8Array(3 * 60 * 24).fill(90), 60, 24);
    const images = async (given: Pictures) =>
      (await runOnPdf("pdfimages", ["-list", ""], await renderPdf(report, given))).trim().split(
        "\n",
      )
        .filter((line) => / 60 +24 /.test(line)).length;
    const pages = Number(
      /Pages: +(\d+)/.exec(await runOnPdf("pdfinfo", [""], await renderPdf(report, pictures)))![1],
    );
    assert.deepEqual([await images({ ...pictures, [LOGO]: logo }), await images(pictures)], [
      pages,
      0,
    ]);
  },
});

/** Checks a PDF for screen readers: title, language, headings, table heads, figure descriptions. */
async function checkStructure(bytes: Uint8Array, language: "en" | "ko"): Promise<void> {
  const info = await runOnPdf("pdfinfo", [""], bytes);
  assert.match(info, /Tagged: +yes/);
  assert.ok(info.includes(textIn(reportText.title, language)));
  assert.ok(new TextDecoder("latin1").decode(bytes).includes(`/Lang (${language})`));
  const tree = (await runOnPdf("pdfinfo", ["-struct", ""], bytes)).split("\n").map((line) =>
    line.trim()
  );
  const count = (role: RegExp) => tree.filter((line) => role.test(line)).length;
  assert.ok(count(/^H1/) === 1 && count(/^H2/) > 10 && count(/^Table/) > 5 && count(/^TH/) > 40);
  assert.equal(count(/^Sect$/), Number(/Pages: +(\d+)/.exec(info)![1]));
  const figures = new TextDecoder("latin1").decode(bytes).split("/S /Figure").slice(1);
  assert.ok(figures.length > 10 && figures.length === count(/^Figure/));
  for (const figure of figures) {
    assert.match(figure.slice(0, figure.indexOf("endobj")), /\/Alt \([^)]/);
  }
  if (hasQpdf) await runOnPdf("qpdf", ["--check", ""], bytes);
}

/** Text of each page without spaces; the text of a table cell is not divided. */
const wordsOfPages = async (bytes: Uint8Array) =>
  (await runOnPdf("pdftotext", ["-raw", "", "-"], bytes)).split("\f").map((text) =>
    text.replace(/\s+/g, "")
  );

Deno.test({
  ...ifPoppler,
  name:
    "renderPdf() prints every word and figure of every page as text, embeds its fonts, and has structure" +
    (hasPoppler
      ? hasQpdf ? "" : " (not checked by qpdf: it is not installed)"
      : " (skipped: no poppler)"),
  fn: async () => {
    for (const language of ["ko", "en"] as const) {
      const given = fullReport(language), sheets = reportSheetsOf(given);
      const bytes = await renderPdf(given, pictures), pages = await wordsOfPages(bytes);
      assert.equal(pages.length, sheets.length + 1, "a sheet is not one page");
      sheets.forEach((sheet, index) => {
        for (const words of textOfSheet(sheet)) {
          assert.ok(
            pages[index]!.includes(words.replace(/\s+/g, "")),
            `${language} ${sheet.title}: "${words}" is missing`,
          );
        }
      });
      for (const font of (await runOnPdf("pdffonts", [""], bytes)).trim().split("\n").slice(2)) {
        assert.match(font, / yes yes yes /, "a font is not embedded as a subset with its letters");
      }
      await checkStructure(bytes, language);
    }
  },
});

// covers: D2-9.5
Deno.test({
  ...ifPoppler,
  name: "renderPdf() has one page of A4 for each sheet with the longest texts" +
    (hasPoppler ? "" : " (no pdfinfo here)"),
  fn: async () => {
    const { analysis } = reportInput(), name = "Wolfeschlegelsteinhausenbergerdorff Hubert"; // 42 letters
    const everything = (grade: string): Partial<ReportInput> => ({
      ...LONG,
      analysis: {
        ...analysis,
        quality: { grade, warnings: Object.keys(qualityWarningText).slice(2, 9) },
        thicknessSidesMm: [2.41, 2.38],
      },
    });
    // notices about readers' corrections are printed on every page
    const corrections = (["t1", "t2"] as const).map((series) => ({
      series,
      at: "2026-01-02T03:00:00Z",
      by: name,
      strokes: 1,
    }));
    const corrected = (report: ReportResponse): ReportResponse => ({
      ...report,
      findings: { measurements: [], images: [], corrections, corrected_visits: [] },
    });
    // the longest citation that an imported table can have
    const imported = (report: ReportResponse): ReportResponse => {
      const table = {
        title: "규준 ".repeat(20).slice(0, MAX_TITLE),
        source: "Woo W ".repeat(27).slice(0, MAX_SOURCE),
        measures: 170,
        age_from: 18,
        age_to: 100,
        by_icv: true,
      };
      const accepted_at = "2026-01-06T00:00:00.000Z";
      const named = { scanner: null, controls: 0, accepted_at, source: "table" as const, table };
      const name = normsName(named, report.language);
      return { ...report, reference: { ...report.reference, name } };
    };
    const cases = {
      ko: fullReport("ko", LONG),
      "imported norms ko": imported(fullReport("ko", LONG)),
      "imported norms en": imported(fullReport("en", LONG)),
      "imported norms, correction en": corrected(imported(fullReport("en", LONG, { name }))),
      "imported norms, everything en": corrected(
        imported(fullReport("en", everything("B"), { name: name.repeat(2).slice(0, 64) })),
      ),
      en: corrected(fullReport("en", LONG, { name })),
      "everything B ko": corrected(fullReport("ko", everything("B"))),
      "everything C en": fullReport("en", everything("C"), { name }),
      "child en": fullReport("en", LONG, { age: 3, name }),
      "no sex ko": fullReport("ko", everything("A"), { sex: null, name }),
    };
    for (const [label, given] of Object.entries(cases)) {
      const bytes = await renderPdf(given, pictures), info = await runOnPdf("pdfinfo", [""], bytes);
      const cited = given.reference.name.replace(/\s+/g, "");
      for (const words of (await wordsOfPages(bytes)).slice(0, -1)) {
        assert.ok(words.includes(cited), `${label}: a page without the name of its norms`);
      }
      assert.match(info, new RegExp(`Pages:\\s+${reportSheetsOf(given).length}\\n`), label);
      assert.match(info, /Page size:\s+595\.\d+ x 841\.\d+ pts \(A4\)/, label);
    }
  },
});
