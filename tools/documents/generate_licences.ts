// Writes docs/licences.md: every package that the product installs or builds with, from the lock
// files. Run: deno task licences (needs node_modules; crates are listed when cargo is installed)
import { ANY_CONTRAST } from "@/server/core/engine/any_contrast.ts";
import { DEEP_STRUCTURES } from "@/server/core/engine/deep_structures.ts";
import { MODEL } from "@/server/core/engine/second_opinion.ts";

interface Licence {
  name: string;
  version: string;
  licence: string;
  link: string;
}

/** Repository addresses as the package registries spell them, made into links. */
export function toLink(repository: unknown): string {
  const url = typeof repository === "string"
    ? repository
    : (repository as { url?: string } | undefined)?.url ?? "";
  const plain = url.replace(/^git\+/, "").replace(/^git:\/\//, "https://").replace(/\.git$/, "");
  if (/^[\w-]+\/[\w.-]+$/.test(plain)) return `https://github.com/${plain}`;
  return plain.replace(/^(ssh:\/\/)?git@github\.com[:/]/, "https://github.com/").replace(
    /^github:/,
    "https://github.com/",
  );
}

/**
 * Package and version of every npm entry of deno.lock, but those for other systems than this one.
 */
export function lockedPackages(lock: string): { name: string; version: string }[] {
  const { npm } = JSON.parse(lock) as { npm: Record<string, { os?: string[]; cpu?: string[] }> };
  const rows = Object.entries(npm).flatMap(([key, { os, cpu }]) => {
    // what comes after the version names the packages that it was resolved with
    const at = key.indexOf("@", 1),
      name = key.slice(0, at),
      version = key.slice(at + 1).split("_")[0]!;
    return os || cpu ? [] : [{ name, version }];
  });
  return [...new Map(rows.map((row) => [`${row.name}@${row.version}`, row])).values()];
}

/**
 * Libraries in another language that a package holds as WebAssembly, with a licence that its
 * package.json does not name.
 */
export const COMPILED_IN: Readonly<Record<string, { library: string; licence: string }>> = {
  "@cornerstonejs/codec-charls": { library: "CharLS", licence: "BSD-3-Clause" },
  "@cornerstonejs/codec-openjpeg": { library: "OpenJPEG", licence: "BSD-2-Clause" },
};

/** Of a package that names none: by the text that lies beside it. */
function licenceIn(folder: URL): string {
  const file = [...Deno.readDirSync(folder)].find(({ name }) => /^licen[cs]e/i.test(name));
  const text = file ? Deno.readTextFileSync(new URL(file.name, folder)) : "";
  return /^(The )?MIT License/i.test(text.trim()) ? "MIT" : "not stated in the package";
}

function npmLicences(): Licence[] {
  const store = new URL("../../node_modules/.deno/", import.meta.url),
    folders = [...Deno.readDirSync(store)];
  return lockedPackages(Deno.readTextFileSync(new URL("../../deno.lock", import.meta.url))).map(
    (locked) => {
      const start = `${locked.name.replace("/", "+")}@${locked.version}`;
      const folder = folders.find(({ name }) => name === start || name.startsWith(`${start}_`));
      if (!folder) throw new Error(`Cannot tell the licence of ${start}: it is not installed`);
      const file = new URL(`${folder.name}/node_modules/${locked.name}/package.json`, store);
      const p = JSON.parse(Deno.readTextFileSync(file)), compiledIn = COMPILED_IN[locked.name];
      const ownLicence = typeof p.license === "string"
        ? p.license
        : p.license?.type ?? p.licenses?.[0]?.type ?? licenceIn(new URL("../", file));
      return {
        ...locked,
        licence: compiledIn ? `${ownLicence} AND ${compiledIn.licence}` : ownLicence,
        link: toLink(p.repository) || p.homepage || "",
      };
    },
  );
}

async function crateLicences(): Promise<Licence[]> {
  const { stdout, success } = await new Deno.Command("cargo", {
    args: ["metadata", "--format-version=1", "--locked"],
    cwd: new URL("../../wasm", import.meta.url),
    stderr: "null",
  }).output();
  if (!success) throw new Error("Cannot list crates: cargo metadata failed");
  const { packages } = JSON.parse(new TextDecoder().decode(stdout));
  return packages.filter((p: { source: string | null }) => p.source).map((
    p: { name: string; version: string; license: string; repository: string },
  ) => ({ name: p.name, version: p.version, licence: p.license, link: toLink(p.repository) }));
}

/**
 * Networks whose weights are part of the product, with the licence of their weights or of what they
 * were made from.
 */
export const NETWORKS: Licence[] = [
  {
    name: "Deep structures, trained on the label maps of SynthSeg",
    version: DEEP_STRUCTURES.version,
    licence: DEEP_STRUCTURES.licence,
    link: "https://github.com/BBillot/SynthSeg",
  },
  {
    name: "Deep structures of any contrast, trained on the label maps of SynthSeg",
    version: ANY_CONTRAST.version,
    licence: ANY_CONTRAST.licence,
    link: "https://github.com/BBillot/SynthSeg",
  },
  {
    name: "MeshNet-50 of brainchop",
    version: MODEL.sha256.slice(0, 12),
    licence: MODEL.licence,
    link: MODEL.page,
  },
];

const table = (rows: Licence[], what = "Package") =>
  [`| ${what} | Version | Licence | Source |`, "| --- | --- | --- | --- |"].concat(
    rows.sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
      .map((r) => `| ${r.name} | ${r.version} | ${r.licence} | ${r.link} |`),
  ).join("\n");

if (import.meta.main) {
  const text = `# Open-source licences

Generated by \`deno task licences\` from deno.lock and wasm/Cargo.lock; do not edit. Fonts: Noto Sans (KR, JP, SC,
Thai, Arabic, Hebrew, Devanagari, Latin), SIL Open Font License 1.1 (report/pdf/fonts). Packages of the tests alone are in tests/package.json. Atlas and norms: see [server/core/engine/atlas/README.md](../server/core/engine/atlas/README.md).
Passwords that nobody may choose: from SecLists, MIT, https://github.com/danielmiessler/SecLists (docs/security.md).
@hyzyla/pdfium holds PDFium as WebAssembly: BSD-3-Clause and Apache-2.0, https://pdfium.googlesource.com/pdfium/.
@cornerstonejs/codec-charls holds CharLS and @cornerstonejs/codec-openjpeg OpenJPEG; their texts are in
tools/release/licences, and in a release in licences.

## Networks

Their weights are part of the product (server/core/engine/models): [deep structures](../server/core/engine/models/deep_structures.md), [deep structures of any contrast](../server/core/engine/models/any_contrast.md),
[second opinion](../server/core/engine/models/meshnet_50/README.md).

${table(NETWORKS, "Network")}

## npm packages

${table(npmLicences())}

## Rust crates

${table(await crateLicences())}
`;
  Deno.writeTextFileSync(new URL("../../docs/licences.md", import.meta.url), text);
}
