// covers: D2-5.5
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { PageCode } from "@/model/report/pages.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { ReportSideMenu } from "@/report/html/ReportSideMenu.tsx";
import { ReportSheet } from "@/report/html/ReportSheet.tsx";
import { buildReport } from "@/server/core/reports/service/report_model.ts";
import {
  fullReport,
  reportInput,
  textOfSheet,
} from "@/server/core/reports/service/report_fixture.ts";

/** Text of a page without markup and spaces, for comparison with expected texts. */
const wordsOf = (html: string) =>
  html.replace(/<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"')
    .replace(/&#x27;/g, "'").replace(/&amp;/g, "&").replace(/\s+/g, "");

Deno.test("ReportSheet shows every word and figure of every page", () => {
  for (const language of ["en", "ko"] as const) {
    for (const sheet of reportSheetsOf(fullReport(language))) {
      const html = renderToStaticMarkup(<ReportSheet sheet={sheet} />), words = wordsOf(html);
      for (const text of textOfSheet(sheet)) {
        assert.ok(
          words.includes(text.replace(/\s+/g, "")),
          `${language} ${sheet.title}: "${text}" is missing`,
        );
      }
    }
  }
});

Deno.test("ReportSheet names every table of a page to those who hear it, each by another name, in both languages", () => {
  const captions = (["en", "ko"] as const).map((language) =>
    reportSheetsOf(fullReport(language)).flatMap((sheet) => {
      const html = renderToStaticMarkup(<ReportSheet sheet={sheet} />);
      const names = html.split("<table").slice(1).map((table) =>
        /^[^>]*><caption class="visually-hidden">([^<]+)<\/caption>/.exec(table)?.[1]
      );
      assert.ok(
        names.every((name) => name),
        `${language} ${sheet.title}: ${JSON.stringify(names)}`,
      );
      assert.equal(new Set(names).size, names.length, `${language} ${sheet.title}: ${names}`);
      return names;
    })
  );
  assert.ok(captions[0]!.length > 8);
  assert.equal(captions[0]!.length, captions[1]!.length);
  for (const [i, name] of captions[1]!.entries()) {
    assert.match(name!, /[가-힣]/);
    assert.notEqual(name, captions[0]![i]);
  }
});

Deno.test("ReportSheet draws the marks of the lesions as marks: rails are ten times as long", () => {
  const found = { periMm3: 6000, deepMm3: 2000 },
    centreRasMm: [number, number, number] = [-30, 10, 24];
  const sheets = reportSheetsOf(fullReport("en", {
    lesions: {
      ...found,
      whiteMatterMm3: 400_000,
      lesionCount: 1,
      lesions: [{ ...found, centreRasMm }],
      isLowConfidence: false,
      tissue: "t1",
    },
  }));
  const htmlOf = (wanted: string) =>
    renderToStaticMarkup(<ReportSheet sheet={sheets.find(({ title }) => title === wanted)!} />);
  assert.ok(
    htmlOf("WMH").includes('class="report-mark"') && !htmlOf("WMH").includes("report-rail"),
  );
  assert.ok(htmlOf("Main Page").includes('class="report-rail"'));
});

Deno.test("ReportSheet has no inline style or script and escapes the patient's name", () => {
  const report = buildReport(reportInput({}, { name: "<img src=x onerror=alert(1)>" }));
  const html = reportSheetsOf({ ...fullReport("en"), patient: report.patient }).map((sheet) =>
    renderToStaticMarkup(<ReportSheet sheet={sheet} />)
  ).join("");
  assert.ok(!/ style=|<style|<script|<img src=x/.test(html));
});

// covers: D2-2.19
Deno.test("ReportSideMenu checks the chosen pages and closes those that the study cannot have", () => {
  const nothing = () => {};
  const markOf = (pages: PageCode[], lesions: null | undefined, name: string) => {
    const report = fullReport("en", { pages, ...(lesions === null ? { lesions } : {}) });
    const html = renderToStaticMarkup(
      <ReportSideMenu
        report={report}
        pages={report.page_list}
        language="en"
        onPages={nothing}
        onRefused={nothing}
        onMta={nothing}
        opinion="wmh"
        onOpinion={nothing}
      />,
    );
    const label = html.split("<label").find((part) => part.includes(`<span>${name}<`))!;
    return { isChecked: /checked=""/.test(label), isClosed: /disabled=""/.test(label), html };
  };
  const { isChecked, isClosed } = markOf([512], undefined, pageTitle[512].en);
  assert.deepEqual([isChecked, isClosed], [true, false]);
  assert.deepEqual([
    markOf([512], undefined, "Main Page").isChecked,
    markOf([512], undefined, "Main Page").isClosed,
  ], [
    true,
    true,
  ]);
  assert.ok(markOf([512], null, "WMH").isClosed && !markOf([512], undefined, "WMH").isClosed);
  assert.ok(markOf([16], undefined, "ICV").html.includes("MTA grade"));
  assert.ok(!markOf([8], undefined, "ICV").html.includes("MTA grade"));
  assert.ok(markOf([8], undefined, "ICV").html.includes('<option value="wmh" selected="">'));
});
