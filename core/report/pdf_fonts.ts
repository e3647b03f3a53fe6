/// <reference path="./pdfmake.d.ts" />
// Shaping words takes a third of a report's time, and most words are on every report: what one document has shaped, the
// next one with the same font finds.
import documentModule from "pdfmake/js/PDFDocument.js";
import type { ShapedWords } from "pdfmake/js/PDFDocument.js";

/** Names and figures are new on each report: a cache of them all would grow for ever. */
const MOST_WORDS = 20_000;

const shaped = new Map<string, ShapedWords>();

const { prototype } = documentModule.default;
const { provideFont } = prototype;
prototype.provideFont = function (family, bold, italics) {
  const font = provideFont.call(this, family, bold, italics);
  const key = String(this.getFontFile(family, bold, italics)), known = shaped.get(key);
  // asked for each word: the size is looked at once a document
  if (font.layoutCache && font.layoutCache !== known) {
    if (known && Object.keys(known).length <= MOST_WORDS) font.layoutCache = known;
    else shaped.set(key, font.layoutCache);
  }
  return font;
};
