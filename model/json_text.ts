const texts = new WeakMap<object, string>();

const SIGNS = /[<\u2028\u2029]/, EVERY_SIGN = /[<\u2028\u2029]/g;
const escapeOf = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

function native(value: unknown): string {
  const text = JSON.stringify(value);
  return SIGNS.test(text) ? text.replace(EVERY_SIGN, escapeOf) : text;
}

/** Longer lists are written as one, unless their first item is written already. */
const MAX_WALKED = 8;

/**
 * JSON that cannot end the script element it stands in. Parts that {@link serialiseOnce} has written are not written
 * again.
 */
export function jsonForScript(value: unknown): string {
  if (typeof value !== "object" || value === null || "toJSON" in value) return native(value);
  const text = texts.get(value);
  if (text !== undefined) return text;
  if (Array.isArray(value)) {
    return value.length <= MAX_WALKED || texts.has(value[0])
      ? `[${value.map((item) => isWritten(item) ? jsonForScript(item) : "null").join()}]`
      : native(value);
  }
  const fields: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (isWritten(field)) fields.push(`${native(name)}:${jsonForScript(field)}`);
  }
  return `{${fields.join()}}`;
}

/** JSON has no word for the others. */
const isWritten = (value: unknown): boolean =>
  value !== undefined && typeof value !== "function" && typeof value !== "symbol";

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

/** Writes a value for {@link jsonForScript}: it and all in it cannot change any more. @returns the value itself. */
export function serialiseOnce<T extends object>(value: T): T {
  if (texts.has(value)) return value;
  freeze(value);
  texts.set(value, native(value));
  return value;
}
