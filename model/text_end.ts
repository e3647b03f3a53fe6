/**
 * A text without the given characters at its end. In a loop, because a pattern such as `/ +$/`
 * takes quadratic time for many of them before another character.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
