// Finds import cycles between the modules of a Rust crate, for which the compiler has no lint.
// Prints each cycle and fails if there is one.
import { fileURLToPath } from "node:url";

/** Source texts of a crate's files, by path below `src/`: `flair/rules.rs`. */
type CrateSources = Readonly<Record<string, string>>;

/** Module path of a file within its crate: `flair::rules`; the crate's root is the empty string. */
type ModulePath = string;

function moduleOf(path: string): ModulePath {
  const parts = path.replace(/\.rs$/, "").split("/");
  if (["mod", "lib", "main"].includes(parts.at(-1)!)) parts.pop();
  return parts.join("::");
}

const isTestFile = (path: string) => /(^|\/|_)tests?\.rs$/.test(path);

/**
 * Returns a source without comments, strings and test code.
 * Relies on the indentation of rustfmt.
 */
function shippedCode(source: string): string {
  return source
    .replace(/\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replace(
      /^( *)#\[cfg\(test\)\]\n(?:\1#\[.*\n)*\1[^\n]*(?:;|\{\n(?:(?:\1 +.*)?\n)*?\1\})$/gm,
      "",
    );
}

/** Expands the paths in a `use` tree: `a::{b, c::{d, self}}` gives `a::b`, `a::c::d` and `a::c`. */
function flatten(tree: string): string[] {
  const open = tree.indexOf("{");
  if (open < 0) return [tree.replace(/\s+as\s+\w+$/, "").trim()];
  const prefix = tree.slice(0, open).trim(), inner = tree.slice(open + 1, tree.lastIndexOf("}"));
  const parts: string[] = [];
  let depth = 0, from = 0;
  for (let at = 0; at <= inner.length; at++) {
    const c = inner[at];
    if (c === "{") depth++;
    else if (c === "}") depth--;
    else if ((c === "," && depth === 0) || c === undefined) {
      if (inner.slice(from, at).trim()) parts.push(inner.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.flatMap(flatten).map((path) => prefix + path);
}

/**
 * For each module of a crate, the modules that it refers to, outside of tests.
 * The declaration of a submodule is not a reference.
 */
export function referencesOf(sources: CrateSources): Map<ModulePath, Set<ModulePath>> {
  const files = Object.keys(sources).filter((path) => !isTestFile(path));
  const modules = new Set(files.map(moduleOf));
  const references = new Map<ModulePath, Set<ModulePath>>();
  for (const file of files) {
    const ownModule = moduleOf(file),
      code = shippedCode(sources[file]!),
      found = new Set<ModulePath>();
    const children = [...code.matchAll(/^\s*(?:pub(?:\(\w+\))? )?mod (\w+);/gm)].map((m) => m[1]!);
    const add = (path: string) => {
      let names = path.split("::").map((name) => name.trim());
      const base = ownModule === "" ? [] : ownModule.split("::");
      if (names[0] === "crate") names = names.slice(1);
      else if (names[0] === "self") names = [...base, ...names.slice(1)];
      else if (names[0] === "super") {
        while (names[0] === "super") {
          base.pop();
          names.shift();
        }
        names = [...base, ...names];
      } else if (children.includes(names[0]!)) names = [...base, ...names];
      else return;
      while (names.length > 0 && !modules.has(names.join("::"))) names.pop();
      const target = names.join("::");
      if (target !== ownModule && modules.has(target)) found.add(target);
    };
    // in an inline module, `super` is the file itself
    const flat = code.replace(
      /^( *)mod \w+ \{\n(?:(?:\1 +.*)?\n)*?\1\}$/gm,
      (body) => body.replaceAll("super::", ""),
    );
    for (const m of flat.matchAll(/^\s*(?:pub(?:\([\w ]+\))? )?use ([^;]+);/gm)) {
      flatten(m[1]!).forEach(add);
    }
    const withoutUses = flat.replace(/^\s*(?:pub(?:\([\w ]+\))? )?use [^;]+;/gm, "");
    for (const m of withoutUses.matchAll(/(?<![\w:])(?:\w+::)+\w+/g)) add(m[0]);
    references.set(ownModule, found);
  }
  return references;
}

/**
 * Groups of modules that refer to each other in a cycle.
 * @returns Each group once, with sorted modules; empty if there are no cycles.
 */
export function cyclesOf(
  references: ReadonlyMap<ModulePath, ReadonlySet<ModulePath>>,
): ModulePath[][] {
  const reach = (from: ModulePath) => {
    const reached = new Set<ModulePath>(), open = [...references.get(from) ?? []];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (reached.has(path)) continue;
      reached.add(path);
      open.push(...references.get(path) ?? []);
    }
    return reached;
  };
  const reached = new Map([...references.keys()].map((module) => [module, reach(module)]));
  const groups = new Map<string, ModulePath[]>();
  for (const [module, seen] of reached) {
    if (!seen.has(module)) continue;
    const group = [...seen].filter((other) => reached.get(other)?.has(module)).sort();
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}

/** Source files of every crate of the workspace, by crate name. */
export function readCrates(workspace: URL): Record<string, CrateSources> {
  const crates: Record<string, CrateSources> = {};
  for (const entry of Deno.readDirSync(workspace)) {
    const src = new URL(`${entry.name}/src/`, workspace), sources: Record<string, string> = {};
    const visit = (folder: URL, prefix: string) => {
      for (const { name, isDirectory } of Deno.readDirSync(folder)) {
        if (isDirectory) visit(new URL(`${name}/`, folder), `${prefix}${name}/`);
        else if (name.endsWith(".rs")) {
          sources[prefix + name] = Deno.readTextFileSync(new URL(name, folder));
        }
      }
    };
    try {
      visit(src, "");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
        throw error;
      }
      continue;
    }
    crates[entry.name] = sources;
  }
  return crates;
}

if (import.meta.main) {
  const workspace = new URL("../wasm/", import.meta.url);
  const lines = Object.entries(readCrates(workspace)).flatMap(([crate, sources]) =>
    cyclesOf(referencesOf(sources)).map((cycle) =>
      `${crate}: ${cycle.map((m) => m || "the root").join(", ")}`
    )
  );
  const text = lines.length === 0
    ? "No cycles between Rust modules"
    : `Modules of ${fileURLToPath(workspace)} that refer to each other:\n${lines.join("\n")}`;
  Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
  Deno.exit(lines.length === 0 ? 0 : 1);
}
