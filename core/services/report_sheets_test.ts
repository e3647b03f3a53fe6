import assert from "node:assert/strict";
import { byPriority } from "@/model/brain_parts.ts";
import { PARTS } from "@/model/regions.ts";
import { bandLevel, fixed, printPercentile } from "@/model/report_print.ts";
import { MAIN_PAGE, type PageCode, PRINTED_PAGES, REPORT_PAGES } from "@/model/report_pages.ts";
import { reportSheetsOf } from "@/model/report_sheets.ts";
import type { Sheet } from "@/model/report_sheet.ts";
import { reportResponse } from "@/model/schema/report.ts";
import { partName } from "@/model/text/regions.ts";
import { fullReport, wordsOfSheet } from "@/core/services/report_fixture.ts";

type Input = NonNullable<Parameters<typeof fullReport>[1]>;
const sheetsOf = (code: PageCode, change: Input = {}, patient = {}): Sheet[] => {
  const report = reportResponse.parse(fullReport("en", { pages: [code], ...change }, patient));
  return reportSheetsOf(report).filter(({ title }) => title !== "Main Page");
};
/** Cells of all tables of some sheets by the name of the row. */
const cellsOf = (sheets: readonly Sheet[]) =>
  new Map(
    sheets.flatMap(({ blocks }) => blocks).flatMap((block) => block.kind === "table" ? block.rows : [])
      .map(({ cells }) => [cells[0]!.text!, cells.slice(1)] as const),
  );
const textsOf = (sheets: readonly Sheet[], name: string) => {
  const cells = cellsOf(sheets).get(name);
  assert.ok(cells, `no row ${name}`);
  return cells.map((cell) => cell.svg === undefined ? cell.text ?? "" : "svg");
};

Deno.test("reportSheetsOf() binds the chosen pages in their order, with the Main Page, and numbers them", () => {
  const sheets = reportSheetsOf(fullReport("en"));
  const names = REPORT_PAGES.filter(({ code }) => code !== 8 && PRINTED_PAGES.includes(code))
    .map(({ code, name }) => [code, name] as const);
  const order = [...names, [MAIN_PAGE, "Main Page"] as const].toSorted((a, b) => a[0] - b[0]);
  assert.deepEqual([...new Set(sheets.map(({ title }) => title))], order.map(([, name]) => name));
  sheets.forEach((sheet, i) => {
    assert.equal(sheet.footer.page, `Page ${i + 1}/${sheets.length}`);
    assert.ok(sheet.demo !== null && sheet.watermark !== null && sheet.footer.norms.includes("NOMIS"));
  });
});

Deno.test("Volume by Brain Regions has every cell of the model to the digit shown", () => {
  const report = fullReport("en", { pages: [512] }), sheets = sheetsOf(512);
  let rows = 0;
  for (const region of report.regions) {
    const { volume_left: left, volume_right: right, volume_total: total, np_icv_total: np } = region;
    const thick = report.thickness!.find(({ brain_regions }) => brain_regions === region.brain_regions);
    const asymmetry = left === null || right === null ? null : 200 * (left - right) / (left + right);
    const isFluid = region.part_index[0]! >= 15 && region.part_index[0]! <= 28 &&
      ![19, 20, 21, 22, 23, 24].includes(region.part_index[0]!);
    const band = np === null ? null : bandLevel(np, [5, 25], isFluid);
    assert.deepEqual(textsOf(sheets, partName(region.brain_regions, "en")), [
      fixed(left),
      fixed(right),
      fixed(total),
      (100 * total / 1409).toFixed(2),
      asymmetry === null
        ? "–"
        : `${Math.abs(asymmetry) < 0.05 ? "" : asymmetry < 0 ? "−" : "+"}${Math.abs(asymmetry).toFixed(1)}`,
      ...(thick ? [`${thick.thick_left.toFixed(2)} / ${thick.thick_right.toFixed(2)}`] : []),
      printPercentile(np),
      np === null ? "" : "svg",
      band === null ? "" : (isFluid ? ["○", "△", "▲"] : ["○", "▽", "▼"])[band]!,
    ], region.brain_regions);
    rows++;
  }
  assert.equal(rows, PARTS.length);
});

Deno.test("Volume by Brain Regions follows the user's order and gives a child dashes and the reason", () => {
  const report = fullReport("en", { pages: [512] });
  const isFirst = (name: string) => ["Thalamus", "Entorhinal"].includes(name);
  const regions = byPriority(report.regions, ({ brain_regions }) => isFirst(brain_regions));
  const firstTwo = reportSheetsOf({ ...report, regions }).slice(1).map((sheet) =>
    [...cellsOf([sheet]).keys()].slice(0, 2)
  );
  assert.deepEqual(firstTwo, [["Deep grey matter", "Thalamus"], ["Temporal lobe", "Entorhinal"]]);
  for (const patient of [{ age: 3 }, { age: null }, { sex: null }]) {
    const young = sheetsOf(512, {}, patient);
    assert.deepEqual(textsOf(young, "Hippocampus").slice(-3), ["–", "", ""]);
    assert.ok(
      young.every((sheet) => wordsOfSheet(sheet).some((text) => /percentiles are not given/.test(text))),
    );
  }
});
