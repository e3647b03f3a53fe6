/**
 * deno task trace [FILE]: writes the traceability required by IEC 62304 (5.1.1 c, 5.7.4) and IEC
 * 81001-5-1: requirement → design → code → test. A tag in a test names the requirement. Code:
 * modules that the test imports, the file or folder beside it, and folders that it drives by calls,
 * pages or commands. Design: the architecture, decision (docs/adr) or note that names the code.
 * Part of each release; FILE selects another output file.
 */
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { importsOf } from "@/tools/import_cycles.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";
import { readRequirements, type Requirement } from "@/tools/coverage/coverage.ts";
import { readTags } from "@/tools/coverage/tags.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** A requirement with its design, code and tests. */
interface Traced {
  requirement: Requirement;
  design: string[];
  code: string[];
  tests: string[];
}

/** Tools that make a release, which are tested like the product. */
const IS_SUPPLY = /^tools\/(supply|release|coverage|documents)\//;
/** Patterns of helper code of tests and tools, which is not part of the product. */
const isProduct = (path: string) =>
  (IS_SUPPLY.test(path) || !/^(tests|tools|bench)\//.test(path)) &&
  !/_(test|fixture|testing)\.tsx?$/.test(path) && existsSync(`${ROOT}/${path}`);

/** Code that tests drive from outside, by calls, pages or commands, and therefore do not import. */
export const DRIVEN: readonly (readonly [tests: string, code: readonly string[]])[] = [
  ["tests/api/accounts", ["server/core/accounts"]],
  ["tests/api/connections", ["model/connections", "server/core/connections", "server/gate"]],
  ["tests/api/reading", ["server/core/reading"]],
  ["tests/api/report", ["server/core/reports", "server/core/exports", "server/core/norms"]],
  ["tests/api/site", ["server/core/site", "server/core/settings"]],
  ["tests/api/studies", ["server/core/studies", "server/core/analyses"]],
  ["tests/api/worklist", ["server/core/studies"]],
  ["tests/crash", ["server/core/jobs", "server/core/blobs", "server/core/studies/service"]],
  ["tests/database_restart", ["server/core/database", "server/edge/remote"]],
  ["tests/disk_full", ["server/core/blobs", "server/core/studies/service"]],
  ["tests/e2e/accessibility", ["components", "islands"]],
  ["tests/e2e/accounts", ["islands", "routes", "components/administration"]],
  ["tests/e2e/firefox", ["viewer", "components/worklist"]],
  ["tests/e2e/first_patient", ["islands", "viewer", "components/worklist"]],
  ["tests/e2e/presenter_choice", ["viewer/slices"]],
  ["tests/e2e/report", ["report/html", "routes/report"]],
  ["tests/e2e/settings", ["components/header", "components/settings"]],
  ["tests/e2e/states", ["components", "islands"]],
  ["tests/e2e/worklist", ["client/files", "client/tray", "islands", "components/worklist"]],
  ["tests/fuzz", ["server/core/http", "server/core/dicom"]],
  ["tests/golden", ["report"]],
  ["tests/launch", ["server/commands/start"]],
  ["tests/release", ["tools/release"]],
  ["tests/supply", ["tools/supply"]],
  ["tests/viewer", ["islands", "viewer"]],
  ["tools/documents/task_pages", ["model/text"]],
  ["tools/compare_wasm", ["tools/build_wasm.sh", "tools/compare_wasm.sh", "wasm"]],
];
/** Code that a unit test proves: the file of the same name, or else the test's folder. */
function besideOf(path: string): string[] {
  if (/^(tests|bench|tools)\//.test(path)) return [];
  const testedPath = path.replace(/_test(?=\.tsx?$)/, "");
  return [existsSync(`${ROOT}/${testedPath}`) ? testedPath : dirname(path)];
}
const drivenBy = (path: string) =>
  DRIVEN.flatMap(([tests, code]) =>
    path.startsWith(`${tests}/`) || path.startsWith(`${tests}_`) ? code : []
  );

async function designTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of ["docs/architecture.md", "docs/security.md", "docs/adr"]) {
    for await (const path of filesUnder(`${ROOT}/${folder}`)) {
      texts.set(path.slice(ROOT.length + 1), await Deno.readTextFile(path));
    }
  }
  return texts;
}

/**
 * Whether a text names a file or folder: by its whole path;
 * a file also by its own name in backticks.
 */
function names(text: string, path: string): boolean {
  const plain = path.replace(/\.tsx?$/, "");
  for (let at = text.indexOf(plain); at >= 0; at = text.indexOf(plain, at + 1)) {
    const previousChar = text[at - 1] ?? " ", after = text[at + plain.length] ?? " ";
    // a match ends at the name: `core/api` does not match `core/api/studies`, nor a longer word
    if (!/[\w/-]/.test(previousChar) && /[^\w/-]|\//.test(after)) return true;
  }
  return plain !== path && text.includes(`\`${basename(path)}\``);
}

/**
 * Design documents of a file or folder:
 * those that name it, or else its nearest named parent folder.
 */
function designOf(path: string, texts: ReadonlyMap<string, string>): string[] {
  for (let at = path; at !== "."; at = dirname(at)) {
    const readme = `${at}/README.md`, found = [...texts].filter(([, text]) => names(text, at));
    const designTexts = [
      ...found.map(([name]) => name),
      ...(existsSync(`${ROOT}/${readme}`) ? [readme] : []),
    ];
    if (designTexts.length > 0) return designTexts;
  }
  return [];
}

/** Trace of every requirement, in the order of docs/requirements.json. */
export async function trace(): Promise<Traced[]> {
  const [sections, tags, texts] = await Promise.all([
    readRequirements(),
    readTags(),
    designTexts(),
  ]);
  const codeOf = new Map<string, string[]>();
  for (const path of new Set(tags.map((tag) => tag.path))) {
    const imported = importsOf(path, await Deno.readTextFile(`${ROOT}/${path}`)).filter(isProduct);
    codeOf.set(path, [...imported, ...besideOf(path), ...drivenBy(path)]);
  }
  return sections.flatMap(({ requirements }) => requirements).map((requirement) => {
    const ownTags = tags.filter(({ ids }) => ids.includes(requirement.id));
    const tests = [
      ...new Set(ownTags.map(({ path, test }) => test === null ? path : `${path}: "${test}"`)),
    ];
    const code = [...new Set(ownTags.flatMap(({ path }) => codeOf.get(path) ?? []))].sort();
    const design = [...new Set(code.flatMap((path) => designOf(path, texts)))].sort();
    return { requirement, tests, code, design };
  });
}

/**
 * Gaps in the trace, one per line: a requirement
 * without a test or a reason, a test without code or design.
 */
export const gapsOf = (traced: readonly Traced[]): string[] =>
  traced.flatMap(({ requirement: { id, instead }, design, code, tests }) => {
    if (tests.length === 0) return instead ? [] : [`${id} has no test and no reason`];
    const missing = [
      ...(code.length === 0 ? ["code"] : []),
      ...(design.length === 0 ? ["design"] : []),
    ];
    return missing.map((what) => `${id} leads to no ${what}, by ${tests.join(", ")}`);
  });

const cell = (text: string) =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll(/\s+/g, " ");

/** Traceability document as Markdown. */
export function traceDocument(traced: readonly Traced[]): string {
  const rows = traced.map(({ requirement: { id, says, instead }, design, code, tests }) => {
    const proof = tests.length > 0 ? tests.join("<br>") : `no test: ${instead ?? ""}`;
    return `| ${id} | ${cell(says)} | ${design.join("<br>")} | ${code.join("<br>")} | ${
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
