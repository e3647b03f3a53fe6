// Queries to an archive for a typed name. Archives compare letters, most of them without case
// (PS3.4 C.2.2.2.1.1 leaves that to them); other differences are bridged with wild cards and then
// compared here.
import { foldText } from "@/model/worklist/search_text.ts";

const EAST_ASIAN = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/**
 * Letters that often carry a mark; those that are crossed (ł, đ); and all of them with the rarer
 * ones.
 */
const OFTEN_MARKED = /[aeiouycnsz]/g, CROSSED = /[dl]/g, MAY_BE_MARKED = /[aeiouycnszdgjklrth]/g;

/** Letters that some archives leave out of their index where they carry a mark: ø, İ. */
const VOWELS = /[aeiouy]/g;

const startsWith = (words: readonly string[]) => `${words.join("*")}*`;
const contains = (words: readonly string[]) => `*${startsWith(words)}`;

/** Latin letters and digits in the width of Han characters, capital as Japanese systems write them. */
const fullWidth = (word: string) =>
  word.toUpperCase().replaceAll(
    /[!->@-~]/g,
    (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0),
  );

/** A word in which letters with marks match too: `muller` asks for `m?ll?r` of `Müller`. */
function loosened(word: string, letters: RegExp, card: "?" | "*" = "?"): string {
  if (EAST_ASIAN.test(word)) return `*${[...word].join("*")}`;
  // ß of "ss", æ of "ae" is a letter less
  const loose = foldText(word).replaceAll(/ss|ae|oe/g, "*").replaceAll(letters, card);
  // a pattern without a letter would match everything
  return /[^*?]/.test(loose) ? loose : word;
}

/**
 * Patterns for Patient's Name, the most precise first; the next is for an archive that has nothing
 * for those before.
 * @param typed Text as a person types it; `*` and `?` are wild cards.
 */
export function namePatterns(typed: string): string[] {
  const words = typed.split(/[\s^\u3000]+/).filter(Boolean);
  if (words.length === 0) return [];
  const ways = [
    words,
    words.map((word) => loosened(word, OFTEN_MARKED)),
    words.map((word) => loosened(word, CROSSED)),
    words.map((word) => loosened(word, MAY_BE_MARKED)),
    words.map((word) => loosened(word, VOWELS, "*")),
    words.map((word) => loosened(word, CROSSED, "*")),
    words.map(fullWidth),
  ];
  const patterns = ways.flatMap((way) => [startsWith(way), startsWith([...way.slice(1), way[0]!])]);
  // the given name, and signs in names
  patterns.push(contains(words));
  return [...new Set(patterns.map((pattern) => pattern.replaceAll(/\*+/g, "*")))];
}
