/**
 * Tags of the tests: a line `// covers: D1-8.2, S-12` above a test or a step lists the requirements
 * that it proves; a tag above the imports of a file applies to all tests in the file. Requirements
 * are in docs/requirements.json, the resulting page is docs/reference/coverage.md. The trace from a
 * requirement to its code also starts from {@link readTags}: each tag names the test file, and the
 * imports of that file (tools/import_cycles.ts, `importsOf`) are the tested code.
 */
import { relative } from "node:path/posix";
import { filesUnder } from "@/tools/pages/source_files.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const NOT_OURS = /\/(node_modules|static|target|data|results|\.[^/]+)\//;
const TAG = /^\s*\/\/ covers: (.+)$/;
const ID = /^(D[12]-\d+\.\d+|S-\d+)$/;

/** A test, or a whole file of tests, and the requirements that it proves. */
export interface Tag {
  /** path of the test file from the repository root */
  path: string;
  /** line number of the tag, from 1 */
  line: number;
  ids: string[];
  /** name of the test or step; `null`: all tests of the file */
  test: string | null;
}

/** First string literal in a source, including the literals that `+` appends to it. */
function firstText(source: string): string | null {
  const match = /(["'`])((?:\\.|(?!\1)[^\\])*)\1((?:\s*\+\s*(["'`])(?:\\.|(?!\4)[^\\])*\4)*)/.exec(
    source,
  );
  if (!match) return null;
  const more = [...match[3]!.matchAll(/(["'`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , text]) =>
    text
  );
  return [match[2], ...more].join("").replaceAll(/\\(["'`])/g, "$1").replaceAll(/\$\{\w+\}/g, "")
    .trim();
}

/**
 * Requirement tags of one test file.
 * @throws Error with the line of a tag that names no requirement or has no test below it.
 */
export function tagsOf(path: string, source: string): Tag[] {
  const lines = source.split("\n");
  return lines.flatMap((text, index): Tag[] => {
    const list = TAG.exec(text)?.[1];
    if (list === undefined) return [];
    const ids = list.split(",").map((id) => id.trim()), line = index + 1;
    const odd = ids.find((id) => !ID.test(id));
    if (odd !== undefined) {
      throw new Error(`${path}:${line}: ${odd} is not the id of a requirement`);
    }
    const below = lines.slice(line).filter((one) => !/^\s*(\/\/|\/?\*|$)/.test(one));
    if (/^(import|export)\b/.test(below[0] ?? "")) return [{ path, line, ids, test: null }];
    const test = firstText(below.join("\n"));
    if (test === null) throw new Error(`${path}:${line}: there is no test below the tag`);
    return [{ path, line, ids, test }];
  });
}

/** Tags of all tests in the order of their files. */
export async function readTags(): Promise<Tag[]> {
  const paths: string[] = [];
  for await (const path of filesUnder(ROOT)) {
    // relative to the repository, because a folder above it may have any name
    if (/_test\.tsx?$/.test(path) && !NOT_OURS.test(`/${relative(ROOT, path)}`)) paths.push(path);
  }
  const tags = paths.sort().map(async (path) =>
    tagsOf(relative(ROOT, path), await Deno.readTextFile(path))
  );
  return (await Promise.all(tags)).flat();
}
