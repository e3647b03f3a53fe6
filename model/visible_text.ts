/**
 * Invisible characters, and those that change the display of others: controls, zero widths,
 * direction marks, fillers.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\uffa0]/gu;

/**
 * A text of outside with its invisible characters shown, `[U+202E]`: two names that look the same
 * are the same, and none turns the text beside it round.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(
    HIDDEN,
    (character) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
  );
