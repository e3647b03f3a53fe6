/**
 * Words of the documents: `deno run --allow-read tools/documents/words.ts` lists them. A word is a
 * part between spaces with a letter or a digit in it. Decisions (docs/adr) and tables that a tool
 * writes between its marks are not counted.
 */
import { relative } from "node:path";
import { filesUnder } from "@/tools/pages/source_files.ts";

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
/** Pages of docs/reference are made, but for the index. */
const NOT_COUNTED = /^docs\/(adr\/|reference\/(?!index\.md$))/;
const FIGURES = /<!-- figures of the benchmark:[\s\S]*?<!-- end of the figures -->/g;

/** The most that the documents may have in all; the aim is 40,000. */
export const MAX_WORDS = 40_000;

export const wordsOf = (text: string): number =>
  text.replaceAll(FIGURES, "").split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;

/** Words of each counted document by its path, the longest first. */
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
