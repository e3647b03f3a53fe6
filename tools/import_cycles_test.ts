import assert from "node:assert/strict";
import { importCycles, importsOf, repositoryCycles } from "@/tools/import_cycles.ts";

Deno.test("importsOf() reads values, types and re-exports, and no import() of a later moment", () => {
  const source = `import assert from "node:assert";
import type { A } from "@/model/a.ts";
import {
  b,
} from "./b.ts";
export { c } from "../c.ts";
import "@/d.ts";
const late = () => import("@/late.ts");
`;
  assert.deepEqual(importsOf("client/page/x.ts", source), [
    "model/a.ts",
    "client/page/b.ts",
    "client/c.ts",
    "d.ts",
  ]);
});

Deno.test("importCycles() names every file of each circle, and no file beside one", () => {
  const imports = new Map([
    ["a", ["b"]],
    ["b", ["c", "leaf"]],
    ["c", ["a", "x"]],
    ["x", ["y"]],
    ["y", ["x"]],
    ["alone", ["a"]],
  ]);
  assert.deepEqual(importCycles(imports), [["x", "y"], ["a", "b", "c"]]);
});

Deno.test("no files of the repository import one another in a circle", async () => {
  assert.deepEqual(await repositoryCycles(), []);
});
