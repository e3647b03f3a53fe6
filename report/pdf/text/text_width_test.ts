/// <reference path="../pdfmake.d.ts" />
import assert from "node:assert/strict";
import pdfmake from "pdfmake";
import "@/report/pdf/pdf.ts";
import { linesOf } from "@/report/sheets/text_width.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { FONT } from "@/report/pdf/text/pdf_fonts.ts";
import { printable } from "@/report/pdf/text/printable.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import { catalogueTexts } from "@/tools/texts/catalogue.ts";

const SEED = 29, CASES = 400;
/** A text with words and figures in place of its variables, as it is printed. */
const filled = (text: string): string =>
  text.replace(/\{\w+\|[^|}]*\|([^}]*)\}/g, "$1").replace(/\{\w+\}/g, "12");

Deno.test({
  name: "linesOf() counts the lines of texts of both languages as the PDF breaks them" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  ignore: !hasPoppler,
  fn: async () => {
    const texts = (await catalogueTexts()).flatMap(({ text }) => [filled(text.en), filled(text.ko)])
      .filter((text) => text.length > 3 && text.length < 400 && !text.includes("\n"));
    const below = randomOf(SEED);
    const cases = Array.from({ length: CASES }, () => ({
      text: texts[below(texts.length)]!,
      fontSize: 6 + below(7) / 2,
      width: 45 + below(300),
      bold: below(3) === 0,
    }));
    const bytes = await pdfmake.createPdf({
      defaultStyle: { font: FONT },
      content: printable(cases.map(({ width, ...words }, at) => ({
        columns: [{ width, ...words }, { width: "*", text: "" }],
        ...(at === 0 ? {} : { pageBreak: "before" }),
      }))),
    }).getBuffer();
    const pages = (await runOnPdf("pdftotext", ["-layout", "", "-"], new Uint8Array(bytes)))
      .split("\f");
    const fewer: string[] = [];
    let more = 0;
    for (const [at, { text, fontSize, width, bold }] of cases.entries()) {
      const real = pages[at]!.split("\n").filter((line) => line.trim() !== "").length;
      const counted = linesOf(text, fontSize, width, bold);
      if (counted < real) fewer.push(`${counted} < ${real}: ${width} pt, ${fontSize}: ${text}`);
      if (counted > real) more++;
    }
    assert.deepEqual(fewer, []);
    assert.ok(more <= CASES / 50, `${more} of ${CASES} counted higher`);
  },
});
