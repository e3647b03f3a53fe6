/** Marks of one letter, more than any language uses; halfwidth Japanese marks are letters. */
const LONG_RUN = /(?:(?!\u034f)[\p{M}\uff9e\uff9f]){31,}/gu;

/**
 * Normal form of a text from outside. Marks of one letter are sorted in quadratic time, so that a
 * run of a million would take hours: a joiner after each thirtieth ends the run
 * (Unicode Standard Annex 15, stream-safe text format).
 */
export const normalForm = (text: string, form: "NFC" | "NFKC" | "NFKD"): string =>
  text.replaceAll(LONG_RUN, (run) => run.replaceAll(/.{30}/gsu, "$&\u034f")).normalize(form);
