import assert from "node:assert/strict";
import {
  COMPILED_IN,
  lockedPackages,
  NETWORKS,
  toLink,
} from "@/tools/documents/generate_licences.ts";
import { LICENCES_FILE, licencesText, readLicences } from "@/tools/documents/licence_list.ts";
import { licencesPage } from "@/tools/documents/reference/licences.ts";

const textOf = (path: string) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url));

// covers: D1-7.15
Deno.test("docs/licences.json lists the networks and the packages of both lock files, each with a licence, and nothing else", async () => {
  const { networks, packages, crates: listedCrates } = readLicences();
  const listed = [...networks, ...packages, ...listedCrates];
  const crates = [
    ...(await textOf("wasm/Cargo.lock")).matchAll(/name = "(.+)"\nversion = "(.+)"\nsource/g),
  ];
  const locked = [
    ...NETWORKS.map(({ name, version }) => `${name} ${version}`),
    ...lockedPackages(await textOf("deno.lock")).map(({ name, version }) => `${name} ${version}`),
    ...crates.map(([, name, version]) => `${name} ${version}`),
  ];
  const named = listed.map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(named.sort(), locked.sort(), "run: deno task licences");
  const page = licencesPage();
  for (const { name, version, licence } of listed) {
    assert.notEqual(licence, "", name);
    assert.ok(page.includes(`| ${name} | ${version} | ${licence} |`), name);
  }
  assert.equal(await Deno.readTextFile(LICENCES_FILE), licencesText(readLicences()));
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
  const { packages } = readLicences();
  for (const [name, { library, licence }] of Object.entries(COMPILED_IN)) {
    const row = packages.find((listed) => listed.name === name);
    assert.equal(row?.licence, `MIT AND ${licence}`, name);
    const text = await textOf(`tools/release/licences/${library.toLowerCase()}.LICENSE`);
    assert.ok(
      text.startsWith(`${library}, which ${name} holds`) && /Copyright \(c\) \d{4}/.test(text),
      name,
    );
  }
});
