/// <reference path="./pdfmake.d.ts" />
// Reading a font and shaping words take half of a report's time, and are the same for every report: one document's font
// and words serve the next. Each document has a subset of its own.
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import pdfmake from "pdfmake";
import documentModule from "pdfmake/js/PDFDocument.js";
import type { EmbeddedFont, ShapedWords } from "pdfmake/js/PDFDocument.js";

/** Family of every text; faces: regular and bold. */
export const FONT = "Noto Sans KR";

/** Unpacks a face to where pdfmake looks for it first. */
function addFace(name: string): string {
  pdfmake.virtualfs.writeFileSync(
    name,
    brotliDecompressSync(readFileSync(new URL(`./fonts/${name}.br`, import.meta.url))),
  );
  return name;
}

const normal = addFace("NotoSansKR-Regular.ttf"), bold = addFace("NotoSansKR-Bold.ttf");
pdfmake.setFonts({ [FONT]: { normal, bold, italics: normal, bolditalics: bold } });
pdfmake.setLocalAccessPolicy(() => false);

/** Names and figures are new on each report: a cache of them all would grow for ever. */
const MAX_WORDS = 6000;

interface ReadFont {
  /** makes the font of a document from what has been read of the file */
  EmbeddedFont: EmbeddedFont["constructor"];
  file: EmbeddedFont["font"];
  shaped: ShapedWords;
}

const fonts = new Map<string, ReadFont>();

const { prototype } = documentModule.default;
const { provideFont } = prototype;
prototype.provideFont = function (family, bold, italics) {
  const path = String(this.getFontFile(family, bold, italics)), known = fonts.get(path);
  // one object for each file, however many styles name it
  const own = this._fontFamilies[path];
  if (own) return own;
  if (!known) {
    const font = provideFont.call(this, family, bold, italics);
    this._fontFamilies[path] = font;
    fonts.set(path, { EmbeddedFont: font.constructor, file: font.font, shaped: font.layoutCache ?? {} });
    return font;
  }
  if (Object.keys(known.shaped).length > MAX_WORDS) known.shaped = Object.create(null);
  const font = new known.EmbeddedFont(this, known.file, `F${++this._fontCount}`);
  font.layoutCache = known.shaped;
  return this._fontFamilies[path] = font;
};
