/// <reference path="../pdfmake.d.ts" />
// pdfmake draws a text in one font and from left to right, but names can be in any script.
// This module finds a font family with a glyph for each character of a text.
// Pieces of a line are put in the order of the Unicode Bidirectional Algorithm (UAX #9).
// Within a piece, fontkit joins Arabic letters and reverses right-to-left words.
import { normalForm } from "@/model/normal_form.ts";
import bidiFactory from "bidi-js";
import type { Line } from "pdfmake/js/Renderer.js";
import { FONT, type FontFamily, lettersOf, SCRIPTS } from "@/report/pdf/text/pdf_fonts.ts";

// bidi-js declares an ES module, but its export is the function itself, not a default export
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Font family for each script that the default font (Noto Sans KR) lacks. */
const SCRIPT_FAMILIES = SCRIPTS.map((script): [pattern: RegExp, family: FontFamily] => [
  new RegExp(`\\p{Script_Extensions=${script}}`, "u"),
  `Noto Sans ${script}`,
]);
const OTHER_FAMILIES: readonly FontFamily[] = [FONT, "Noto Sans", "Noto Sans JP", "Noto Sans SC"];
const WORD = /[\p{L}\p{M}\u200c\u200d]+/gu, IN_WORD = /[\p{L}\p{M}]/u;
const RIGHT_TO_LEFT = /[\p{Script_Extensions=Arabic}\p{Script_Extensions=Hebrew}]/u;
/** Matches direction marks, joiners and variation selectors, which are not drawn. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** A part of a text in a single font. */
export interface FontRun {
  text: string;
  family: FontFamily;
}

function hasAll(family: FontFamily, text: string): boolean {
  const letters = lettersOf(family);
  for (const letter of text) if (!letters.has(letter.codePointAt(0)!)) return false;
  return true;
}

/**
 * First font family that has glyphs for all characters of a text.
 * The larger font files come later in the list, and are loaded only if earlier ones lack a glyph.
 */
function familyOf(text: string): FontFamily | undefined {
  const script = SCRIPT_FAMILIES.find(([pattern]) => pattern.test(text))?.[1];
  const families: readonly FontFamily[] = script ? [script, ...OTHER_FAMILIES] : OTHER_FAMILIES;
  return families.find((family) => hasAll(family, text));
}

/**
 * Composes a letter with combining marks. A single character is not normalised:
 * normalising would change U+FA19 of a Japanese name into another character.
 */
const composed = (cluster: string): string =>
  [...cluster].length > 1 ? normalForm(cluster, "NFC") : cluster;

/**
 * A character with its combining marks, in a form for which some font has a glyph.
 * Without such a font, its code points in brackets.
 */
function runOfCluster(cluster: string): FontRun {
  const visible = [...cluster].filter((letter) => !INVISIBLE.test(letter)).join("");
  for (const text of [composed(cluster), cluster, visible]) {
    const family = familyOf(text);
    if (family) return { text, family };
  }
  const codes = [...visible].map((letter) =>
    `[U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`
  );
  return { text: codes.join(""), family: FONT };
}

/**
 * Splits a text into runs of one font that has a glyph for each character.
 * The characters of a word share a font if one font has glyphs for all of them.
 */
export function fontRunsOf(text: string): FontRun[] {
  if (hasAll(FONT, text)) return [{ text, family: FONT }];
  const runs: FontRun[] = [];
  const add = (run: FontRun): void => {
    const last = runs.at(-1);
    if (last?.family === run.family) last.text += run.text;
    else if (run.text !== "") runs.push({ ...run });
  };
  let word: string[] = [];
  const addWord = (): void => {
    const letters = word.map(composed).join(""), family = familyOf(letters);
    if (family) add({ text: letters, family });
    else for (const cluster of word) add(runOfCluster(cluster));
    word = [];
  };
  for (const { segment } of graphemes.segment(text)) {
    if (IN_WORD.test(segment)) {
      word.push(segment);
      continue;
    }
    addWord();
    const last = runs.at(-1);
    // a space, digit or punctuation mark keeps the font of the character before it
    add(
      last && hasAll(last.family, segment)
        ? { text: segment, family: last.family }
        : runOfCluster(segment),
    );
  }
  addWord();
  return runs;
}

/** A part of a paragraph with its own style; pdfmake calls it an inline. */
export interface Piece extends Record<string, unknown> {
  text: string;
  /** embedding level of UAX #9: odd levels are right-to-left */
  bidiLevel?: number;
}

/**
 * Mirrors the brackets of a right-to-left piece.
 * Digits and symbols are reversed here, because fontkit reverses only letters.
 */
function turned(text: string): string {
  const mirrored = [...text].map((letter) => bidi.getMirroredCharacter(letter) ?? letter);
  return (RIGHT_TO_LEFT.test(text) ? mirrored : mirrored.reverse()).join("");
}

/**
 * Splits a piece into parts of one embedding level. Trailing spaces become separate parts:
 * spaces after a right-to-left word do not belong to the word.
 */
function levelParts(
  text: string,
  levels: Uint8Array,
  start: number,
): { text: string; level: number }[] {
  const parts: { text: string; level: number }[] = [], isSpace = (at: number) => text[at] === " ";
  for (let at = 0; at < text.length; at++) {
    const last = parts.at(-1), level = levels[start + at]!;
    if (last && last.level === level && (level % 2 === 0 || isSpace(at) === isSpace(at - 1))) {
      last.text += text[at];
    } else parts.push({ text: text[at]!, level });
  }
  return parts;
}

/** Splits the pieces of a paragraph so that each has a single direction and font. */
export function splitPieces(pieces: readonly Piece[]): Piece[] {
  const joinedText = pieces.map(({ text }) => text).join("");
  if (hasAll(FONT, joinedText.replaceAll("\n", "")) && !RIGHT_TO_LEFT.test(joinedText)) {
    return [...pieces];
  }
  const levels = RIGHT_TO_LEFT.test(joinedText)
    ? bidi.getEmbeddingLevels(joinedText, "ltr").levels
    : null;
  const families = familiesOfWords(joinedText);
  let start = 0;
  return pieces.flatMap((piece) => {
    const { text: all, ...style } = piece;
    const parts = levels ? levelParts(all, levels, start) : [{ text: all, level: 0 }];
    let at = start;
    const split = parts.flatMap(({ text, level }) => {
      const runs = runsAt(text, at, families);
      at += text.length;
      return runs.map((run): Piece => ({
        ...style,
        text: level % 2 === 1 ? turned(run.text) : run.text,
        ...(run.family === FONT ? {} : { font: run.family }),
        ...(level > 0 ? { bidiLevel: level } : {}),
      }));
    });
    start += all.length;
    return split.length === 0 ? [piece] : split;
  });
}

/**
 * Font family at each position of a text, chosen for whole words:
 * pdfmake may break Chinese and Japanese words, and both parts must have the same font.
 */
function familiesOfWords(whole: string): Map<number, FontFamily> {
  const families = new Map<number, FontFamily>();
  for (const { 0: word, index } of whole.matchAll(WORD)) {
    const family = familyOf(word);
    if (family) { for (let at = 0; at < word.length; at++) families.set(index + at, family); }
  }
  return families;
}

/** Font runs of a piece that starts at the position `start` of the whole text. */
function runsAt(text: string, start: number, families: Map<number, FontFamily>): FontRun[] {
  const family = families.get(start);
  if (family && hasAll(family, text)) return [{ text, family }];
  return fontRunsOf(text);
}

/** Reorders the pieces of a line from logical to visual order (UAX #9, rule L2). */
export function orderLine(inlines: Line["inlines"]): void {
  const levels = inlines.map(({ bidiLevel }) => bidiLevel ?? 0);
  const highest = Math.max(0, ...levels);
  if (highest === 0) return;
  // UAX #9, rule L1: trailing spaces get the embedding level of the paragraph
  for (let at = inlines.length - 1; at >= 0 && inlines[at]!.text.trim() === ""; at--) {
    levels[at] = 0;
  }
  let order = inlines.map((_, index) => index);
  for (let level = highest; level > 0; level--) {
    const turnedOrder: number[] = [];
    let run: number[] = [];
    for (const index of order) {
      if (levels[index]! >= level) run.unshift(index);
      else {
        turnedOrder.push(...run, index);
        run = [];
      }
    }
    order = [...turnedOrder, ...run];
  }
  let x = inlines[0]!.x;
  for (const index of order) {
    inlines[index]!.x = x;
    x += inlines[index]!.width;
  }
}
