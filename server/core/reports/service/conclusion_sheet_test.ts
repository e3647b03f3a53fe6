// covers: S-130
import assert from "node:assert/strict";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, type Sheet, SHEET_HEIGHT } from "@/report/sheets/sheet.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { isWithinLimits, MAX_REPORT_TEXT, storedText } from "@/model/schema/report/report_text.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import type { Language } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { signedLabelText } from "@/model/text/report/report_text.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { fullReport } from "@/server/core/reports/service/report_fixture.ts";

const AT = "2026-01-07T08:09:10.000Z";
const signedReport = (
  text: string,
  change: Partial<ReportResponse["signed_text"]> & { pages?: number[]; language?: Language } = {},
): ReportResponse => {
  const { pages, language = "en", ...rest } = change, report = fullReport(language);
  return {
    ...report,
    page_list: pages ?? report.page_list,
    signed_text: { text, language, author: "Dr Kim", signed_at: AT, is_outdated: false, ...rest },
  };
};
const blocksOf = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) =>
    block.kind === "split" ? [...blocksOf(block.left), ...blocksOf(block.right)] : [block]
  );
/** The signed text of all sheets, put together again. */
const writtenOn = (sheets: readonly Sheet[]): string =>
  sheets.flatMap(({ blocks }) => blocksOf(blocks))
    .flatMap((block) => block.kind === "text" && block.isWritten ? [block.text] : []).join("\n");
const wordsOf = (sheets: readonly Sheet[]): string =>
  JSON.stringify(sheets.map(({ blocks }) => blocks));

Deno.test("a signed text takes the place of the suggestion and of the opinion, with author and time", () => {
  for (const pages of [undefined, [1], []]) {
    const report = signedReport("Left hippocampus small.", pages && { pages });
    const chosen = { ...report, opinion: { opinion_id: 11, message: "An opinion of the address" } };
    const sheets = reportSheetsOf(chosen), words = wordsOf(sheets);
    assert.equal(writtenOn(sheets), "Left hippocampus small.");
    assert.ok(words.includes("Signed by Dr Kim, 2026-01-07 08:09 UTC"), words.slice(0, 500));
    assert.ok(!words.includes(conclusionText.automatic.en));
    assert.ok(!words.includes("An opinion of the address"));
  }
  const unsigned = wordsOf(reportSheetsOf(fullReport("en")));
  assert.ok(unsigned.includes(conclusionText.automatic.en));
  const anonymous = wordsOf(reportSheetsOf(signedReport("Text", { author: "" })));
  assert.ok(anonymous.includes("Signed, 2026-01-07") && !anonymous.includes("Signed by"));
});

Deno.test("a text from before a change is marked as such, and the suggestion is beside it", () => {
  for (const language of ["en", "ko"] as const) {
    for (const pages of [[1], []]) {
      const report = signedReport("Text", { is_outdated: true, language, pages });
      const sheets = reportSheetsOf(report), words = wordsOf(sheets);
      const mark = signedLabelText.outdated[language].split("{")[0]!;
      assert.ok(words.includes(mark) && words.includes(conclusionText.automatic[language]));
      assert.equal(writtenOn(sheets), "Text");
    }
  }
});

Deno.test("a text of any length within the limits is printed whole, and no sheet with it is too full", () => {
  const random = new Random(20260107), letters = ["a", "W", " ", "\n", "해", "마", ".", "-", "1"];
  const pick = () => letters[Math.floor(random.uniform() * letters.length)]!;
  const texts = [
    "가".repeat(MAX_REPORT_TEXT),
    "W".repeat(MAX_REPORT_TEXT),
    Array.from({ length: 40 }, (_, n) => `${n + 1}. 좌측 해마 부피가 작습니다.`).join("\n"),
  ];
  for (let n = 0; n < 200; n++) {
    const length = Math.floor(random.uniform() ** 2 * MAX_REPORT_TEXT);
    texts.push(storedText(Array.from({ length }, pick).join("")));
  }
  let apart = 0;
  for (const [n, text] of texts.filter((text) => text !== "" && isWithinLimits(text)).entries()) {
    const pages = [undefined, [1], [1, 2], []][n % 4];
    const report = signedReport(text, { ...(pages && { pages }), is_outdated: n % 3 === 0 });
    const sheets = reportSheetsOf(report);
    assert.equal(writtenOn(sheets), text);
    const own = sheets.filter(({ title }) => title === signedLabelText.conclusion.en);
    if (own.length > 0) apart++;
    for (const { title, blocks } of sheets) {
      if (!title.startsWith("Cover") && !own.some((sheet) => sheet.title === title)) continue;
      assert.ok(
        heightOf(blocks) <= SHEET_HEIGHT,
        `${title}: ${heightOf(blocks)} of ${SHEET_HEIGHT}`,
      );
    }
    if (own.length > 0) assert.ok(wordsOf(sheets).includes(signedLabelText.apart.en));
  }
  assert.ok(apart > 3, `${apart} texts had sheets of their own`);
});
