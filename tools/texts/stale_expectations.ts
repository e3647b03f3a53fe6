// Finds words that a test looks for and that no text, document, code or test data contains any
// more, such as a reworded sentence in a regular expression:
// `deno run -A tools/texts/stale_expectations.ts`.
import { codeOf, type Literal, literalsOf } from "./literals.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Lists of removed or refused wordings, and tests of these checks. */
const LISTS =
  /^tests\/(?:documented_wordings|wordings\/.*|wordings_test)\.ts$|^tools\/(?:texts|documents)\//;

/** Functions of which the first argument is searched for on a page or in an output. */
const LOOKS_FOR = /(?:^|\.)(?:getBy\w+|toast|includes|indexOf|startsWith|endsWith|waitForText)$/;

/** Assertions that compare two values and take an optional message as third argument. */
const COMPARES = /(?:^|\.)(?:equal|notEqual|deepEqual|strictEqual|deepStrictEqual|assertEquals)$/;

/** Call around a literal, and position of the argument that contains the literal. */
interface Around {
  call: string;
  argument: number;
}

/** Innermost call around each offset of a source, without brackets. Offsets ascend. */
function callsAround(code: string, offsets: readonly number[]): (Around | undefined)[] {
  const open: (Around | undefined)[] = [], calls: (Around | undefined)[] = [];
  const innermost = () => open.findLast((each) => each !== undefined);
  let next = 0;
  for (const match of code.matchAll(/([\w.]+)\s*\(|[[{(]|[)\]}]|,/g)) {
    for (; next < offsets.length && offsets[next]! < match.index; next++) {
      const around = innermost();
      calls.push(around && { ...around });
    }
    if (match[0] === ",") {
      const last = open.at(-1);
      if (last) last.argument++;
    } else if (/[)\]}]/.test(match[0])) open.pop();
    else open.push(match[1] === undefined ? undefined : { call: match[1], argument: 0 });
  }
  while (calls.length < offsets.length) calls.push(undefined);
  return calls;
}

/**
 * Literals in a test: those that are compared with the product's words, and the test's own data.
 */
export function testLiterals(source: string): { expected: Literal[]; data: Literal[] } {
  const literals = literalsOf(source).filter(({ use }) => !/(?:[tT]est|step|it)$/.test(use));
  const calls = callsAround(codeOf(source), literals.map(({ index }) => index));
  const isExpected = ({ pattern }: Literal, n: number) => {
    const { call = "", argument = 0 } = calls[n] ?? {};
    return pattern !== undefined || LOOKS_FOR.test(call) ||
      COMPARES.test(call) && argument === 1;
  };
  return {
    expected: literals.filter(isExpected),
    data: literals.filter((each, n) => !isExpected(each, n)),
  };
}

/** Text that replaces a variable in a text. */
const GAP = "{}";

/** Character before a run of words that a wide space separates from the label of its line. */
const CELL = "\t";

const CODE = /\$\{((?:[^{}]|\{[^{}]*\})*)\}/g;

/**
 * Text with {@link GAP} for each variable, in singular and plural; and the literals in its code.
 */
function forms(text: string): string[] {
  const inCode = [...text.matchAll(CODE)].flatMap(([, code]) =>
    literalsOf(`f(${code})`).flatMap((literal) => forms(literal.text))
  );
  const gapped = text.replace(CODE, GAP).replace(/[\s\u00a0]+/g, " ");
  const inForm = (form: number) =>
    gapped.replace(
      /\{\w+(?:\|([^|}]*)\|([^}]*))?\}/g,
      (_, one?: string, other?: string) => other === undefined ? GAP : form ? other : one!,
    );
  return [...new Set([inForm(0), inForm(1), ...inCode])];
}

const PART = new RegExp(
  [
    String.raw`(?<space>(?:\[(?:\\s|\\u00a0|\u00a0| )+\]|\\s|\\u00a0| )(?:\+|\*|(?=[^?{]|$)))`,
    String.raw`(?<column>(?: |\\s)\{[\d,]+\})`,
    String
      .raw`(?<open>(?:\[(?:[^\]\\]|\\.)*\]|\\[dwDWSbBpPk](?:\{\w+\})?|\.|\((?:\?[:=!]|\?<[^>]*>)?|[|)^$])(?:[?*+]|\{[\d,]+\})?\??)`,
    String.raw`(?<optional>(?:\\.|[^\\])(?:[?*]|\{[\d,]+\})\??)`,
    String.raw`(?<sign>\\u[0-9a-fA-F]{4}|\\.|[^\\])\+?`,
  ].join("|"),
  "gu",
);

/** Runs of fixed characters in a regular expression, split where it matches several texts. */
export function fixedRuns(pattern: string): string[] {
  let run = "";
  for (const { groups } of pattern.matchAll(PART)) {
    const { space, column, open, optional, sign } = groups!;
    if (space !== undefined) run += " ";
    else if (column !== undefined) run += "\n\t";
    else if (open !== undefined || optional !== undefined) run += "\n";
    else if (sign!.startsWith("\\u")) run += String.fromCharCode(parseInt(sign!.slice(2), 16));
    else run += /^\\[nrt]$/.test(sign!) ? "\n" : sign!.replace(/^\\/, "");
  }
  return run.split("\n");
}

/** Pattern of the characters that separate phrases in a text. */
const BETWEEN =
  /[\d·:;,.?!()<>[\]{}|/\\"“”‘’`*=&#^$+→–…\n]+(?:\s|$)|[\d·:;()<>[\]{}|/\\"“”‘`*=&#^$+→–…]|\S*[_.@]\S+/u;

/** Runs of two or more words of a literal, without its variables. */
export function runsOf({ text, pattern }: Literal): string[] {
  const runs = pattern === undefined
    ? text.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "\n").split("\n")
    : fixedRuns(pattern);
  return runs.flatMap((run) => run.split(BETWEEN))
    .map((run) => run.replace(/[ \u00a0]+/g, " ").replace(/^ | $/g, ""))
    .filter((run) => /^\p{L}[\p{L}'’-]+ \p{L}[\p{L}'’-]+/u.test(run) || /^\t\p{L}{3,}/u.test(run));
}

/** Words that a test may expect: from the product, from fixtures, and from the test itself. */
export class Corpus {
  readonly #lines: string;
  /** Lines with variables: only these can match words that contain a variable's value. */
  readonly #gapped: string;

  constructor(texts: Iterable<string>) {
    const lines = [...texts].map((text) => text.toLowerCase());
    this.#lines = `\n${lines.join("\n")}\n`;
    this.#gapped = `\n${lines.filter((line) => line.includes(GAP)).join("\n")}\n`;
  }

  /** Whether a run of words occurs in the corpus; a variable's value has up to three words. */
  has(run: string): boolean {
    const sought = run.toLowerCase();
    if (sought.startsWith(CELL)) return this.#lines.includes(`\n${sought.slice(1)}`);
    if (this.#lines.includes(sought)) return true;
    const words = sought.split(" ");
    return words.some((_, from) =>
      [1, 2, 3].some((length) => {
        const form = [...words.slice(0, from), GAP, ...words.slice(from + length)];
        // a single word beside a variable counts only if it is a complete text
        return form.length > 2
          ? this.#gapped.includes(form.join(" "))
          : form.length === 2 && this.#gapped.includes(`\n${form.join(" ")}\n`);
      })
    );
  }
}

/** Words that a test expects and that occur nowhere else. */
export interface Stale {
  file: string;
  line: number;
  run: string;
}

const TEST = /_test\.tsx?$/;

/** Code and documents that can contain the words of a test; data and built files are left out. */
const READ = /\.(?:tsx?|md|txt|rs|sql|css|sh|json|service|conf|html|py)$/;
const NOT_READ = /^(?:wasm\/pkg|docs\/adr|static)\/|requirements\.json$|\/results\//;

/** Runs of words in a test that occur nowhere else, as `file:line “run”`. */
export function staleRuns(file: string, source: string, shipped: Corpus): Stale[] {
  const { expected, data } = testLiterals(source);
  const texts = data.flatMap(({ text }) => forms(text)), own = new Corpus(texts);
  // a test that joins values, as in `${name} ${state}`, expects rows that only it contains
  const joins = texts.some((text) => /^\{\} \{\}/.test(text));
  return expected.flatMap((literal) =>
    runsOf(literal).filter((run) =>
      !shipped.has(run) && !own.has(run) &&
      !(joins && literal.pattern === undefined && run.split(" ").length === 2)
    ).map((run) => ({ file, line: literal.line, run: run.trim() }))
  );
}

/** Corpus of words from the product, its documents, and the fixtures of tests. */
export function corpusOf(sources: Iterable<readonly [file: string, source: string]>): Corpus {
  const texts: string[] = [];
  for (const [file, source] of sources) {
    if (/^tests\/.*\.tsx?$/.test(file)) {
      // with a leading space, a fixture's text is not found as a whole table cell
      texts.push(
        ...testLiterals(source).data.flatMap(({ text }) => forms(text)).map((text) => ` ${text}`),
      );
    } else if (/\.tsx?$/.test(file)) {
      texts.push(...literalsOf(source).flatMap(({ text }) => forms(text)));
      texts.push(codeOf(source).replace(/\s+/g, " "));
    } else texts.push(...source.split("\n\n").flatMap(forms));
  }
  return new Corpus(texts);
}

/** Finds the runs of words in the repository's tests that occur nowhere else. */
export async function repositoryStaleRuns(): Promise<Stale[]> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files"], cwd: ROOT }).output();
  const files = new TextDecoder().decode(stdout).split("\n")
    .filter((file) => READ.test(file) && !NOT_READ.test(file) && !LISTS.test(file));
  const sources = new Map<string, string>();
  for (const file of files) sources.set(file, await Deno.readTextFile(ROOT + file));
  const shipped = corpusOf([...sources].filter(([file]) => !TEST.test(file)));
  return [...sources].filter(([file]) => TEST.test(file) || /^tests\/.*\.tsx?$/.test(file))
    .flatMap(([file, source]) => staleRuns(file, source, shipped));
}

if (import.meta.main) {
  const stale = await repositoryStaleRuns();
  for (const { file, line, run } of stale) console.log(`${file}:${line} “${run}”`);
}
