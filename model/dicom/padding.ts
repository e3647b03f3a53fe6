/**
 * A DICOM value without the blanks and NULs that pad it at the end (PS3.5 §6.2).
 * In a loop, because a pattern takes quadratic time for many blanks before other characters.
 */
export function withoutPadding(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\0")) end--;
  return text.slice(0, end);
}
