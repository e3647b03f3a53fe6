// Checks that the server's only thread never parses files of others: no import leads from the
// server's program to a DICOM parser; a worker or another process parses.
import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path/posix";

const ROOT = new URL("..", import.meta.url).pathname;
/** Programs with a single thread that serves requests: the core and the start command. */
const PROGRAMS = ["server/core/mod.ts", "server/commands/start/start.ts"];
/** Package that all readers of DICOM elements use. */
const PARSER = "dicom-parser";
/** Files that may import the parser, each with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  "server/core/dicom/worker/read_results.ts":
    "loaded by a context without a reader, as tests and `analyze` have it; a site always has one",
  "server/core/dicom/read/own_file.ts":
    "reads objects that this program has just written, for answers of DICOMweb",
};

const IMPORT = /(?:^|\n)(import|export)\s+(type\s+)?([^"';]*?)\bfrom\s*"([^"]+)"/g;
const PLAIN_IMPORT = /(?:^|\n)import\s*"([^"]+)"/g;
const LATER_IMPORT = /\bimport\(\s*"([^"]+)"\s*\)/g;

/** Modules that a file imports at load or later; imports of types only are left out. */
function valueImports(path: string, source: string): string[] {
  const specifiers = [...source.matchAll(IMPORT)].flatMap(([, , type, names, specifier]) => {
    const inBraces = /^\{([\s\S]*)\}$/.exec(names!.trim())?.[1];
    const isTypes = type !== undefined || (inBraces !== undefined && inBraces.split(",")
      .filter((name) => name.trim() !== "").every((name) => /^\s*type\s/.test(name)));
    return isTypes ? [] : [specifier!];
  });
  for (const form of [PLAIN_IMPORT, LATER_IMPORT]) {
    specifiers.push(...[...source.matchAll(form)].map(([, specifier]) => specifier!));
  }
  return specifiers.map((specifier) =>
    specifier.startsWith("@/")
      ? specifier.slice(2)
      : specifier.startsWith(".")
      ? normalize(join(dirname(path), specifier))
      : specifier
  );
}

/** Imports of each file of the repository, read once; `given` replaces sources of files. */
function sourcesOf(given: Readonly<Record<string, string>>) {
  const imports = new Map<string, string[]>();
  return (path: string): string[] => {
    let all = imports.get(path);
    if (all === undefined) {
      const isOurs = /\.tsx?$/.test(path) && /^(server|model|report|client)\//.test(path);
      all = isOurs ? valueImports(path, given[path] ?? Deno.readTextFileSync(ROOT + path)) : [];
      imports.set(path, all);
    }
    return all;
  };
}

/** Import paths from a program to the parser, as "a → b"; allowed files are not followed. */
function waysToParser(
  program: string,
  allowed: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>> = {},
): string[] {
  const importsOf = sourcesOf(given), from = new Map<string, string>([[program, ""]]);
  const queue = [program], ways: string[] = [];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const target of importsOf(path)) {
      if (target === PARSER) {
        const way = [path];
        while (from.get(way[0]!) !== "") way.unshift(from.get(way[0]!)!);
        ways.push(way.join(" → "));
      }
      if (from.has(target) || Object.hasOwn(allowed, target)) continue;
      from.set(target, path);
      queue.push(target);
    }
  }
  return ways;
}

for (const program of PROGRAMS) {
  Deno.test(`no parser of DICOM is on the thread of ${program}`, () => {
    assert.deepEqual(waysToParser(program, ALLOWED), []);
  });
}

Deno.test("a file that is allowed to parse on the server's thread still needs to be", () => {
  for (const [path, reason] of Object.entries(ALLOWED)) {
    const { [path]: _, ...others } = ALLOWED;
    assert.ok(reason.length > 20, path);
    assert.ok(PROGRAMS.some((program) => waysToParser(program, others).length > 0), path);
  }
});

Deno.test("the walk finds a parser behind types, later imports and other names", () => {
  const sources = {
    "server/a.ts": 'import { type X, y } from "@/server/b.ts";\nimport type { Z } from "./d.ts";',
    "server/b.ts": 'export const y = () => import("./c.ts");',
    "server/c.ts": 'import parser, { type DataSet } from "dicom-parser";',
    "server/d.ts": 'import parser from "dicom-parser";',
  };
  assert.deepEqual(waysToParser("server/a.ts", {}, sources), [
    "server/a.ts → server/b.ts → server/c.ts",
  ]);
  const typesAlone = { "server/a.ts": 'import { type A, type B } from "dicom-parser";' };
  assert.deepEqual(waysToParser("server/a.ts", {}, typesAlone), []);
});
