// Free text that a person types and that pages, reports and tables print.
import * as z from "zod/mini";

/**
 * Characters that are not printed or turn the direction of the text after them: control and format
 * characters, lone surrogates, Hangul fillers. Kept: joiners (U+200C, U+200D), which change letters
 * of Persian and Indic names; Arabic signs that are printed; tabs and line breaks.
 */
const HIDDEN =
  /(?![\t\n\r\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])[\p{Cc}\p{Cf}\p{Cs}\u3164\uffa0]/gu;

/** A text without hidden characters; every line break of Unicode is `\n` or `\r`. */
export const withoutHidden = (text: string): string =>
  text.replaceAll(/[\u0085\u2028\u2029]/g, "\n").replaceAll(HIDDEN, "");

/**
 * Check that every typed text of a request must have, before those of its length:
 * `z.string().check(typedText, z.trim(), z.minLength(1))`. A test looks for it in all requests.
 */
export const typedText: z.core.$ZodCheck<string> = z.overwrite(withoutHidden);
