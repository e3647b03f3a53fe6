import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { dirname, relative } from "node:path";
import { filesUnder } from "@/tools/pages/source_files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MOST = 25;
const NOT_OURS = /(^|\/)(node_modules|target|pkg|build|data|results)\//;

Deno.test("no room has more files of code than a stranger looks through", async () => {
  const counts = new Map<string, number>(), code: string[] = [];
  for (const { name, isDirectory } of Deno.readDirSync(ROOT)) {
    if (!isDirectory || name.startsWith(".") || NOT_OURS.test(`${name}/`)) continue;
    code.push(...await Array.fromAsync(filesUnder(ROOT + name)));
  }
  for (const path of code.map((path) => relative(ROOT, path))) {
    if (NOT_OURS.test(path) || !/\.(tsx?|rs|md)$/.test(path)) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  assert.deepEqual([...counts].filter(([, count]) => count > MOST), []);
});
