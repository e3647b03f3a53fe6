import assert from "node:assert/strict";

const SCRIPT = new URL("./compare_wasm.sh", import.meta.url).pathname;
const TOOLS = "rustc 1.0.0\n";

/** Writes two builds of files by name and compares them. */
async function compare(committed: Record<string, string>, built: Record<string, string>) {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, files] of Object.entries({ committed, built })) {
      await Deno.mkdir(`${folder}/${name}`);
      for (const [file, text] of Object.entries(files)) {
        await Deno.writeTextFile(`${folder}/${name}/${file}`, text);
      }
    }
    const args = [SCRIPT, `${folder}/committed`, `${folder}/built`];
    const { code, stdout, stderr } = await new Deno.Command("bash", { args }).output();
    return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

// covers: S-110
Deno.test("compare_wasm.sh fails for one byte that the same tools did not give, and names the file", async () => {
  const committed = { "toolchain.txt": TOOLS, "engine.wasm": "\0asm1" };
  assert.deepEqual(await compare(committed, committed), {
    code: 0,
    said: "wasm/pkg is what wasm/ gives, byte for byte\n",
  });
  const changed = await compare(committed, { ...committed, "engine.wasm": "\0asm2" });
  assert.equal(changed.code, 1);
  assert.match(changed.said, /engine\.wasm/);
  // an additional file is a difference too
  assert.equal((await compare(committed, { ...committed, "more.js": "" })).code, 1);
});

Deno.test("compare_wasm.sh says that builds of other tools cannot be compared, and takes none that names no tools", async () => {
  const committed = { "toolchain.txt": TOOLS, "engine.wasm": "\0asm1" };
  const other = await compare(committed, {
    "toolchain.txt": "rustc 1.0.1\n",
    "engine.wasm": "\0asm2",
  });
  assert.equal(other.code, 0);
  assert.match(other.said, /1\.0\.1[\s\S]*cannot be compared/);
  assert.equal((await compare({ "engine.wasm": "\0asm1" }, committed)).code, 1);
});

Deno.test("the committed WebAssembly names its tools", async () => {
  const text = await Deno.readTextFile(new URL("../wasm/pkg/toolchain.txt", import.meta.url));
  assert.match(text, /^rustc \d+\.\d+\.\d+ /m);
  assert.match(text, /^wasm-bindgen \d+/m);
});
