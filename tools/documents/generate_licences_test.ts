import assert from "node:assert/strict";
import { licenseItems } from "@/server/core/site/service/about.ts";
import {
  COMPILED_IN,
  lockedPackages,
  NETWORKS,
  toLink,
} from "@/tools/documents/generate_licences.ts";

const textOf = (path: string) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url));

// covers: D1-7.15
Deno.test("docs/licences.md lists the networks and the packages of both lock files, each with a licence, and nothing else", async () => {
  const listed = licenseItems(await textOf("docs/licences.md"));
  const crates = [
    ...(await textOf("wasm/Cargo.lock")).matchAll(/name = "(.+)"\nversion = "(.+)"\nsource/g),
  ];
  const locked = [
    ...NETWORKS.map(({ name, version }) => `${name} ${version}`),
    ...lockedPackages(await textOf("deno.lock")).map(({ name, version }) => `${name} ${version}`),
    ...crates.map(([, name, version]) => `${name} ${version}`),
  ];
  assert.deepEqual(listed.map(({ name }) => name).sort(), locked.sort(), "run: deno task licences");
  for (const { name, license_type } of listed) assert.notEqual(license_type, "", name);
});

Deno.test("toLink() makes addresses of what registries call a repository", () => {
  assert.equal(toLink("owner/name"), "https://github.com/owner/name");
  assert.equal(toLink({ url: "git+https://github.com/a/b.git" }), "https://github.com/a/b");
  assert.equal(toLink("git://host.test/a"), "https://host.test/a");
  assert.equal(toLink("git+ssh://git@github.com/a/b.git"), "https://github.com/a/b");
  assert.equal(toLink(undefined), "");
});

Deno.test("lockedPackages() reads names, versions without what they were resolved with, and each once", () => {
  const npm = {
    "@scope/name@1.2.3_other@4.0.0": {},
    "@scope/name@1.2.3_other@5.0.0": {},
    "string_decoder@1.1.1": {},
    "native@1.0.0": { os: ["win32"] },
  };
  assert.deepEqual(lockedPackages(JSON.stringify({ npm })), [
    { name: "@scope/name", version: "1.2.3" },
    { name: "string_decoder", version: "1.1.1" },
  ]);
});

Deno.test("a library that a package holds as WebAssembly is listed with its licence, whose text a release brings", async () => {
  const listed = licenseItems(await textOf("docs/licences.md"));
  for (const [name, { library, licence }] of Object.entries(COMPILED_IN)) {
    const row = listed.find((each) => each.name.startsWith(`${name} `));
    assert.equal(row?.license_type, `MIT AND ${licence}`, name);
    const text = await textOf(`tools/release/licences/${library.toLowerCase()}.LICENSE`);
    assert.ok(
      text.startsWith(`${library}, which ${name} holds`) && /Copyright \(c\) \d{4}/.test(text),
      name,
    );
  }
});
