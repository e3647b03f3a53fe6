// If a percentile is missing on page one or in a table, its sheet states the reason.
// covers: S-130
import assert from "node:assert/strict";
import { methodOf } from "@/model/norms/percentile_rank.ts";
import { PARTS } from "@/model/regions/regions.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { mtaPageText } from "@/model/text/report/pages/mta.ts";
import { reportText } from "@/model/text/report/report.ts";
import { rankBandText, rankText } from "@/model/text/ranks.ts";
import { REGIONS_PAGE } from "@/model/report/pages.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { Block } from "@/report/sheets/sheet.ts";
import { reportInput } from "@/server/core/reports/service/report_fixture.ts";
import { buildReport } from "@/server/core/reports/service/report_model.ts";
import { generatedInput } from "@/tests/page_one/generated_studies.ts";
import { blocksOf } from "@/tests/page_one/printed_rows.ts";

const COUNT = 25;
const HIPPOCAMPI = PARTS.find(({ part }) => part === "Hippocampus")!.labels;

/** Matches an interval without a percentile: "not determined", "4–29", "<1 to 12". */
const ALONE = /^(not determined|산출 불가|\d+[–~]\d+|[<>]?\d+(\u00a0to\u00a0|~)[<>]?\d+)$/;
const IN_BRACKETS =
  /\u00a0m[Lm], (not determined|산출 불가|[<>]?\d+(–|~|\u00a0to\u00a0)[<>]?\d+)[;)]/;

/** Whether a block has a value without a percentile, and none of the reasons. */
const isUnexplained = (block: Block, reasons: readonly string[]): boolean =>
  block.kind === "table"
    ? block.rows.some(({ cells }) =>
      !cells.some(({ text = "" }) => reasons.includes(text)) &&
      cells.some(({ text = "", under = "" }) => ALONE.test(text) || ALONE.test(under))
    )
    : block.kind === "text" && IN_BRACKETS.test(block.text);

Deno.test(`of ${COUNT} generated studies, a sheet with an interval alone has its reason once`, () => {
  let explained = 0;
  for (let seed = 1; seed <= COUNT; seed++) {
    const made = generatedInput(seed);
    if (!("t1" in made)) continue;
    for (const language of LANGUAGES) {
      const reasons = [rankBandText.noBand, rankBandText.uncertainBorders].map((text) =>
        textIn(text, language)
      );
      for (const pages of [[1, 2, 8], [2], [1], []] as const) {
        const report = buildReport({ ...made.t1, language, pages: [...pages] });
        for (const { title, blocks, pages: codes } of reportSheetsOf(report)) {
          if (codes.includes(REGIONS_PAGE)) continue;
          const all = blocksOf(blocks);
          const notes = all.filter((block) =>
            block.kind === "small" && block.text === textIn(rankText.withheld, language)
          ).length;
          const isNeeded = all.some((block) =>
            isUnexplained(block, reasons)
          );
          assert.equal(notes, Number(isNeeded), `seed ${seed}, ${pages}: ${title}`);
          explained += notes;
        }
      }
    }
  }
  assert.ok(explained > 0);
});

Deno.test("a structure with uncertain borders says so in its row, not that its error is large", () => {
  for (const language of LANGUAGES) {
    const method = { ...methodOf(null), doubtedLabels: new Set(HIPPOCAMPI) };
    const report = buildReport(reportInput({ language, method, pages: [1] }));
    const cells = reportSheetsOf(report).flatMap(({ blocks }) => blocksOf(blocks)).flatMap((
      block,
    ) => block.kind === "table" ? block.rows : []).map(({ cells }) =>
      cells.map(({ text = "" }) => text)
    );
    const row = cells.find((row) => row.includes(textIn(rankText.notDetermined, language)))!;
    assert.equal(row.at(-1), textIn(rankBandText.uncertainBorders, language));
  }
});

Deno.test("a structure with uncertain borders has no norm curve, on which its percentile could be read", () => {
  const [left] = HIPPOCAMPI;
  const drawnOf = (labels: readonly number[]) => {
    const method = { ...methodOf(null), doubtedLabels: new Set(labels) };
    const report = buildReport(reportInput({ method, pages: [1, 16] }));
    return reportSheetsOf(report).flatMap(({ blocks }) => blocksOf(blocks)).flatMap((block) =>
      block.kind === "drawings" ? block.drawings.map(({ alt }) => alt.split(":")[0]!) : []
    );
  };
  const names = [
    mtaPageText.mtaRightCurve,
    mtaPageText.mtaLeftCurve,
    reportText.hippocampusChart,
  ].map(({ en }) => en);
  const drawn = (labels: readonly number[]) => names.map((name) => drawnOf(labels).includes(name));
  assert.deepEqual(drawn([]), [true, true, true]);
  assert.deepEqual(drawn([left!]), [true, false, false]);
  assert.deepEqual(drawn(HIPPOCAMPI), [false, false, false]);
});
