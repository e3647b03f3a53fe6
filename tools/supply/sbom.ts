// deno task sbom [FOLDER]: writes sulcus.cdx.json (components of the product, CycloneDX 1.6) and
// sulcus.vex.cdx.json (known vulnerabilities, and why they do not affect this product) into FOLDER,
// ./sbom by default. Inputs are the lock files, the files themselves and
// tools/supply/advisories.json, so that the same source gives the same bytes.
import { createHash } from "node:crypto";
import { VERSION } from "@/server/core/site/service/status.ts";
import {
  type Component,
  crateParts,
  fileParts,
  npmParts,
  type Part,
  runtimePart,
} from "@/tools/supply/components.ts";

/** Reasons why a known vulnerability does not affect the product, in terms of CycloneDX. */
interface Advisory {
  id: string;
  source: string;
  /** component reference without its version, e.g. `pkg:npm/hono` */
  component: string;
  /** first fixed version; absent if none exists yet */
  fixed?: string;
  state: "not_affected" | "resolved" | "exploitable" | "in_triage";
  justification?: "code_not_present" | "code_not_reachable" | "protected_by_mitigating_control";
  detail: string;
}

interface Bom {
  "$schema": string;
  bomFormat: "CycloneDX";
  specVersion: "1.6";
  serialNumber: string;
  version: 1;
  metadata: { component: Component };
  [part: string]: unknown;
}

const PRODUCT = `pkg:generic/sulcus@${VERSION}`;
const product: Component = {
  "type": "application",
  "bom-ref": PRODUCT,
  name: "sulcus",
  version: VERSION,
  licenses: [{ license: { id: "Apache-2.0" } }],
  purl: PRODUCT,
};

/**
 * Serial number derived from the content,
 * so that equal products have equal numbers (RFC 9562, version 8).
 */
function serialOf(content: unknown): string {
  const hex = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join("-")}`;
}

const bomOf = (parts: Record<string, unknown>): Bom => ({
  "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  serialNumber: serialOf(parts),
  version: 1,
  metadata: { component: product },
  ...parts,
});

/**
 * Lists all components of the product. @throws Error
 * for a package without a licence in docs/licences.json.
 */
export function makeSbom(): Bom & { components: Component[] } {
  const npm = npmParts(), files = fileParts(), runtime = runtimePart();
  const parts: Part[] = [...npm, ...crateParts(), ...files, runtime];
  const { dependencies = {} } = JSON.parse(
    Deno.readTextFileSync(new URL("../../package.json", import.meta.url)),
  ) as { dependencies?: Record<string, string> };
  const direct = npm.filter(({ component: { name, version } }) => dependencies[name] === version);
  const uses = [...direct, ...files, runtime].map(({ component }) => component["bom-ref"]);
  const components = parts.map(({ component }) => component);
  return bomOf({
    components,
    dependencies: [
      { ref: PRODUCT, dependsOn: uses },
      ...parts.map(({ component, uses }) => ({ ref: component["bom-ref"], dependsOn: uses })),
    ],
  }) as Bom & { components: Component[] };
}

export function readAdvisories(): Advisory[] {
  return JSON.parse(Deno.readTextFileSync(new URL("./advisories.json", import.meta.url)));
}

/**
 * Lists the known vulnerabilities of components in `sbom`. @throws Error for an advisory about
 * none.
 */
export function makeVex(
  sbom: Bom & { components: Component[] },
  advisories = readAdvisories(),
): Bom {
  return bomOf({
    vulnerabilities: advisories.map(
      ({ id, source, component, fixed, state, justification, detail }) => {
        const refs = sbom.components.map((each) => each["bom-ref"]).filter((ref) =>
          ref.startsWith(`${component}@`)
        );
        if (refs.length === 0) {
          throw new Error(`Cannot place ${id}: ${component} is no part of the product`);
        }
        const link = sbom.serialNumber.replace("urn:uuid:", "urn:cdx:") + "/1#";
        return {
          id,
          source: { name: source },
          ...(fixed === undefined ? {} : { recommendation: `${fixed} or newer is without it` }),
          analysis: { state, ...(justification === undefined ? {} : { justification }), detail },
          affects: refs.map((ref) => ({ ref: link + encodeURIComponent(ref) })),
        };
      },
    ),
  });
}

/** Writes both documents into a folder. @returns number of components and of advisories. */
export async function writeSbom(
  folder: string,
): Promise<{ components: number; advisories: number }> {
  const sbom = makeSbom(), advisories = readAdvisories();
  const text = (value: unknown) => JSON.stringify(value, null, 1) + "\n";
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/sulcus.cdx.json`, text(sbom));
  await Deno.writeTextFile(`${folder}/sulcus.vex.cdx.json`, text(makeVex(sbom, advisories)));
  return { components: sbom.components.length, advisories: advisories.length };
}

if (import.meta.main) {
  const folder = Deno.args[0] ?? "sbom", { components, advisories } = await writeSbom(folder);
  const line = `${components} components and ${advisories} advisories in ${folder}\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
}
