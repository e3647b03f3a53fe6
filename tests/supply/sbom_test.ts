// covers: S-116
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { lockedPackages } from "@/tools/documents/generate_licences.ts";
import { makeSbom, makeVex, readAdvisories } from "@/tools/supply/sbom.ts";

const require = createRequire(import.meta.url);
const SCHEMAS = new URL(
  "../node_modules/@cyclonedx/cyclonedx-library/res/schema/",
  import.meta.url,
);
const schema = (name: string) =>
  JSON.parse(Deno.readTextFileSync(new URL(`${name}.SNAPSHOT.schema.json`, SCHEMAS))) as object;

/** Validator with CycloneDX's schemas from its library. */
function validator() {
  const ajv = new Ajv({ strict: false, allErrors: true });
  for (const name of ["ajv-formats", "ajv-formats-draft2019"]) {
    (require(name).default ?? require(name))(ajv);
  }
  // not checked: no IRI (address with non-ASCII letters) occurs here
  ajv.addFormat("iri-reference", true);
  for (const name of ["spdx", "jsf-0.82", "cryptography-defs"]) {
    ajv.addSchema({
      ...schema(name),
      $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`,
    });
  }
  return ajv.compile(schema("bom-1.6"));
}

Deno.test("makeSbom() and makeVex() are CycloneDX 1.6 by its own schema", () => {
  const isValid = validator(), sbom = makeSbom();
  for (const bom of [sbom, makeVex(sbom)]) {
    assert.ok(isValid(bom), JSON.stringify(isValid.errors?.slice(0, 5)));
  }
  assert.ok(!isValid({ ...sbom, specVersion: 2 }));
  assert.ok(
    !isValid({
      ...sbom,
      components: [{ ...sbom.components[0], licenses: [{ license: { id: "Beer" } }] }],
    }),
  );
});

Deno.test("makeSbom() names every locked package and crate, WASM, weights, atlas, norms and fonts, each with its licence", async () => {
  const text = (path: string) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
  const { components, dependencies } = makeSbom();
  const refs = components.map((each) => each["bom-ref"]);
  assert.equal(new Set(refs).size, refs.length);
  for (const { name, version } of lockedPackages(await text("deno.lock"))) {
    assert.ok(refs.includes(`pkg:npm/${name.replace("@", "%40")}@${version}`), name);
  }
  for (
    const [, name, version] of (await text("wasm/Cargo.lock")).matchAll(
      /name = "(.+)"\nversion = "(.+)"/g,
    )
  ) {
    assert.ok(refs.includes(`pkg:cargo/${name}@${version}`), name);
  }
  for (const each of components) assert.ok(each.licenses?.length, `${each.name} has no licence`);
  // lists everything large that is shipped
  const shipped = [
    "server/core/engine/atlas",
    "server/core/engine/models",
    "server/core/engine/models/meshnet_50",
    "report/pdf/fonts",
  ];
  for (const folder of shipped) {
    for await (const { name } of Deno.readDir(new URL(`../../${folder}`, import.meta.url))) {
      if (!/\.(bin|gz|br|wasm)$/.test(name)) continue;
      assert.ok(refs.includes(`file:${folder}/${name}`), `${folder}/${name}`);
    }
  }
  for (const { ref, dependsOn } of dependencies as { ref: string; dependsOn: string[] }[]) {
    for (const each of dependsOn) assert.ok(refs.includes(each), `${ref} uses ${each}`);
  }
  assert.deepEqual(makeSbom(), makeSbom());
});

Deno.test("makeVex() says of each advisory why it does not concern the version here, and refuses one about nothing", () => {
  const sbom = makeSbom(), advisories = readAdvisories();
  for (const { id, state, justification, detail } of advisories) {
    assert.ok(detail.length > 10, id);
    assert.ok(state !== "not_affected" || justification, `${id} has no reason`);
  }
  const odd = { ...advisories[0]!, component: "pkg:npm/left-pad" };
  assert.throws(() => makeVex(sbom, [odd]), /left-pad is no part of the product/);
});

Deno.test("advisories that name the version which is without them: the version here is that one or newer", () => {
  const { components } = makeSbom();
  const numbers = (version: string) => version.split(/[.-]/).map(Number);
  for (const { id, component, fixed } of readAdvisories()) {
    if (fixed === undefined) continue;
    for (const { version, ...each } of components) {
      if (!each["bom-ref"].startsWith(`${component}@`)) continue;
      const have = numbers(version!),
        need = numbers(fixed),
        at = need.findIndex((n, i) => n !== have[i]);
      assert.ok(at < 0 || have[at]! > need[at]!, `${id}: ${version} is older than ${fixed}`);
    }
  }
});
