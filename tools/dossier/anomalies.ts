// Known anomalies of software of others (IEC 62304 7.1.3), by component of the SBOM: which issue
// lists were read for which version, what was found, and what controls it.
import { existsSync } from "node:fs";
import list from "@/docs/dossier/anomalies.json" with { type: "json" };
import { ROOT } from "@/tools/dossier/hazards.ts";
import type { Component } from "@/tools/supply/components.ts";

/** An anomaly of a component that could concern this product. */
interface Anomaly {
  id: string;
  /** page of the anomaly, or a file of the tree if it was found here */
  link: string;
  /** description of the anomaly's effect */
  says: string;
  concerns: "no" | "controlled";
  /** why it does not concern this product, or how it is controlled */
  why: string;
  /** file with the control; required if `concerns` is `controlled` */
  control?: string;
}

/** Result of reading the issue lists and changelogs of a component. */
interface Evaluation {
  /** date of reading, YYYY-MM-DD */
  read: string;
  /** versions that were judged; for a file, the beginning of its SHA-256 */
  versions: string[];
  sources: string[];
  /** issue lists of which the stored copy that was searched contains no issue */
  absent?: string[];
  anomalies: Anomaly[];
}

/** Reason why components were not evaluated one by one. */
interface Rule {
  name: string;
  why: string;
  components: string[];
}

export interface AnomalyList {
  rules: Rule[];
  /** by component reference without version, e.g. `pkg:npm/hono` */
  components: Record<string, Evaluation>;
}

export const readAnomalies = (): AnomalyList => list as AnomalyList;

/** Component reference without its version. */
export const baseOf = (component: Component): string => component["bom-ref"].replace(/@[^@]*$/, "");

/** Version of a component; of a file, the beginning of its hash. */
const versionOf = ({ version, hashes }: Component): string =>
  version ?? hashes?.[0]?.content.slice(0, 12) ?? "";

/** References without version of the packages and crates that this project itself names. */
export function directOf(components: readonly Component[]): Set<string> {
  const read = (path: string) => Deno.readTextFileSync(`${ROOT}/${path}`);
  const { dependencies } = JSON.parse(read("package.json")) as {
    dependencies: Record<string, string>;
  };
  const names = new Set(
    Object.keys(dependencies).map((name) => `pkg:npm/${name.replace(/^@/, "%40")}`),
  );
  for (const { name, isDirectory } of Deno.readDirSync(`${ROOT}/wasm`)) {
    const path = `wasm/${name}/Cargo.toml`;
    if (!isDirectory || !existsSync(`${ROOT}/${path}`)) continue;
    const section = /^\[dependencies\]\n((?:[^[\n].*\n?|\n)*)/m.exec(read(path))?.[1] ?? "";
    for (const [, crate] of section.matchAll(/^([\w-]+)/gm)) names.add(`pkg:cargo/${crate}`);
  }
  // crates of the project itself have no package URL
  return new Set(components.filter(({ purl }) => purl).map(baseOf).filter((ref) => names.has(ref)));
}

const isUrl = (text: string) => URL.parse(text)?.protocol === "https:";
const CHANGELOG = "CHANGELOG.md of the package";

function faultsOf(ref: string, { read, sources, absent = [], anomalies }: Evaluation): string[] {
  const faults: string[] = [];
  if (!/^\d{4}-\d\d-\d\d$/.test(read)) faults.push(`${ref}: ${read} is no date`);
  if (sources.length + absent.length === 0) faults.push(`${ref} has no source`);
  for (const source of [...sources, ...absent]) {
    if (source !== CHANGELOG && !isUrl(source)) faults.push(`${ref}: ${source} is no source`);
  }
  for (const { id, link, says, why, concerns, control } of anomalies) {
    if (!isUrl(link) && !existsSync(`${ROOT}/${link}`)) faults.push(`${id}: ${link} leads nowhere`);
    if (!id || !says || !why) faults.push(`${ref}: an anomaly lacks its id, effect or reason`);
    if (concerns === "controlled" && !control) faults.push(`${id} has no control`);
    if (control && !existsSync(`${ROOT}/${control}`)) faults.push(`${id}: no file ${control}`);
  }
  return faults;
}

/** Faults of a list of anomalies for the components of the SBOM, one per line. */
export function anomalyProblems(
  { rules, components }: AnomalyList,
  sbom: readonly Component[],
): string[] {
  const present = Map.groupBy(sbom, baseOf), problems: string[] = [];
  const ruled = rules.flatMap((rule) => rule.components), direct = directOf(sbom);
  for (const ref of [...ruled, ...Object.keys(components)]) {
    if (!present.has(ref)) problems.push(`${ref} is no component`);
  }
  for (const [ref, parts] of present) {
    const evaluation = components[ref], isRuled = ruled.includes(ref);
    if (isRuled && (evaluation || direct.has(ref))) problems.push(`${ref} needs no rule`);
    if (!isRuled && !evaluation) problems.push(`${ref} is not evaluated`);
    const versions = parts.map(versionOf).sort().join();
    if (evaluation && evaluation.versions.toSorted().join() !== versions) {
      problems.push(`${ref}: read its issue list again for ${versions}`);
    }
  }
  return [
    ...problems,
    ...Object.entries(components).flatMap(([ref, evaluation]) => faultsOf(ref, evaluation)),
  ];
}

/** Result of the evaluation of a component as a text of the table of components. */
export function resultOf({ rules, components }: AnomalyList, ref: string): string {
  const evaluation = components[ref];
  if (!evaluation) {
    const rule = rules.find((each) => each.components.includes(ref));
    return `not evaluated: ${rule?.name ?? "NO RULE"}`;
  }
  const { read, anomalies, sources } = evaluation;
  if (sources.length === 0) return `issue list not available on ${read}: advisories only`;
  const controlled = anomalies.filter(({ concerns }) => concerns === "controlled").length;
  return anomalies.length === 0
    ? `issue list read on ${read}: nothing that concerns this use`
    : `issue list read on ${read}: ${anomalies.length} below, ${controlled} of them controlled here`;
}
