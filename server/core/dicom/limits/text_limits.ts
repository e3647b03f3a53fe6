import { createHash } from "node:crypto";

/**
 * Maximum number of characters of a value by VR; of each component group of a name (PS3.5 6.2-1).
 */
const MAX_CHARACTERS = { CS: 16, LO: 64, LT: 10_240, PN: 64, SH: 16, ST: 1024 } as const;
export type TextVr = keyof typeof MAX_CHARACTERS;

/** Maximum length of a unique identifier (PS3.5 §9.1). */
export const MAX_UID = 64;
const NAME_GROUPS = 3;
/** Maximum bytes per character, including the escape sequences of ISO 2022. */
const BYTES_EACH = 12;
const DIGEST = 8;

/**
 * Maximum number of bytes of a value that are decoded; longer values are cut off.
 */
export const maxBytesOf = (vr: TextVr): number =>
  MAX_CHARACTERS[vr] * BYTES_EACH * (vr === "PN" ? NAME_GROUPS : 1);

function cut(text: string, most: number, isIdentifier: boolean): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = isIdentifier
    ? "…" + createHash("sha256").update(text).digest("hex").slice(0, DIGEST)
    : "…";
  return characters.slice(0, most - end.length).join("") + end;
}

/**
 * Value shortened to the length that the standard allows, with `…` at the end.
 * @param isIdentifier Identifiers that differ only beyond the limit get different values.
 */
export function boundedText(text: string, vr: TextVr, isIdentifier = false): string {
  const most = MAX_CHARACTERS[vr];
  if (vr !== "PN") return cut(text, most, isIdentifier);
  return text.split("=").slice(0, NAME_GROUPS).map((group) => cut(group, most, isIdentifier)).join(
    "=",
  );
}
