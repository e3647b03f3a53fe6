import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "./lint_layers.ts";
import { isProduct, LONG_FUNCTIONS, MOST_LINES } from "./long_functions.ts";

/** Size of the list, which may only become smaller: lower it when a function is split. */
const MOST_LONG_FUNCTIONS = 78;

const at = (path: string) => fileURLToPath(new URL("../" + path, import.meta.url));
/** Names of the functions in a source that the lint rule refuses. */
const refused = (path: string, code: string) =>
  Deno.lint.runPlugin(plugin, at(path), code)
    .filter(({ id }) => id === "sulcus/long-functions")
    .map(({ message }) => message.split(" has ")[0]);
/** A function body with the given number of lines. */
const body = (lines: number) => "  f();\n".repeat(lines);

Deno.test("lint rule refuses functions longer than a screen, by whatever syntax they are written", () => {
  const code = [
    `function declared() {\n${body(MOST_LINES)}}`,
    `const arrow = () => {\n${body(MOST_LINES)}};`,
    `const wrapped = memo(() => {\n${body(MOST_LINES)}});`,
    `const object = { method() {\n${body(MOST_LINES)}}, short() {\n${body(MOST_LINES - 2)}} };`,
    `class A { #member() {\n${body(MOST_LINES)}} }`,
    `export default function () {\n${body(MOST_LINES)}}`,
    `function fits() {\n${body(MOST_LINES - 2)}}`,
  ].join("\n");
  const names = ["declared", "arrow", "wrapped", "method", "member", "this function"];
  assert.deepEqual(refused("model/errors.ts", code), names);
  assert.deepEqual(refused("model/errors_test.ts", code), []);
  assert.deepEqual(refused("tests/sites/until.ts", code), []);
});

Deno.test("each function in the list of long ones is still long, and the list does not grow", async () => {
  for (const [path, names] of Object.entries(LONG_FUNCTIONS)) {
    assert.ok(isProduct(path), path);
    // linted under a path that is not in the list, so that the rule applies
    const found = refused(`model/${path}`, await Deno.readTextFile(at(path)));
    const missing = names.filter((name) => !found.includes(name || "this function"));
    assert.deepEqual(
      missing,
      [],
      `${path}: no longer too long, remove from tools/long_functions.ts`,
    );
  }
  const count = Object.values(LONG_FUNCTIONS).flat().length;
  assert.equal(count, MOST_LONG_FUNCTIONS);
});
