// Writes docs/licences.json: every package that the product installs or builds with, from the lock
// files. Run: deno task licences (needs node_modules; crates are listed when cargo is installed)
import { ANY_CONTRAST } from "@/server/core/engine/any_contrast.ts";
import { DEEP_STRUCTURES } from "@/server/core/engine/deep_structures.ts";
import { MODEL } from "@/server/core/engine/second_opinion.ts";
import { type Licence, LICENCES_FILE, licencesText } from "@/tools/documents/licence_list.ts";

/** Converts repository addresses of package registries into links. */
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

/** Name and version of every npm package in deno.lock, except packages for one system only. */
export function lockedPackages(lock: string): { name: string; version: string }[] {
  const { npm } = JSON.parse(lock) as { npm: Record<string, { os?: string[]; cpu?: string[] }> };
  const rows = Object.entries(npm).flatMap(([key, { os, cpu }]) => {
    // the text after the version lists the packages used in the resolution
    const at = key.indexOf("@", 1),
      name = key.slice(0, at),
      version = key.slice(at + 1).split("_")[0]!;
    return os || cpu ? [] : [{ name, version }];
  });
  return [...new Map(rows.map((row) => [`${row.name}@${row.version}`, row])).values()];
}

/** WebAssembly libraries inside npm packages, of which package.json does not name the licence. */
export const COMPILED_IN: Readonly<Record<string, { library: string; licence: string }>> = {
  "@cornerstonejs/codec-charls": { library: "CharLS", licence: "BSD-3-Clause" },
  "@cornerstonejs/codec-openjpeg": { library: "OpenJPEG", licence: "BSD-2-Clause" },
};

/** Licence of a package that declares none, recognised by the licence text in its folder. */
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
 * Networks with weights in the product, with the licence of the weights or of their training data.
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

if (import.meta.main) {
  const lists = { networks: NETWORKS, packages: npmLicences(), crates: await crateLicences() };
  Deno.writeTextFileSync(LICENCES_FILE, licencesText(lists));
}
