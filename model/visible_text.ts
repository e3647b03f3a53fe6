/**
 * Invisible characters, and characters that change the display of other text: control characters,
 * zero-width characters, direction marks, fillers.
 */
const HIDDEN =
  "[\\p{Cc}\\p{Cf}\\p{Cs}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2028\\u2029\\u3164\\uffa0]";

/** Signs of Indic scripts that take the vowel from a consonant (virama). */
const VIRAMA = "[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]";
/** Arabic letters that do not join the letter after them (Joining_Type R and U). */
const ENDS = "\\u0621-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0677\\u0688-\\u0699" +
  "\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef";
/**
 * Joiners that change the letters beside them, and so belong to a name (RFC 5892 appendix A): both
 * after a virama; U+200C between Arabic letters that would join; U+200D in the Bengali "র‍্য".
 */
const JOINER = [
  `(?<=${VIRAMA})[\\u200c\\u200d]`,
  `(?<=(?![${ENDS}])[\\p{Script=Arabic}&&\\p{L}])\\u200c(?=[\\p{Script=Arabic}&&\\p{L}])`,
  "(?<=\\u09b0)\\u200d(?=\\u09cd)",
].join("|");
const REPLACED = new RegExp(`(?!${JOINER})${HIDDEN}`, "gv");

/**
 * Makes invisible characters of external text visible, as `[U+202E]`: names that look equal are
 * then equal, and no character can reverse the direction of the text after it. Joiners that change
 * a name's letters stay.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(
    REPLACED,
    (character) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
  );
