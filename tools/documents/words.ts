/**
 * Counts the words of the documents: `deno run --allow-read tools/documents/words.ts`. A word is a
 * part between spaces with a letter or digit. Decisions (docs/adr) and generated tables between
 * marks are not counted.
 */
import { relative } from "node:path";
import { filesUnder } from "@/tools/pages/source_files.ts";

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
/** Not counted: pages of docs/reference, which are generated, except the index. */
const NOT_COUNTED = /^docs\/(adr\/|reference\/(?!index\.md$))/;
const FIGURES = /<!-- figures of the benchmark:[\s\S]*?<!-- end of the figures -->/g;

/** Maximum number of words in all counted documents together. */
export const MAX_WORDS = 40_000;

export const wordsOf = (text: string): number =>
  text.replaceAll(FIGURES, "").split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;

/** Word count of each counted document by path, longest document first. */
export async function documentWords(): Promise<[path: string, words: number][]> {
  const counts: [string, number][] = [];
  for await (const file of filesUnder(`${ROOT}/docs`)) {
    const path = relative(ROOT, file);
    if (!path.endsWith(".md") || NOT_COUNTED.test(path)) continue;
    counts.push([path, wordsOf(await Deno.readTextFile(file))]);
  }
  return counts.sort(([, a], [, b]) => b - a);
}

export const totalOf = (counts: readonly (readonly [string, number])[]): number =>
  counts.reduce((sum, [, words]) => sum + words, 0);

if (import.meta.main) {
  const counts = await documentWords();
  const lines = [...counts, ["in all", totalOf(counts)] as const].map(([path, words]) =>
    `${String(words).padStart(6)}  ${path}\n`
  );
  Deno.stdout.writeSync(new TextEncoder().encode(lines.join("")));
}
