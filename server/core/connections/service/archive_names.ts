// Patterns for searching an archive by a typed name. Most archives ignore upper and lower case
// (optional: PS3.4 C.2.2.2.1.1). Wild cards cover other spellings; matches are compared afterwards.
import { normalForm } from "@/model/normal_form.ts";
import { BETWEEN_WORDS, foldText } from "@/model/worklist/search_text.ts";

/** Scripts of names that are written with or without a space, or another component separator. */
const SPACELESS =
  /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Letters that often carry a diacritic, that may carry a stroke (ł, đ), that may carry either. */
const OFTEN_MARKED = /[aeiouycnsz]/g, CROSSED = /[dl]/g, MAY_BE_MARKED = /[aeiouycnszdgjklrth]/g;

/** Letters that some archives drop from the index when they have diacritics, such as ø and İ. */
const VOWELS = /[aeiouy]/g;

/** Kanji of Japanese names that have a variant with another code point: a query may miss it. */
const TWO_FORMS = /[高髙崎﨑吉𠮷]/gu;

const startsWith = (words: readonly string[]) => `${words.join("*")}*`;
const contains = (words: readonly string[]) => `*${startsWith(words)}`;

/** Converts a word to full-width capital letters and digits, as Japanese systems write names. */
const fullWidth = (word: string) =>
  word.toUpperCase().replaceAll(
    /[!->@-~]/g,
    (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0),
  );

/** Writes hiragana as katakana and katakana, of either width, as hiragana: 0x60 code points apart. */
const otherKana = (word: string) =>
  normalForm(word, "NFKC").replaceAll(/[\u3041-\u3096\u30a1-\u30f6]/g, (letter) => {
    const at = letter.codePointAt(0)!;
    return String.fromCodePoint(at > 0x30a0 ? at - 0x60 : at + 0x60);
  });

/** Pattern of a word that also matches diacritics: `muller` gives `m?ll?r`, for `Müller`. */
function loosened(word: string, letters: RegExp, card: "?" | "*" = "?"): string {
  if (SPACELESS.test(word)) {
    const loose = word.replaceAll(TWO_FORMS, "?");
    return `*${[.../[^*?]/.test(loose) ? loose : word].join("*")}`;
  }
  // "*" instead of "?", because ß is one letter shorter than "ss", and æ and ü than "ae" and "ue"
  const loose = foldText(word).replaceAll(/ss|ae|oe|ue|aa|'/g, "*").replaceAll(letters, card);
  // a search pattern without any letter would match everything
  return /[^*?]/.test(loose) ? loose : word;
}

/**
 * Search patterns for Patient's Name, most precise first.
 * The next pattern is tried when the previous pattern has no matches.
 * @param typed Name as the user typed it; `*` and `?` are wild cards.
 */
export function namePatterns(typed: string): string[] {
  const words = typed.split(BETWEEN_WORDS).filter(Boolean);
  if (words.length === 0) return [];
  const ways = [
    words,
    words.map((word) => loosened(word, OFTEN_MARKED)),
    words.map((word) => loosened(word, CROSSED)),
    words.map((word) => loosened(word, MAY_BE_MARKED)),
    words.map((word) => loosened(word, VOWELS, "*")),
    words.map((word) => loosened(word, CROSSED, "*")),
    words.map(fullWidth),
    words.map((word) => loosened(otherKana(word), OFTEN_MARKED)),
  ];
  const patterns = ways.flatMap((way) => [startsWith(way), startsWith([...way.slice(1), way[0]!])]);
  // the last pattern also finds the words in given names, and in names with punctuation
  patterns.push(contains(words));
  return [...new Set(patterns.map((pattern) => pattern.replaceAll(/\*+/g, "*")))];
}
