/// <reference path="../pdfmake.d.ts" />
// pdfmake breaks Korean lines between any two syllables, as Unicode allows.
// The page keeps words whole (`word-break: keep-all` in report.css), and so does the PDF.
// A word longer than its line is still broken.
import breakerModule from "pdfmake/js/TextBreaker.js";
import type { Piece } from "pdfmake/js/TextBreaker.js";

const HANGUL = /\p{Script=Hangul}/u;

/**
 * Whether two adjacent pieces of a line belong to one Korean word, without a space between them.
 */
const isOneWord = (before: string, after: string): boolean =>
  /[^\s,·/–—-]$/u.test(before) && (HANGUL.test(before.at(-1)!) || HANGUL.test(after[0] ?? ""));

/** Whether two pieces have equal style properties, apart from their text and line-end flags. */
function isOneStyle(a: Piece, b: Piece): boolean {
  const styleOf = (
    { text: _, lineEnd: __, noNewLine: ___, ...style }: Piece,
  ): Record<string, unknown> => style;
  const styleA = styleOf(a), other = styleOf(b), keys = Object.keys(styleA);
  return keys.length === Object.keys(other).length &&
    keys.every((key) => styleA[key] === other[key]);
}

/** Merges the pieces of Korean words, so that lines break only between the merged pieces. */
export function wholeWords(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && !last.lineEnd && isOneWord(last.text, piece.text) && isOneStyle(last, piece)) {
      joined[joined.length - 1] = { ...piece, text: last.text + piece.text };
    } else joined.push(piece);
  }
  return joined;
}

const { prototype } = breakerModule.default;
const { getBreaks } = prototype;
prototype.getBreaks = function (texts, styles) {
  return wholeWords(getBreaks.call(this, texts, styles));
};
