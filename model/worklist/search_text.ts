// Text search that ignores characters missing from a keyboard,
// and spelling differences between scanners.
import { normalForm } from "@/model/normal_form.ts";

/** Letters without a Unicode decomposition, and the letters that users type instead. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ı: "i",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ς: "σ",
  // variant kanji of Japanese family names, which many keyboards and scanners lack
  髙: "高",
  﨑: "崎",
  𠮷: "吉",
  // typographic signs that word processors insert instead of the typed signs
  "‘": "'",
  "’": "'",
  "ʼ": "'",
  "‐": "-",
  "–": "-",
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "gu");
/** Zero-width characters, which a name copied from another program may contain. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/**
 * Combining marks of Latin, Greek and Cyrillic, and vowel signs of Arabic and Hebrew. Marks of
 * Japanese, Thai and Devanagari are excluded, because they form different letters.
 */
const MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
const SPACELESS = "\\p{Script=Hangul}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}" +
  "\\p{Script=Thai}";
/** Spaces within Korean, Chinese, Japanese and Thai names, which only some sites type. */
const SPACE_INSIDE = new RegExp(`(?<=[${SPACELESS}])[\\s\u3000]+(?=[${SPACELESS}])`, "gu");
/** Katakana with a hiragana of the same sound, and the distance of their code points. */
const KATAKANA = /[\u30a1-\u30f6]/g, KANA_DISTANCE = 0x60;
/** Letters that passports and scanners without umlauts write as two (ICAO 9303, part 3). */
const WRITTEN_AS_TWO: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ø: "oe",
  å: "aa",
};
const UMLAUTS = /[äöüøå]/g, TWO_LETTERS = /(?:ae|oe|ue|aa)/g;
const BEYOND_ASCII = /[^\p{ASCII}]/u;

/** Removes case, width and marks, and replaces letters that are hard to type. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  if (!BEYOND_ASCII.test(lower)) return lower;
  const bare = normalForm(lower, "NFKD").replace(MARKS, "").replace(INVISIBLE, "");
  return normalForm(bare.replace(SPECIAL, (letter) => LETTERS[letter]!), "NFC");
}

/**
 * {@link foldText} without signs and kinds of letters that only some type: apostrophes, and
 * katakana instead of hiragana. Not for comparing people: different names may become equal.
 */
function looselyFolded(text: string): string {
  const folded = foldText(text).replaceAll("'", "");
  return BEYOND_ASCII.test(folded)
    ? folded.replace(
      KATAKANA,
      (letter) => String.fromCodePoint(letter.codePointAt(0)! - KANA_DISTANCE),
    )
    : folded;
}

/**
 * A value normalised for searching, without spaces inside East Asian and Thai names. Further lines
 * have the other spellings of umlauts: "muller" and "mueller" for Müller, as for Mueller.
 */
export function searchableText(text: string): string {
  const folded = looselyFolded(text);
  const line = BEYOND_ASCII.test(folded) ? folded.replace(SPACE_INSIDE, "") : folded;
  const composed = BEYOND_ASCII.test(text) ? normalForm(text.toLowerCase(), "NFC") : "";
  const asTwo = composed.replace(UMLAUTS, (letter) => WRITTEN_AS_TWO[letter]!);
  const asOne = line.replace(TWO_LETTERS, (letters) => letters[0]!);
  return [
    line,
    ...asTwo === composed ? [] : [looselyFolded(asTwo)],
    ...asOne === line ? [] : [asOne],
  ].join("\n");
}

/**
 * Separators of the words of a search: spaces, `^` as between the components of a DICOM name, and
 * the comma after a family name.
 */
export const BETWEEN_WORDS = /[\s\u3000^]+|,(?=\s|$)/;

/** One word of a search text. */
export interface SearchWord {
  /** text that every match contains; for a word with wild cards, its longest literal part */
  part: string;
  /**
   * parts between `*` of a word with wild cards, which may contain `?`; `null` without wild cards
   */
  segments: readonly string[] | null;
}

/**
 * Words of a search: a text must contain all of them, in any order. `*` and `?` are DICOM wild
 * cards (PS3.4 C.2.2.2.4) and match whole words; a `*` may span several words. `\\*` is an asterisk.
 */
export function searchWords(search: string): SearchWord[] {
  const words = looselyFolded(search).split(BETWEEN_WORDS).filter((word) =>
    word.replaceAll("*", "") !== ""
  );
  return words.map((word) => {
    if (word.includes("\\*") && !/\?|(?<!\\)\*/.test(word)) {
      return { part: word.replaceAll("\\*", "*"), segments: null };
    }
    if (!/[*?]/.test(word)) return { part: word, segments: null };
    const part = word.split(/[*?]+/).reduce((a, b) => b.length > a.length ? b : a);
    const segments = word.replace(/\*+/g, "*").split("*");
    const isInside = segments.length === 3 && segments[0] === "" && segments[1] === part &&
      segments[2] === "";
    return { part, segments: isInside ? null : segments };
  });
}

const LINE_END = 0x0a, SPACE = 0x20, SLASH = 0x2f, ANY_LETTER = 0x3f;

/** Whether a part of a search word, with `?` for any character, matches at a position in a line. */
function isAt(text: string, at: number, end: number, segment: string): boolean {
  if (at + segment.length > end) return false;
  for (let i = 0; i < segment.length; i++) {
    const letter = segment.charCodeAt(i);
    if (letter !== ANY_LETTER && letter !== text.charCodeAt(at + i)) return false;
  }
  return true;
}

function isBetweenWords(letter: number): boolean {
  return letter === SPACE || letter === SLASH;
}

/**
 * Whether the parts of a search word follow one another from a position
 * to the end of a word. Linear in the line's length.
 */
function followFrom(
  text: string,
  start: number,
  end: number,
  segments: readonly string[],
): boolean {
  if (!isAt(text, start, end, segments[0]!)) return false;
  const isEnd = (at: number) => at === end || isBetweenWords(text.charCodeAt(at));
  let at = start + segments[0]!.length;
  const last = segments.length - 1;
  if (last === 0) return isEnd(at);
  for (let i = 1; i < last; i++) {
    while (at < end && !isAt(text, at, end, segments[i]!)) at++;
    if (at + segments[i]!.length > end) return false;
    at += segments[i]!.length;
  }
  const { length } = segments[last]!;
  if (length === 0) return true;
  for (; at + length <= end; at++) {
    if (isEnd(at + length) && isAt(text, at, end, segments[last]!)) return true;
  }
  return false;
}

function lineMatches(
  text: string,
  start: number,
  end: number,
  segments: readonly string[],
): boolean {
  if (segments[0] === "") return followFrom(text, start, end, segments);
  for (let at = start; at < end; at++) {
    const isStart = at === start || isBetweenWords(text.charCodeAt(at - 1));
    if (isStart && followFrom(text, at, end, segments)) return true;
  }
  return false;
}

/**
 * Whether a text of lines, each a value normalised
 * by {@link searchableText}, matches the wild cards of a word.
 * @param start,end Range of the text within a longer string.
 */
export function matchesSegments(
  text: string,
  start: number,
  end: number,
  segments: readonly string[],
): boolean {
  for (let at = start, line = start; at <= end; at++) {
    if (at < end && text.charCodeAt(at) !== LINE_END) continue;
    if (lineMatches(text, line, at, segments)) return true;
    line = at + 1;
  }
  return false;
}

/** Whether any value of a record matches a search: see {@link searchWords}. */
export function matchesSearch(search: string, values: readonly string[]): boolean {
  const lines = values.map(searchableText).join("\n");
  return searchWords(search).every(({ part, segments }) =>
    lines.includes(part) && (segments === null || matchesSegments(lines, 0, lines.length, segments))
  );
}
