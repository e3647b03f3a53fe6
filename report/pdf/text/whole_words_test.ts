import assert from "node:assert/strict";
import breakerModule from "pdfmake/js/TextBreaker.js";
import { wholeWords } from "@/report/pdf/text/whole_words.ts";

Deno.test("lines of a PDF break between Korean words, not in them", () => {
  const piecesOf = (...texts: { text: string; bold?: boolean }[]) =>
    new breakerModule.default().getBreaks(texts, null).map(({ text }) => text);
  assert.deepEqual(
    piecesOf({ text: "오차(1 %, 뇌실 3 %)를 넘을 때만 FLAIR에서 제시합니다." }),
    ["오차(1 ", "%, ", "뇌실 ", "3 ", "%)를 ", "넘을 ", "때만 ", "FLAIR에서 ", "제시합니다."],
  );
  // what is not Korean breaks as before, and so does what a line ends
  assert.deepEqual(piecesOf({ text: "of the well-known\nnorms" }), [
    "of ",
    "the ",
    "well-",
    "known",
    "norms",
  ]);
  assert.deepEqual(piecesOf({ text: "좌우/\n두께" }), ["좌우/", "두께"]);
  // words of two styles stay two
  assert.deepEqual(piecesOf({ text: "두" }, { text: "께", bold: true }), ["두", "께"]);
  assert.deepEqual(wholeWords([]), []);
});
