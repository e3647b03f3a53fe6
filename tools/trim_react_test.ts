import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as esbuild from "esbuild";
import { asModule, trimRenderer, withoutCases, withStub } from "@/tools/trim_react.ts";

const SWITCH = `function f(fiber) {
  switch (fiber.tag) {
    case 5:
    case 27:
      var a = 1;
      return a;
    case 26:
      var b = 2;
      return b;
    default:
      return (b = 3);
  }
}`;

/** What a source answers for a tag. */
const answer = (source: string, tag: number): unknown =>
  new Function(`${source}; return f({ tag: ${tag} });`)();

Deno.test("withoutCases() leaves the other cases as they are, and what they use of the others", () => {
  const cut = withoutCases(SWITCH, /(^|\.)tag$/, ["26", "27"]);
  assert.deepEqual([5, 7].map((tag) => answer(cut, tag)), [5, 7].map((tag) => answer(SWITCH, tag)));
  assert.equal(cut.includes("case 27:"), false);
});

Deno.test("withoutCases() refuses a case that the one before it goes on into", () => {
  assert.throws(() => withoutCases(SWITCH.replace("return a;", "a++;"), /tag$/, ["26"]), /goes on into it/);
});

Deno.test("withStub() replaces one function, and refuses a name that it does not find", () => {
  assert.equal(answer(withStub(SWITCH, "f", "return 0;"), 5), 0);
  assert.throws(() => withStub(SWITCH, "g", ""), /there is not one/);
});

const RENDERER = new URL(
  "../node_modules/react-dom/cjs/react-dom-client.production.js",
  import.meta.url,
);

/** Names that a bundled source uses without declaring them. */
async function freeNames(source: string): Promise<Set<string>> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: asModule(source), loader: "js", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: "esm",
    minifySyntax: true,
    external: ["react", "react-dom", "scheduler"],
  });
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeFile(file, outputFiles[0]!.contents);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["lint", "--no-config", "--json", "--rules-tags=", "--rules-include=no-undef", file],
      stderr: "null",
    }).output();
    const { diagnostics } = JSON.parse(new TextDecoder().decode(stdout)) as {
      diagnostics: { message: string }[];
    };
    return new Set(diagnostics.map(({ message }) => message));
  } finally {
    await Deno.remove(file);
    await esbuild.stop();
  }
}

Deno.test({
  name: "trimRenderer() takes out nothing that what stays refers to",
  ignore: !existsSync(RENDERER),
  async fn() {
    const source = await Deno.readTextFile(RENDERER);
    const before = await freeNames(source), after = await freeNames(trimRenderer(source));
    assert.ok(before.size > 0);
    assert.deepEqual([...after].filter((name) => !before.has(name)), []);
  },
});
