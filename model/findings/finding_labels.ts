import type { Hemisphere } from "@/model/regions/regions.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type { Finding } from "@/model/schema/report/finding.ts";

/** A structure that a finding can be about. */
export interface FindingPlace {
  /** name of an atlas part or a lobe */
  part: string;
  side: "L" | "R" | "both" | "";
  /** label values (1..104) of the structure, at least one */
  labels: number[];
}

/** Atlas part that represents each aggregate of which the change over time is measured. */
const CHANGED_PARTS: Readonly<Record<string, string>> = {
  hippocampus: "Hippocampus",
  lateral_ventricles: "Lateral ventricle",
};

/**
 * Location of a finding in the label map.
 * @returns `null` for findings without one location: whole brain or cortex, the score, lesions,
 * and structures without a voxel.
 */
export function placeOfFinding(finding: Finding): FindingPlace | null {
  if (finding.kind === "score" || finding.kind === "lesions") return null;
  if (finding.kind === "missing" && finding.values.every(({ value }) => value === 0)) return null;
  const part = finding.kind === "change" ? CHANGED_PARTS[finding.key] : finding.part;
  const side = finding.kind === "change" ? "both" : finding.side;
  const hemispheres: Hemisphere[] = side === "L" || side === "R" ? [side] : ["L", "R", ""];
  const labels = REGIONS.filter((region) =>
    (region.part === part || region.group === part) && hemispheres.includes(region.hemisphere)
  ).map(({ label }) => label);
  return part === undefined || labels.length === 0 || part === "Cerebral white matter"
    ? null
    : { part, side, labels };
}
