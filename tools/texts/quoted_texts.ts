// Finds tests that repeat a sentence of the catalogues instead of importing it, and break at each
// rewording. `deno run -A tools/texts/quoted_texts.ts` prints quotes missing in quotes_left.json;
// `--unknown` adds the sentences that tests expect on a page but no source of the product contains,
// such as quotes of removed texts.
import { relative } from "node:path/posix";
import { LANGUAGES } from "@/model/text.ts";
import { QUOTED } from "@/tests/documented_wordings.ts";
import { type CatalogueText, catalogueTexts, fixedParts, isSentence } from "./catalogue.ts";
import { type Literal, literalsOf } from "./literals.ts";
import QUOTES_LEFT from "./quotes_left.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
const NOT_OURS = /^(node_modules|static|data|release|dossier|target|pkg|mutations)$|^\./;

/** Files that contain exact wordings on purpose. */
const WORDINGS =
  /^tests\/(documented_wordings|wordings_test|wordings\/(?:allowed_wordings|corrections))\.ts$/;

/** Fixed parts of the catalogue texts with their sources; documented wordings never change. */
export type Parts = ReadonlyMap<string, string>;

/**
 * A quote in a test: position such as "client/x_test.ts:12", words, and the key of the quoted text.
 */
export interface Quote {
  file: string;
  line: number;
  words: string;
  at: string;
}

const plain = (text: string): string => text.replace(/[\s\u00a0]+/g, " ").trim();

/** Parts of texts by which a quote in a test is recognised. */
export function partsOf(texts: readonly CatalogueText[]): Parts {
  const documented = new Set<string>(QUOTED.map(([, words]) => words));
  const parts = new Map<string, string>();
  for (const { at, text } of texts) {
    if (documented.has(text.en)) continue;
    for (const part of LANGUAGES.flatMap((language) => fixedParts(plain(text[language])))) {
      if (!parts.has(part)) parts.set(part, at);
    }
  }
  return parts;
}

const isTestName = ({ use }: Literal): boolean => /(?:test|step|it)$/.test(use);

/** Quotes in the source of a test: each literal that contains a part of a text, once. */
export function quotesIn(file: string, source: string, parts: Parts): Quote[] {
  return literalsOf(source).flatMap((literal) => {
    const text = plain(literal.text);
    if (isTestName(literal) || !isSentence(text)) return [];
    const quotedPart = parts.keys().find((part) => text.includes(part));
    return quotedPart
      ? [{ file, line: literal.line, words: quotedPart, at: parts.get(quotedPart)! }]
      : [];
  });
}

/** TypeScript files below the root, as repository paths. */
async function sourceFiles(folder = ROOT): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory && !NOT_OURS.test(name)) files.push(...await sourceFiles(`${folder}/${name}`));
    else if (/(?<!\.d)\.tsx?$/.test(name)) files.push(relative(ROOT, `${folder}/${name}`));
  }
  return files.sort();
}

const isTest = (file: string): boolean => /_test\.tsx?$|^tests\//.test(file);

/** Finds all quotes in the tests of the repository. */
export async function repositoryQuotes(): Promise<Quote[]> {
  const parts = partsOf(await catalogueTexts()), quotes: Quote[] = [];
  for (const file of await sourceFiles()) {
    if (!isTest(file) || WORDINGS.test(file)) continue;
    quotes.push(...quotesIn(file, await Deno.readTextFile(`${ROOT}/${file}`), parts));
  }
  return quotes;
}

/** Quotes that are not in the list, and listed quotes that no longer occur in tests. */
export function comparedWithList(
  quotes: readonly Quote[],
  left: Readonly<Record<string, readonly string[]>>,
): { added: string[]; settled: string[] } {
  const isListed = ({ file, words }: Quote) => left[file]?.includes(words) ?? false;
  return {
    added: quotes.filter((quote) => !isListed(quote)).map(({ file, line, words, at }) =>
      `${file}:${line} quotes “${words}”: take it from ${at}`
    ),
    settled: Object.entries(left).flatMap(([file, listed]) =>
      listed.filter((words) => !quotes.some((q) => q.file === file && q.words === words))
        .map((words) => `${file}: “${words}” is quoted no more: delete it from quotes_left.json`)
    ),
  };
}

/** Calls and options by which tests search for words on a page or in a response. */
const LOOKS_FOR =
  /(?:getBy\w+|toast|includes|match|doesNotMatch|waitForText)$|^(?:name|hasText|title|text):$/;

/**
 * Sentences that a test expects and that no literal of the product contains.
 *
 * @param product Sources of the shipped files.
 */
export function unknownSentences(
  tests: readonly (readonly [file: string, source: string])[],
  product: readonly string[],
): string[] {
  const shipped = product.flatMap((source) => literalsOf(source).map(({ text }) => plain(text)));
  const parts = shipped.flatMap((text) => fixedParts(text.replace(/\$\{[^}]*\}/g, "{v}")));
  const shippedText = shipped.join("\n");
  return tests.flatMap(([file, source]) =>
    literalsOf(source).filter(({ use, text }) => {
      const words = plain(text).replace(/^\^|\$$/g, "");
      return LOOKS_FOR.test(use) && /^[A-Z가-힣“]/.test(words) && isSentence(words) &&
        !fixedParts(words.replace(/\$\{[^}]*\}/g, "{v}")).every((part) =>
          shippedText.includes(part)
        ) &&
        !parts.some((part) => words.includes(part));
    }).map(({ line, text }) => `${file}:${line} ${plain(text)}`)
  );
}

async function repositoryUnknowns(): Promise<string[]> {
  const tests: [string, string][] = [], product: string[] = [];
  for (const file of await sourceFiles()) {
    const source = await Deno.readTextFile(`${ROOT}/${file}`);
    if (isTest(file)) tests.push([file, source]);
    else product.push(source);
  }
  return unknownSentences(tests, product);
}

if (import.meta.main) {
  const { added, settled } = comparedWithList(await repositoryQuotes(), QUOTES_LEFT);
  for (const line of [...added, ...settled]) console.error(line);
  if (Deno.args.includes("--unknown")) {
    for (const line of await repositoryUnknowns()) console.log(line);
  }
  Deno.exit(added.length + settled.length > 0 ? 1 : 0);
}
