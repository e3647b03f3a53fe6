// Extracts strings and regular expressions from a TypeScript file, without comments. Uses patterns
// instead of a parser: the character before a slash identifies a regular expression.

/** A string or regular expression in a source file. */
export interface Literal {
  /** content with escapes decoded; strings joined by “+” count as one */
  text: string;
  /** source of a regular expression, with its escapes; absent for strings */
  pattern?: string;
  /** offset of the opening quote or slash in the source */
  index: number;
  /** line of the literal in the file, from 1 */
  line: number;
  /**
   * name of the call or property of which the literal is the first value,
   * such as "Deno.test" or "name:", or ""
   */
  use: string;
}

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`"(?<double>(?:[^"\\\n]|\\.)*)"`,
    String.raw`'(?<single>(?:[^'\\\n]|\\.)*)'`,
    "`(?<template>(?:[^`\\\\]|\\\\[\\s\\S])*)`",
    String
      .raw`(?<=[(,=:?[&|!]\s*)\/(?<pattern>(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/`,
  ].join("|"),
  "g",
);

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r" };

/** Content of a string or pattern with `\n`, `\"`, `\.` and `\u00a0` decoded. */
const withoutEscapes = (text: string): string =>
  text.replace(
    /\\u([0-9a-fA-F]{4})|\\([\s\S])/g,
    (_, code: string | undefined, sign: string) =>
      code ? String.fromCharCode(parseInt(code, 16)) : ESCAPES[sign] ?? sign,
  );

/** Literals of a file, in source order. */
export function literalsOf(source: string): Literal[] {
  const literals: Literal[] = [];
  let endOfLast = 0, line = 1, counted = 0;
  for (const match of source.matchAll(TOKEN)) {
    const { comment, double, single, template, pattern } = match.groups!;
    if (comment !== undefined) continue;
    const text = withoutEscapes(double ?? single ?? template ?? pattern ?? "");
    const between = source.slice(endOfLast, match.index), last = literals.at(-1);
    endOfLast = match.index + match[0].length;
    if (last && /^\s*\+\s*$/.test(between)) {
      last.text += text;
      continue;
    }
    line += source.slice(counted, match.index).split("\n").length - 1;
    counted = match.index;
    const use = /([\w.]+)\((?:\{\s*name:)?\s*$|(\w+:)\s*$/.exec(
      source.slice(0, match.index).slice(-80),
    );
    literals.push({
      text,
      ...pattern === undefined ? {} : { pattern },
      index: match.index,
      line,
      use: use?.[1] ?? use?.[2] ?? "",
    });
  }
  return literals;
}

/** Returns a source without its comments that begin a line; comments after code are kept. */
export const withoutComments = (source: string): string => {
  let kept = "", end = 0;
  for (const { index, 0: token, groups } of source.matchAll(TOKEN)) {
    kept += source.slice(end, index);
    end = index + token.length;
    const isFirst = kept.slice(kept.lastIndexOf("\n") + 1).trim() === "";
    if (groups!.comment === undefined || !isFirst) kept += token;
  }
  return kept + source.slice(end);
};

/**
 * Returns a source with spaces for comments and literals: same length, with brackets of code only.
 */
export const codeOf = (source: string): string =>
  source.replace(TOKEN, (token) => token.replace(/[^\n]/g, " "));
