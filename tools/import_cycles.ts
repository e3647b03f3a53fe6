// Finds import cycles, of values and of types.
// `deno run --allow-read tools/import_cycles.ts` prints them.
import { dirname, join, normalize, relative } from "node:path/posix";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const NOT_OURS = /^(node_modules|static|wasm|data|tests|bench)$|^\./;

/**
 * Repository paths of the TypeScript files that ship;
 * tests import across layers and no file imports tests.
 */
async function sourceFiles(folder = ROOT): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory && !NOT_OURS.test(entry.name)) files.push(...await sourceFiles(path));
    else if (/(?<!_test|\.d)\.tsx?$/.test(entry.name)) files.push(relative(ROOT, path));
  }
  return files;
}

const IMPORT = /(?:^|\n)(?:import|export)\b[^"';]*?\bfrom\s*"([^"]+)"|(?:^|\n)import\s*"([^"]+)"/g;

/**
 * Repository paths that a file imports on load, including types;
 * a dynamic `import()` is not counted.
 */
export function importsOf(path: string, source: string): string[] {
  return [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2]!)
    .filter((specifier) => specifier.startsWith("@/") || specifier.startsWith("."))
    .map((specifier) =>
      specifier.startsWith("@/") ? specifier.slice(2) : normalize(join(dirname(path), specifier))
    );
}

/**
 * Groups of files that import one another in a cycle (Tarjan 1972, strongly connected components).
 *
 * @param imports Imported paths of each file; paths that are not a key count as leaves.
 */
export function importCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>(), low = new Map<string, number>();
  const stack: string[] = [], onStack = new Set<string>(), cycles: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    stack.push(path);
    onStack.add(path);
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (onStack.has(target)) low.set(path, Math.min(low.get(path)!, low.get(target)!));
    }
    if (low.get(path) !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    for (const member of group) onStack.delete(member);
    if (group.length > 1) cycles.push(group.sort());
  };
  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return cycles;
}

/** Finds all import cycles of the repository. */
export async function repositoryCycles(): Promise<string[][]> {
  const imports = new Map<string, string[]>();
  for (const path of await sourceFiles()) {
    imports.set(path, importsOf(path, await Deno.readTextFile(`${ROOT}/${path}`)));
  }
  return importCycles(imports);
}

if (import.meta.main) {
  const cycles = await repositoryCycles();
  for (const cycle of cycles) console.error(`Import cycle: ${cycle.join(", ")}`);
  Deno.exit(cycles.length > 0 ? 1 : 0);
}
