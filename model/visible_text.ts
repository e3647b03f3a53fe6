/**
 * Invisible characters, and characters that change the display of other text: control characters,
 * zero-width characters, direction marks, fillers.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\uffa0]/gu;

/**
 * Makes invisible characters of external text visible, as `[U+202E]`: names that look equal are
 * then equal, and no character can reverse the direction of the text after it.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(
    HIDDEN,
    (character) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
  );
