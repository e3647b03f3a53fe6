import assert from "node:assert/strict";
import { cyclesOf, readCrates, referencesOf } from "@/tools/rust_modules.ts";

Deno.test("cyclesOf() finds modules that refer to each other, by any way of naming a module", () => {
  const references = referencesOf({
    "lib.rs": "pub mod a;\npub mod b;\nmod c;\npub mod rest;\n",
    "a.rs": "use crate::{b::{Far, near}, rest};\n",
    "b.rs": "pub mod deep;\n\nfn f() {\n    deep::g();\n}\n",
    "b/deep.rs": "fn g() {\n    crate::c::h();\n}\n",
    "c.rs": "use super::a::Thing;\n",
    "rest.rs": '// crate::a is named in a comment only\nconst TEXT: &str = "crate::a::b";\n',
  });
  assert.deepEqual([...references.get("a")!].sort(), ["b", "rest"]);
  assert.deepEqual(cyclesOf(references), [["a", "b", "b::deep", "c"]]);
});

Deno.test("cyclesOf() finds a folder's module that its own parts refer to", () => {
  const references = referencesOf({
    "lib.rs": "mod folder;\n",
    "folder/mod.rs": "mod part;\nuse part::draw;\npub struct Mesh;\n",
    "folder/part.rs": "use super::Mesh;\n",
  });
  assert.deepEqual(cyclesOf(references), [["folder", "folder::part"]]);
});

Deno.test("referencesOf() leaves tests and the declaration of a module out", () => {
  const references = referencesOf({
    "lib.rs": "pub mod a;\npub mod b;\n",
    "a.rs":
      "pub fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use crate::b::g;\n}\n",
    "b.rs": 'use crate::a::f;\n\n#[cfg(test)]\n#[path = "b_tests.rs"]\nmod tests;\n',
    "b_tests.rs": "use crate::b::g;\n",
  });
  assert.deepEqual([...references.get("a")!], []);
  assert.deepEqual([...references.get("")!], []);
  assert.deepEqual(cyclesOf(references), []);
});

Deno.test("no module of the Rust workspace is in a circle", () => {
  const crates = Object.entries(readCrates(new URL("../wasm/", import.meta.url)));
  assert.ok(crates.length >= 8);
  for (const [crate, sources] of crates) {
    const references = referencesOf(sources);
    assert.ok(
      [...references.values()].some((found) => found.size > 0) || references.size < 4,
      crate,
    );
    assert.deepEqual(cyclesOf(references), [], crate);
  }
});
