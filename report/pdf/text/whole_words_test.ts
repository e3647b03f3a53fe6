/// <reference path="../pdfmake.d.ts" />
import assert from "node:assert/strict";
import pdfmake from "pdfmake";
import "@/report/pdf/pdf.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { FONT } from "@/report/pdf/text/pdf_fonts.ts";
import { printable } from "@/report/pdf/text/printable.ts";
import { wholeWords, WORD_JOINER } from "@/report/pdf/text/whole_words.ts";

Deno.test("wholeWords() joins the syllables of Korean words, and nothing else", () => {
  const joined = (text: string) => wholeWords(text).replaceAll(WORD_JOINER, "^");
  assert.equal(joined("뇌실 3 %)를"), "뇌^실 3 %)^를");
  assert.equal(joined("FLAIR에서 좌우/두께"), "FLAIR^에^서 좌^우^/두^께");
  assert.equal(joined("of the well-known\nnorms, 3 × 4"), "of the well-known\nnorms, 3 × 4");
  assert.equal(joined("말\n글"), "말\n글");
  assert.equal(joined(""), "");
});

/** Lines of a text that was set in a column, read back from the PDF. */
async function linesOf(text: unknown, width: number): Promise<string[]> {
  const bytes = await pdfmake.createPdf({
    defaultStyle: { font: FONT, fontSize: 10 },
    content: printable([{ columns: [{ width, text }, { width: "*", text: "" }] }]),
  }).getBuffer();
  const read = await runOnPdf("pdftotext", ["-layout", "", "-"], new Uint8Array(bytes));
  return read.split(/[\n\f]/).map((line) => line.trim()).filter((line) => line !== "");
}

Deno.test({
  name: "lines of a PDF break between Korean words, not in them, and words are found in its text" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  ignore: !hasPoppler,
  fn: async () => {
    const words = "오차는 뇌실에서만 회백질보다 커질수록 FLAIR에서 제시합니다".split(" ");
    for (let width = 70; width <= 130; width += 10) {
      const lines = await linesOf(words.join(" "), width);
      assert.ok(lines.length > 1, `${width} pt`);
      assert.deepEqual(lines.join(" ").split(/ +/), words, `${width} pt`);
    }
    // a word longer than its line is broken, and stays within its column
    const long = "가나다라마바사아자차카타파하".repeat(2), broken = await linesOf(long, 70);
    assert.ok(broken.length > 2 && broken.every((line) => line.length <= 8), broken.join("|"));
    assert.equal(broken.join(""), long);
    // a word of two styles is not broken between them where Unicode allows no break
    assert.deepEqual(await linesOf([{ text: "Mül", bold: true }, { text: "ler" }], 36), ["Müller"]);
  },
});
