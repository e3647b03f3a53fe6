// Structures that are missing or nearly missing in the label map.
// Detected without norms, and therefore also for patients without percentiles.
import { SCORE_PARTS } from "@/model/findings/score_parts.ts";
import { normOf, valueAt } from "@/model/norms/norms.ts";
import { labelsOf, LOBES } from "@/model/regions/measures.ts";
import { hasPercentile, type Part, PARTS, REGIONS } from "@/model/regions/regions.ts";
import type { Finding, MissingFinding } from "@/model/schema/report/finding.ts";

/** Fraction of the usual volume below which a structure counts as missing. */
const LEAST_TISSUE = 0.1;
/**
 * Fraction of the other side's volume below which a structure counts as missing: asymmetry 100 %.
 */
const LEAST_OF_OTHER = 1 / 3;
/**
 * Lower limits for fluid: mm³, and fraction of the other side. Healthy people can have little
 * fluid.
 */
const LEAST_FLUID_MM3 = 20, LEAST_FLUID_OF_OTHER = 0.05;
/** Name of the temporal horns, which are closed in many young people. */
const NEVER_MISSING = "Inferior lateral ventricle";
/** Fraction of a hemisphere's structures that must be missing to report a missing hemisphere. */
const MOST_STRUCTURES = 0.9;

const HEMISPHERES = [["L", "left"], ["R", "right"]] as const;

/** Volume of an adult of median age, mm³, by label; 0 for labels without a norm. */
const USUAL_MM3 = new Map(
  REGIONS.map(({ label }) => {
    const norm = normOf(label, "volume", { age: 50, sex: "female", icvMl: null });
    return [label, norm ? valueAt(0, norm) : 0];
  }),
);

const MEASURED_PARTS = PARTS.filter(({ part, labels }) =>
  hasPercentile(labels[0]) && part !== NEVER_MISSING
);

/** Labels of an atlas part that are missing. */
function missingLabels({ labels, group }: Part, mm3Of: (label: number) => number): number[] {
  const isFluid = group === "ventricle";
  return labels.filter((label, at) => {
    const mm3 = mm3Of(label), other = labels.length === 2 ? mm3Of(labels[1 - at]!) : 0;
    return isFluid
      ? mm3 < LEAST_FLUID_MM3 || mm3 < LEAST_FLUID_OF_OTHER * other
      : mm3 < LEAST_TISSUE * USUAL_MM3.get(label)! || mm3 <= LEAST_OF_OTHER * other;
  });
}

/** Labels of the cerebrum on one side, without fluid. */
const CEREBRUM = Object.fromEntries(
  HEMISPHERES.map(([side]) => [
    side,
    REGIONS.filter(({ label, hemisphere, group }) =>
      hemisphere === side && hasPercentile(label) && group !== "ventricle" && group !== "cerebellum"
    ).map(({ label }) => label),
  ]),
) as Record<"L" | "R", number[]>;

/** Finds a missing hemisphere or lobe, and each missing part outside of these, largest first. */
export function missingParts(volumesMm3: readonly number[]): MissingFinding[] {
  const mm3Of = (label: number) => volumesMm3[label] ?? 0;
  const missing = new Set(MEASURED_PARTS.flatMap((part) => missingLabels(part, mm3Of)));
  if (missing.size === 0) return [];
  const places: { part: string; side: "L" | "R" | ""; labels: readonly number[] }[] = [];
  const take = (part: string, side: "L" | "R" | "", labels: readonly number[]) => {
    places.push({ part, side, labels });
    for (const label of labels) missing.delete(label);
  };
  for (const [side] of HEMISPHERES) {
    const labels = CEREBRUM[side];
    const lost = labels.filter((label) => missing.has(label));
    if (lost.length < MOST_STRUCTURES * labels.length) continue;
    take("hemisphere", side, labels);
    for (const label of [15, 16].filter((one) => (one === 15) === (side === "L"))) {
      missing.delete(label);
    }
  }
  for (const lobe of LOBES) {
    for (const [side, name] of HEMISPHERES) {
      const labels = labelsOf(`${lobe}_${name}`);
      if (labels.every((label) => missing.has(label))) take(lobe, side, labels);
    }
  }
  for (const { part, labels } of MEASURED_PARTS) {
    labels.forEach((label, at) => {
      if (missing.has(label)) take(part, labels.length === 1 ? "" : at === 0 ? "L" : "R", [label]);
    });
  }
  const usualOf = (labels: readonly number[]) =>
    labels.reduce((sum, label) => sum + USUAL_MM3.get(label)!, 0);
  return [...Map.groupBy(places, ({ part }) => part)].map(([part, sides]) => ({
    usual: usualOf(sides.flatMap(({ labels }) => labels)),
    finding: {
      kind: "missing" as const,
      part,
      side: sides.length === 2 ? "both" as const : sides[0]!.side,
      certainty: "firm" as const,
      values: sides.map(({ side, labels }) => ({
        side,
        value: Math.round(labels.reduce((sum, label) => sum + mm3Of(label), 0) / 10) / 100,
      })),
    },
  })).sort((a, b) => b.usual - a.usual).map(({ finding }) => finding);
}

const TISSUE_OF_SCORE = SCORE_PARTS.filter(({ isFluid }) => !isFluid).map(({ name }) => name);

/** Whether a structure of the Atrophy Score is missing, or is in a missing lobe or hemisphere. */
export const isPartOfScore = ({ part }: MissingFinding): boolean =>
  ["hemisphere", ...LOBES, ...TISSUE_OF_SCORE].includes(part);

/** Whether a total is of two sides: not of the brain stem, two ventricles and the whole brain. */
const hasSides = (part: string): boolean =>
  part !== "brain" && PARTS.find((one) => one.part === part)?.labels.length !== 1;

/**
 * Whether another finding only follows from missing tissue of the same part, lobe or hemisphere, on
 * its side or in the total of both.
 * Such findings would fill page one with lines that have the same cause.
 */
export function followsFrom(finding: Finding, missing: readonly MissingFinding[]): boolean {
  if (finding.kind !== "low" && finding.kind !== "asymmetry") return false;
  const isTotal = finding.kind === "low" && finding.measure === "volume" && finding.side === "";
  return missing.some(({ part, side }) => {
    const isSameSide = side === "both" || finding.side === side ||
      isTotal && hasSides(finding.part);
    if (!isSameSide) return false;
    if (part === "hemisphere") return !finding.part.startsWith("Cerebellar");
    return finding.part === part || (LOBES as readonly string[]).includes(part) &&
        REGIONS.some((one) => one.part === finding.part && one.group === part);
  });
}
