// Page one of each reference report, compared with its tables and with its Korean version.
// covers: S-130
import assert from "node:assert/strict";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { GOLDEN_CASES } from "@/tests/golden/report_cases.ts";
import { contradictionsOf } from "@/tests/page_one/contradictions.ts";
import { claimsOf, suggestionOn } from "@/tests/page_one/printed_claims.ts";
import { printedRows } from "@/tests/page_one/printed_rows.ts";

/** Figures in a sentence, without the numbers in the Korean names of two ventricles. */
const figuresIn = (sentence: string) =>
  sentence.replaceAll(/제[34]뇌실/g, "").match(/\d+(\.\d+)?/g)?.sort().join();

/** Sides named in a sentence, in order. */
const sidesIn = (sentence: string, words: readonly [left: RegExp, right: RegExp]) =>
  words.map((word) => sentence.match(word)?.length ?? 0);
const ENGLISH = [/\bleft\b/g, /\bright\b/g] as const, KOREAN = [/좌측?/g, /우측?/g] as const;

/** Sentences of page one. */
function pageOne(report: ReportResponse): string[] {
  const sheets = reportSheetsOf(report);
  return suggestionOn(
    sheets.find((sheet) => suggestionOn(sheet, report.language).length > 0)!,
    report.language,
  );
}

Deno.test("page one of each kept report contradicts no table, and is the same in both languages", () => {
  const wrong: string[] = [],
    reports = new Map(GOLDEN_CASES.map((each) => [each.name, each.report]));
  for (const [name, en] of reports) {
    if (en.language !== "en") continue;
    const sheets = reportSheetsOf(en), about = { rows: printedRows(sheets), sheets, report: en };
    const sentences = pageOne(en);
    wrong.push(
      ...contradictionsOf(claimsOf(sentences), about).map((text) => `${name}: ${text}`),
      ...contradictionsOf(claimsOf(en.conclusion!.sentences), about).map((text) =>
        `${name}: ${text}`
      ),
    );
    if (new Set(sentences).size < sentences.length) wrong.push(`${name}: a sentence is repeated`);
    const ko = reports.get(name.replace(/en$/, "ko"))!;
    en.conclusion!.sentences.forEach((sentence, at) => {
      const other = ko.conclusion!.sentences[at] ?? "";
      const isSame = figuresIn(sentence) === figuresIn(other) &&
        `${sidesIn(sentence, ENGLISH).map(Boolean)}` === `${sidesIn(other, KOREAN).map(Boolean)}`;
      if (!isSame) wrong.push(`${name}: ${sentence} | ${other}`);
    });
    assert.equal(ko.conclusion!.sentences.length, en.conclusion!.sentences.length, name);
  }
  assert.deepEqual(wrong, []);
});
