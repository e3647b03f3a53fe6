const SIGNS = /[<\u2028\u2029]/g;

/** JSON for a script element, in which no text can end the script element. */
export const jsonForScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    SIGNS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
