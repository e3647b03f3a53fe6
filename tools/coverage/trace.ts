/**
 * deno task trace [FILE]: the trace that IEC 62304 (5.1.1 c, 5.7.4) and IEC 81001-5-1 ask for, requirement → design → code →
 * test, from the tags of the tests: the code is what a tagged test imports, the design what names that code among the
 * architecture, the decisions (docs/adr) and the notes beside it. Written into each release, or into FILE.
 */
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { importsOf } from "@/tools/import_cycles.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";
import { readRequirements, type Requirement } from "@/tools/coverage/coverage.ts";
import { readTags } from "@/tools/coverage/tags.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** A requirement with what it became. */
interface Traced {
  requirement: Requirement;
  design: string[];
  code: string[];
  tests: string[];
}

/** What tests and tools are made with is no part of the product. */
const isProduct = (path: string) =>
  !/^(tests|tools|bench)\/|_(test|fixture|testing)\.tsx?$/.test(path) && existsSync(`${ROOT}/${path}`);

async function designTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of ["docs/architecture.md", "docs/security.md", "docs/adr"]) {
    for await (const path of filesUnder(`${ROOT}/${folder}`)) {
      texts.set(path.slice(ROOT.length + 1), await Deno.readTextFile(path));
    }
  }
  return texts;
}

/** Where a file's design stands: documents that name it, its folder or its layer; a README beside it. */
function designOf(path: string, texts: ReadonlyMap<string, string>): string[] {
  const plain = path.replace(/\.tsx?$/, ""),
    folder = dirname(path),
    readme = `${folder}/README.md`.replace(/^\.\//, "");
  const named = [...texts].filter(([, text]) =>
    text.includes(plain) || text.includes(`\`${basename(path)}\``)
  );
  const near = named.length > 0 ? named : [...texts].filter(([, text]) => text.includes(folder));
  return [...near.map(([name]) => name), ...(existsSync(`${ROOT}/${readme}`) ? [readme] : [])];
}

/** Every requirement, in the order of docs/requirements.json. */
export async function trace(): Promise<Traced[]> {
  const [sections, tags, texts] = await Promise.all([readRequirements(), readTags(), designTexts()]);
  const codeOf = new Map<string, string[]>();
  for (const path of new Set(tags.map((tag) => tag.path))) {
    codeOf.set(path, importsOf(path, await Deno.readTextFile(`${ROOT}/${path}`)).filter(isProduct));
  }
  return sections.flatMap(({ requirements }) => requirements).map((requirement) => {
    const own = tags.filter(({ ids }) => ids.includes(requirement.id));
    const tests = [...new Set(own.map(({ path, test }) => test === null ? path : `${path}: "${test}"`))];
    const code = [...new Set(own.flatMap(({ path }) => codeOf.get(path) ?? []))].sort();
    // the layers' own description stands for what nothing else names, a test in a browser for the whole of them
    const design = [...new Set(code.flatMap((path) => designOf(path, texts)))].sort();
    return { requirement, tests, code, design: design.length > 0 ? design : ["docs/architecture.md"] };
  });
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll(/\s+/g, " ");

/** The trace as one document. */
export function traceDocument(traced: readonly Traced[]): string {
  const rows = traced.map(({ requirement: { id, says, instead }, design, code, tests }) => {
    const proof = tests.length > 0 ? tests.join("<br>") : `no test: ${instead ?? ""}`;
    const parts = code.length > 0 ? code : tests.length > 0 ? ["the whole site, by its pages"] : [];
    return `| ${id} | ${cell(says)} | ${design.join("<br>")} | ${parts.join("<br>")} | ${
      proof.replaceAll("|", "\\|")
    } |`;
  });
  return `# Trace: requirement, design, code, test

Written by \`deno task trace\` from docs/requirements.json and the tags of the tests; do not edit.

| Requirement | Says | Design | Code | Test |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

if (import.meta.main) {
  const file = Deno.args[0] ?? "trace.md", traced = await trace();
  await Deno.writeTextFile(file, traceDocument(traced));
  const without = traced.filter(({ tests }) => tests.length === 0).length;
  Deno.stdout.writeSync(
    new TextEncoder().encode(
      `${traced.length} requirements in ${file}, ${without} of them without a test, with the reason\n`,
    ),
  );
}
