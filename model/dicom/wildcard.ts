/**
 * Whether a value matches a pattern of a DICOM query (PS3.4 C.2.2.2.4):
 * `*` matches any characters, `?` exactly one; case is ignored.
 * The time is at most proportional to the product of both lengths.
 */
export function matchesWildcard(pattern: string, value: string): boolean {
  const sought = [...pattern.toLowerCase()], text = [...value.toLowerCase()];
  let at = 0, star = -1, from = 0;
  for (let place = 0; place < text.length;) {
    if (sought[at] === "*") {
      star = at++;
      from = place;
    } else if (at < sought.length && (sought[at] === "?" || sought[at] === text[place])) {
      at++;
      place++;
    } else if (star >= 0) {
      // backtracks only to the last `*`: earlier wild cards never need to match more characters
      at = star + 1;
      place = ++from;
    } else return false;
  }
  return sought.slice(at).every((rest) => rest === "*");
}
