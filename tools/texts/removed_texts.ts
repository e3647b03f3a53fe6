// Finds tests and documents that still repeat a text which a branch removes from the catalogues,
// the manual or the terms: `deno run -A tools/texts/removed_texts.ts [COMMIT]`, by default since
// the branch left main. Compares runs of three words, so that it also finds quotes of a part of a
// text. Wordings in comments and in names of tests are ignored.
import { catalogueTexts } from "./catalogue.ts";
import { literalsOf } from "./literals.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Files with texts that users read. */
const TEXTS = ["model/text", "model/report/opinions.ts", "docs/manual", "docs/terms"];

/** Files that may repeat such a text: tests and documents. */
const READERS = /_test\.tsx?$|^(?:tests|bench)\/.*\.tsx?$|^docs\/(?:site|trust|manual)\/.*\.md$/;

/** Number of consecutive words by which a quote is recognised; fewer words recur by chance. */
const RUN = 3;

/** Whether three words have two that are longer than "of" and "the", or are Hangul. */
const isTelling = (run: string): boolean =>
  /[가-힣]/.test(run) || run.split(" ").filter((word) => word.length > 3).length > 1;

/** Distinctive runs of three words in a text; variables and punctuation end a run. */
export function wordRuns(text: string): string[] {
  return text.replaceAll("\u00a0", " ").split(/\{[^}]*\}|[“”"‘’().,:;?!|*]+(?=\s|$)|[“"‘(]/)
    .flatMap((part) => {
      const words = part.match(/[\p{L}\p{N}][\p{L}\p{N}’'%-]*/gu) ?? [];
      return words.slice(RUN - 1).map((_, n) => words.slice(n, n + RUN).join(" "));
    }).filter(isTelling);
}

/** Runs of three words in removed texts that no current text contains. */
export function removedRuns(removed: readonly string[], current: readonly string[]): Set<string> {
  const currentRuns = new Set(current.flatMap(wordRuns));
  return new Set(removed.flatMap(wordRuns).filter((run) => !currentRuns.has(run)));
}

/**
 * First removed run of words in each literal of a module or line of a document, as `line: “run”`.
 */
export function removedQuotes(
  file: string,
  source: string,
  runs: ReadonlySet<string>,
): string[] {
  const parts = file.endsWith(".md")
    ? source.split("\n").map((text, n) => ({ text, line: n + 1 }))
    : literalsOf(source).filter(({ use }) => !/(?:[tT]est|step|it)$/.test(use));
  return parts.flatMap(({ text, line }) => {
    const run = wordRuns(text).find((each) => runs.has(each));
    return run === undefined ? [] : [`${line}: “${run}”`];
  });
}

async function git(...args: string[]): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command("git", { args, cwd: ROOT }).output();
  if (!success) throw new Error(`git ${args[0]}: ${new TextDecoder().decode(stderr).trim()}`);
  return new TextDecoder().decode(stdout);
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Texts in a version of a file: literals of a module, lines of a document. */
const textsOf = (file: string, source: string): string[] =>
  file.endsWith(".ts") ? literalsOf(source).map(({ text }) => text) : linesOf(source);

/** Quotes of texts that were removed since a commit, as `file:line: “run”`. */
async function quotesSince(commit: string): Promise<string[]> {
  const changed = linesOf(
    await git("diff", "--name-only", "--diff-filter=MD", commit, "--", ...TEXTS),
  );
  const removed: string[] = [];
  const current = (await catalogueTexts()).flatMap(({ text }) => Object.values(text));
  for (const file of changed) {
    const currentTexts = textsOf(file, await Deno.readTextFile(ROOT + file).catch(() => ""));
    const currentSet = new Set(currentTexts);
    removed.push(
      ...textsOf(file, await git("show", `${commit}:${file}`)).filter((text) =>
        !currentSet.has(text)
      ),
    );
    current.push(...currentTexts);
  }
  const runs = removedRuns(removed, current), quotes: string[] = [];
  for (const file of linesOf(await git("ls-files")).filter((name) => READERS.test(name))) {
    const fileQuotes = removedQuotes(file, await Deno.readTextFile(ROOT + file), runs);
    quotes.push(...fileQuotes.map((quote) => `${file}:${quote}`));
  }
  return quotes;
}

if (import.meta.main) {
  const commit = Deno.args[0] ?? (await git("merge-base", "main", "HEAD")).trim();
  const quotes = await quotesSince(commit);
  for (const quote of quotes) console.error(quote);
  Deno.exit(quotes.length > 0 ? 1 : 0);
}
