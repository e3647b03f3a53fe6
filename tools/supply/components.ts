// Components of the product, read from its lock files and the files that it ships.
import { createHash } from "node:crypto";
import { MIN_DENO_VERSION } from "@/server/commands/check_runtime.ts";
import { readLicences } from "@/tools/documents/licence_list.ts";

/** A component of CycloneDX 1.6, limited to the fields used here. */
export interface Component {
  "type": "application" | "library" | "platform" | "file" | "data" | "machine-learning-model";
  "bom-ref": string;
  name: string;
  version?: string;
  description?: string;
  scope?: "required" | "excluded";
  hashes?: { alg: "SHA-256" | "SHA-512"; content: string }[];
  licenses?: ({ license: { id: string } } | { expression: string })[];
  purl?: string;
  externalReferences?: { type: "vcs" | "website" | "distribution"; url: string }[];
}

/** A component of the product, and the references of the components that it depends on. */
export interface Part {
  component: Component;
  uses: string[];
}

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, ROOT));
const sha256 = (path: string) =>
  createHash("sha256").update(Deno.readFileSync(new URL(path, ROOT))).digest("hex");

/** Packages that only build or check the product, and are not part of it. */
const BUILDING = /^(@types\/|@esbuild\/|esbuild$|undici-types$|csstype$)/;

/** Licences in CycloneDX format, from an SPDX identifier or an SPDX expression. */
const licensesOf = (licence: string): Component["licenses"] =>
  /^[\w.+-]+$/.test(licence) ? [{ license: { id: licence } }] : [{ expression: licence }];

/** Licence and web address of each package, by `name version`. */
function licences(): Map<string, { licence: string; link: string }> {
  const { networks, packages, crates } = readLicences();
  return new Map(
    [...networks, ...packages, ...crates].map((row) => [`${row.name} ${row.version}`, row]),
  );
}

interface LockedPackage {
  integrity?: string;
  dependencies?: string[];
  os?: string[];
}

/** Splits a key of deno.lock into name and version, without peer dependencies. */
function packageOf(key: string): { name: string; version: string; ref: string } {
  const at = key.indexOf("@", 1), name = at < 0 ? key : key.slice(0, at);
  const version = at < 0 ? "" : key.slice(at + 1).split("_")[0]!;
  return { name, version, ref: `pkg:npm/${name.replace(/^@/, "%40")}@${version}` };
}

/** npm packages of deno.lock, except packages for other systems. */
export function npmParts(): Part[] {
  const { npm } = JSON.parse(read("deno.lock")) as { npm: Record<string, LockedPackage> };
  const licencesByName = licences(), parts = new Map<string, Part>();
  // a dependency is named without a version if the lock file contains only one version
  const keysByName = new Map(Object.keys(npm).map((key) => [packageOf(key).name, key]));
  for (const [key, { integrity, dependencies = [], os }] of Object.entries(npm)) {
    if (os) continue;
    const { name, version, ref } = packageOf(key),
      { licence, link } = licencesByName.get(`${name} ${version}`) ?? {};
    if (!licence) {
      throw new Error(`Cannot tell the licence of ${name} ${version}: run deno task licences`);
    }
    const uses = dependencies.map((each) =>
      packageOf(each).version ? packageOf(each) : packageOf(keysByName.get(each)!)
    )
      .filter(({ name }) => !npm[keysByName.get(name) ?? ""]?.os).map(({ ref }) => ref);
    const digest = integrity?.replace(/^sha512-/, "");
    parts.set(ref, {
      uses: [...new Set([...parts.get(ref)?.uses ?? [], ...uses])],
      component: {
        "type": "library",
        "bom-ref": ref,
        name,
        version,
        scope: BUILDING.test(name) ? "excluded" : "required",
        ...(digest
          ? { hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(digest).toHex() }] }
          : {}),
        licenses: licensesOf(licence),
        purl: ref,
        ...(link ? { externalReferences: [{ type: "vcs", url: link }] } : {}),
      },
    });
  }
  return [...parts.values()];
}

interface Crate {
  name: string;
  version: string;
  checksum: string | undefined;
  dependencies: string[];
}

function lockedCrates(): Crate[] {
  return read("wasm/Cargo.lock").split("[[package]]\n").slice(1).map((text) => {
    const value = (key: string) => new RegExp(`^${key} = "(.+)"`, "m").exec(text)?.[1];
    const list = /^dependencies = \[([^\]]*)\]/m.exec(text)?.[1] ?? "";
    return {
      name: value("name")!,
      version: value("version")!,
      checksum: value("checksum"),
      dependencies: [...list.matchAll(/"([^" ]+)[^"]*"/g)].map(([, name]) => name!),
    };
  });
}

const crateRef = ({ name, version }: { name: string; version: string }) =>
  `pkg:cargo/${name}@${version}`;

/** Lists the crates of wasm/Cargo.lock; the project's own crates have no checksum. */
export function crateParts(): Part[] {
  const crates = lockedCrates(), known = licences();
  const refs = new Map(crates.map((crate) => [crate.name, crateRef(crate)]));
  return crates.map((crate) => {
    const { name, version, checksum, dependencies } = crate, row = known.get(`${name} ${version}`);
    if (checksum && !row) {
      throw new Error(`Cannot tell the licence of crate ${name}: run deno task licences`);
    }
    return {
      uses: dependencies.map((each) => refs.get(each)!),
      component: {
        "type": "library",
        "bom-ref": crateRef(crate),
        name,
        version,
        scope: "required",
        ...(checksum ? { hashes: [{ alg: "SHA-256", content: checksum }] } : {}),
        licenses: licensesOf(row?.licence ?? "Apache-2.0"),
        ...(checksum ? { purl: crateRef(crate) } : {}),
        ...(row?.link ? { externalReferences: [{ type: "vcs", url: row.link }] } : {}),
      } satisfies Component,
    };
  });
}

/** Components that no lock file contains: kind, path, licence and description. */
const FILES: readonly [Component["type"], string, string, string, crate?: string][] = [
  [
    "file",
    "wasm/pkg/engine/bind_engine_bg.wasm",
    "Apache-2.0",
    "engine, WebAssembly with threads",
    "bind_engine",
  ],
  [
    "file",
    "wasm/pkg/kernels/bind_browser_bg.wasm",
    "Apache-2.0",
    "viewer's kernels, WebAssembly",
    "bind_browser",
  ],
  [
    "file",
    "wasm/pkg/reading/bind_reading_bg.wasm",
    "Apache-2.0",
    "viewer's image work of reading, WebAssembly",
    "bind_reading",
  ],
  [
    "machine-learning-model",
    "server/core/engine/models/deep_structures.bin",
    "Apache-2.0",
    "weights: deep structures",
  ],
  [
    "machine-learning-model",
    "server/core/engine/models/any_contrast.bin",
    "Apache-2.0",
    "weights: deep structures of any contrast",
  ],
  [
    "machine-learning-model",
    "server/core/engine/models/meshnet_50/model.bin",
    "MIT",
    "weights: MeshNet-50 of brainchop",
  ],
  ["data", "server/core/engine/atlas/template.npy.gz", "Apache-2.0", "atlas: template"],
  [
    "data",
    "server/core/engine/atlas/prior_labels.npy.gz",
    "Apache-2.0 AND MIT",
    "atlas: most probable labels",
  ],
  [
    "data",
    "server/core/engine/atlas/prior_weights.npy.gz",
    "Apache-2.0 AND MIT",
    "atlas: their weights",
  ],
  ["data", "server/core/engine/atlas/regions.json", "Apache-2.0 AND MIT", "atlas: regions"],
  [
    "data",
    "model/norms/norms.json",
    "Apache-2.0 AND BSD-3-Clause",
    "norms of volumes and thickness",
  ],
  [
    "data",
    "server/core/accounts/service/common_passwords.txt",
    "MIT",
    "passwords that nobody may choose, of SecLists",
  ],
  ...[...Deno.readDirSync(new URL("report/pdf/fonts/", ROOT))]
    .map(({ name }) => name).filter((name) => name.endsWith(".ttf.br")).sort()
    .map((name): typeof FILES[number] => [
      "file",
      `report/pdf/fonts/${name}`,
      "OFL-1.1",
      `font ${name.slice(0, -".ttf.br".length)}, Brotli`,
    ]),
];

/** Lists WebAssembly, network weights, atlas, norms and fonts. */
export function fileParts(): Part[] {
  const crates = new Map(lockedCrates().map((crate) => [crate.name, crateRef(crate)]));
  return FILES.map(([type, path, licence, description, crate]) => ({
    uses: crate === undefined ? [] : [crates.get(crate)!],
    component: {
      type,
      "bom-ref": `file:${path}`,
      name: path,
      description,
      scope: "required",
      hashes: [{ alg: "SHA-256", content: sha256(path) }],
      licenses: licensesOf(licence),
    },
  }));
}

/** Deno, the runtime that a release includes. */
export const runtimePart = (): Part => ({
  uses: [],
  component: {
    "type": "platform",
    "bom-ref": `pkg:npm/deno@${MIN_DENO_VERSION}`,
    name: "deno",
    version: MIN_DENO_VERSION,
    scope: "required",
    licenses: [{ license: { id: "MIT" } }],
    purl: `pkg:npm/deno@${MIN_DENO_VERSION}`,
    externalReferences: [{ type: "vcs", url: "https://github.com/denoland/deno" }],
  },
});
