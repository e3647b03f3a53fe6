// Unicode allows a line break between any two Korean syllables; reports keep Korean words whole.
// The HTML page does so by `word-break: keep-all` in report.css.
// The PDF has word joiners between syllables, which forbid a break (UAX #14, rule LB11).
// Joiners are removed before a line is drawn, so that a search in the PDF finds the word.
// A word that is longer than its line is still broken.

/** U+2060 WORD JOINER, which has no width and forbids a line break */
export const WORD_JOINER = "\u2060";

// Matches positions between two characters of one Korean word, not at a space or separator.
const IN_KOREAN_WORD = /(?<=[^\s,·/–—-])(?=\p{Script=Hangul})|(?<=\p{Script=Hangul})(?=[^\s])/gu;

/** Adds word joiners to a text, so that its lines break only between Korean words. */
export const wholeWords = (text: string): string => text.replace(IN_KOREAN_WORD, WORD_JOINER);

/** Removes the word joiners that {@link wholeWords} has added. */
export const withoutJoiners = (text: string): string => text.replaceAll(WORD_JOINER, "");
