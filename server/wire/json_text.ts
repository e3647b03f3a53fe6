const SIGNS = /[<\u2028\u2029]/g;

/** JSON that cannot end the script element it stands in. */
export const jsonForScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    SIGNS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
