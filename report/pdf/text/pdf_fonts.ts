/// <reference path="../pdfmake.d.ts" />
// Cache of fonts and shaped words, because preparing both takes half of a report's time.
// Fonts and words do not depend on the report; only the embedded subset of a font does.
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import pdfmake from "pdfmake";
import documentModule from "pdfmake/js/PDFDocument.js";
import type { EmbeddedFont, FontFile, ShapedWords } from "pdfmake/js/PDFDocument.js";
import { withoutJoiners } from "@/report/pdf/text/whole_words.ts";

/** Default font family; faces: regular and bold. */
export const FONT = "Noto Sans KR";

/** Scripts (names of Unicode) with a family of their own, which is named by the script. */
export const SCRIPTS = [
  "Thai",
  "Arabic",
  "Hebrew",
  "Devanagari",
  "Armenian",
  "Bengali",
  "Ethiopic",
  "Georgian",
  "Gujarati",
  "Gurmukhi",
  "Kannada",
  "Khmer",
  "Lao",
  "Malayalam",
  "Myanmar",
  "Oriya",
  "Sinhala",
  "Tamil",
  "Telugu",
] as const;
type ScriptFamily = `Noto Sans ${typeof SCRIPTS[number]}`;

export const FONT_FAMILIES = [
  FONT,
  "Noto Sans",
  "Noto Sans JP",
  "Noto Sans SC",
  ...SCRIPTS.map((script): ScriptFamily => `Noto Sans ${script}`),
] as const;
export type FontFamily = typeof FONT_FAMILIES[number];

/** Font file of a face of a family, decompressed when a text first needs it. */
const fileName = (family: FontFamily, face: "Regular" | "Bold") =>
  `${family.replaceAll(" ", "")}-${face}.ttf`;

const unpacked = new Set<string>();

/** Decompresses a font face to the path at which pdfmake first looks for a font file. */
function unpackFace(name: string): void {
  if (unpacked.has(name)) return;
  const packed = readFileSync(new URL(`../fonts/${name}.br`, import.meta.url));
  pdfmake.virtualfs.writeFileSync(name, brotliDecompressSync(packed));
  unpacked.add(name);
}

pdfmake.setFonts(Object.fromEntries(FONT_FAMILIES.map((family) => {
  const normal = fileName(family, "Regular"), bold = fileName(family, "Bold");
  return [family, { normal, bold, italics: normal, bolditalics: bold }];
})));
pdfmake.setLocalAccessPolicy(() => false);

/** Maximum number of cached words: names and numbers differ in each report. */
const MAX_WORDS = 6000;

interface ReadFont {
  /** class that creates a document's font from the parsed font file */
  EmbeddedFont: EmbeddedFont["constructor"];
  file: FontFile;
  shaped: ShapedWords;
}

const fonts = new Map<string, ReadFont>();

type PdfDocument = InstanceType<typeof documentModule.default>;
type ProvideFont = PdfDocument["provideFont"];

/**
 * Font for a document, taken from the cache if an earlier document used the same font.
 *
 * @param read  pdfmake's own `provideFont`, which reads the font file.
 */
export function cachedFont(
  document: PdfDocument,
  [family, bold, italics]: Parameters<ProvideFont>,
  read: ProvideFont,
): EmbeddedFont {
  const path = String(document.getFontFile(family, bold, italics)), readFont = fonts.get(path);
  // a document has one object per font file, even if several styles use the same file
  const embedded = document._fontFamilies[path];
  if (embedded) return embedded;
  let font: EmbeddedFont;
  if (readFont) {
    if (Object.keys(readFont.shaped).length > MAX_WORDS) readFont.shaped = Object.create(null);
    font = new readFont.EmbeddedFont(document, readFont.file, `F${++document._fontCount}`);
    font.layoutCache = readFont.shaped;
  } else {
    unpackFace(path);
    font = read.call(document, family, bold, italics);
    fonts.set(path, {
      EmbeddedFont: font.constructor,
      file: font.font,
      shaped: font.layoutCache ?? {},
    });
  }
  document._fontFamilies[path] = font;
  if (family !== FONT) {
    // line metrics of the default font, so that a name in another script does not shift the lines
    const { ascender, descender, lineGap } = document.provideFont(FONT, bold, italics);
    Object.assign(font, { ascender, descender, lineGap });
  }
  // fonts have no glyph for a word joiner; pdfmake would reserve the width of a missing character
  const { widthOfString } = font;
  font.widthOfString = (text, ...size) => widthOfString.call(font, withoutJoiners(text), ...size);
  return font;
}

/** A document that is never written: pdfmake can read font files only through a document. */
let readingDocument: PdfDocument | undefined;

/**
 * Font file of a family, loaded on first use. Tests check that its two faces have equal characters.
 */
export function fontFileOf(family: FontFamily, bold = false): FontFile {
  readingDocument ??= new documentModule.default(pdfmake.fonts, {}, {}, {}, {}, pdfmake.virtualfs);
  unpackFace(String(readingDocument.getFontFile(family, bold, false)));
  return readingDocument.provideFont(family, bold, false).font;
}

const letters = new Map<FontFamily, ReadonlySet<number>>();

/** Code points for which a font family has a glyph. */
export function lettersOf(family: FontFamily): ReadonlySet<number> {
  let set = letters.get(family);
  if (!set) letters.set(family, set = new Set(fontFileOf(family).characterSet));
  return set;
}
