import assert from "node:assert/strict";
import { ERRORS } from "@/model/errors.ts";
import { error_codes, initSync, version } from "@/wasm/pkg/engine/bind_engine.js";
import { initSync as initTests, test_vector } from "@/wasm/pkg/tests/bind_tests.js";

const root = new URL("../../../", import.meta.url);
initSync({ module: Deno.readFileSync(new URL("wasm/pkg/engine/bind_engine_bg.wasm", root)) });
initTests({ module: Deno.readFileSync(new URL("wasm/pkg/tests/bind_tests_bg.wasm", root)) });

/** Lines "name seed number…", written by the native build. */
const stored = Deno.readTextFileSync(new URL("wasm/analysis/tests/golden/vectors.txt", root))
  .trimEnd().split("\n").map((line) => line.split(" "));

for (const [name, seed, ...numbers] of stored) {
  Deno.test(`the WebAssembly build reproduces the native figures of ${name}, seed ${seed}`, () => {
    const got = test_vector(name!, Number(seed));
    assert.equal(got.length, numbers.length);
    numbers.forEach((text, i) => {
      const want = Number(text);
      assert.ok(
        Math.abs(got[i]! - want) <= 1e-6 * Math.max(1e-3, Math.abs(want)),
        `${i}: ${got[i]} ${want}`,
      );
    });
  });
}

Deno.test("error_codes() are keys of the error table", () => {
  const codes = error_codes().split(",");
  assert.ok(codes.length > 1);
  for (const code of codes) assert.ok(Object.hasOwn(ERRORS, code), code);
});

Deno.test("version() is the workspace's", () => {
  const manifest = Deno.readTextFileSync(new URL("wasm/Cargo.toml", root));
  assert.equal(version(), /^version = "(.+)"$/m.exec(manifest)?.[1]);
});

Deno.test("the engine ships neither test vectors nor benchmarks", () => {
  const names = WebAssembly.Module.exports(
    new WebAssembly.Module(Deno.readFileSync(new URL("wasm/pkg/engine/bind_engine_bg.wasm", root))),
  ).map(({ name }) => name);
  assert.ok(names.includes("engine_analyze"));
  assert.deepEqual(names.filter((name) => /vector|multiply|operations/.test(name)), []);
});
