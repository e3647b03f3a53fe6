import assert from "node:assert/strict";

const read = async (name: string) =>
  JSON.parse(await Deno.readTextFile(new URL(`../${name}`, import.meta.url)));

Deno.test("tsconfig.json tells other tools the same as deno.json", async () => {
  const deno = await read("deno.json"), { compilerOptions } = await read("tsconfig.json");
  assert.deepEqual(deno.imports, { "@/": "./" });
  assert.deepEqual(compilerOptions.paths, { "@/*": ["./*"] });
  for (
    const option of [
      "jsx",
      "jsxImportSource",
      "strict",
      "noUncheckedIndexedAccess",
      "noImplicitOverride",
    ]
  ) {
    assert.equal(compilerOptions[option], deno.compilerOptions[option], option);
  }
});
