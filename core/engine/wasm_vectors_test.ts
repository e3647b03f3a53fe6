import assert from "node:assert/strict";
import { ERRORS } from "@/model/errors.ts";
import { error_codes, initSync, test_vector, version } from "@/wasm/pkg/engine/bind_engine.js";

const root = new URL("../../", import.meta.url);
initSync({ module: Deno.readFileSync(new URL("wasm/pkg/engine/bind_engine_bg.wasm", root)) });

/** Lines "name seed number…", written by the native build. */
const stored = Deno.readTextFileSync(new URL("wasm/analysis/tests/golden/vectors.txt", root))
  .trimEnd().split("\n").map((line) => line.split(" "));

for (const [name, seed, ...numbers] of stored) {
  Deno.test(`the WebAssembly build reproduces the native figures of ${name}, seed ${seed}`, () => {
    const got = test_vector(name!, Number(seed));
    assert.equal(got.length, numbers.length);
    numbers.forEach((text, i) => {
      const want = Number(text);
      assert.ok(Math.abs(got[i]! - want) <= 1e-6 * Math.max(1e-3, Math.abs(want)), `${i}: ${got[i]} ${want}`);
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
