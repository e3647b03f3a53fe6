import { isReadOnFlair } from "@/model/norms/any_contrast_error.ts";
import { isMeasured, regionOf, REGIONS } from "@/model/regions/regions.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  type AnalysisResults,
  type FlairResults,
  listRehearsable,
  type RehearsableAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";

/** An engine's measurements, as `deno task analyze` writes them to result.json. */
export interface Remeasured {
  version: string;
  /** volumes of a T1w series; absent, like the fields up to `wmh`, if only a FLAIR was analysed */
  icv_mm3?: number;
  volumes?: { label: number; mm3: number }[];
  mean_thickness_mm?: { left: number; right: number } | null;
  /** cortical thickness, index = label; absent in results of engines before 0.4.0 */
  thickness_by_label_mm?: number[] | null;
  wmh: {
    peri_mm3: number;
    deep_mm3: number;
    /** intracranial volume of a FLAIR series analysed alone */
    flair_icv_mm3?: number | null;
    /** deep structures measured on FLAIR without T1w; absent from engines without that network */
    deep_structures?: { isUsed: boolean; volumesMm3: number[] } | null;
  } | null;
}

/** A measure for which two engine versions computed different values. */
export interface Change {
  /** region name, `ICV`, thickness of a hemisphere or region, or white matter hyperintensities */
  name: string;
  /** stored value, then recomputed value; `null`: that engine did not measure it */
  before: number | null;
  after: number | null;
  unit: "mm³" | "mm";
}

/** All measures for which a stored and a recomputed result are not bit-identical. */
export function changesOf(
  { t1, flair }: Pick<RehearsableAnalysis, "t1" | "flair">,
  next: Remeasured,
): Change[] {
  const pairs = [
    ...t1 ? t1Pairs(t1.results, next) : [],
    ...flair && !t1 ? structurePairs(flair.results, next.wmh) : [],
    ...flair && next.wmh ? lesionPairs(flair.results, next.wmh) : [],
  ];
  return pairs.filter(({ before, after }) => before !== after);
}

function t1Pairs(stored: AnalysisResults, next: Remeasured): Change[] {
  const newVolumes = new Map(next.volumes?.map(({ label, mm3 }) => [label, mm3]));
  const regions = REGIONS.filter(({ label }) => isMeasured(label) && newVolumes.has(label)).map((
    { label, name },
  ): Change => ({
    name,
    before: stored.volumesMm3[label]!,
    after: newVolumes.get(label)!,
    unit: "mm³",
  }));
  const icv: Change = {
    name: "ICV",
    before: stored.icvMm3,
    after: next.icv_mm3 ?? null,
    unit: "mm³",
  };
  const pairs: Change[] = [...regions, icv], [left, right] = stored.thicknessSidesMm ?? [];
  if (left !== undefined && right !== undefined && next.mean_thickness_mm) {
    pairs.push({
      name: "Thickness, left",
      before: left,
      after: next.mean_thickness_mm.left,
      unit: "mm",
    });
    pairs.push({
      name: "Thickness, right",
      before: right,
      after: next.mean_thickness_mm.right,
      unit: "mm",
    });
  }
  for (const [label, mm] of (next.thickness_by_label_mm ?? []).entries()) {
    const storedMm = stored.thicknessMm?.[label], region = regionOf(label);
    if (storedMm !== undefined && region) {
      pairs.push({ name: `Thickness, ${region.name}`, before: storedMm, after: mm, unit: "mm" });
    }
  }
  return pairs;
}

/** Volumes of deep structures of a FLAIR analysed alone, rounded as printed, and the ICV. */
function structurePairs(stored: FlairResults, next: Remeasured["wmh"]): Change[] {
  const volumeOf = (
    read: { isUsed: boolean; volumesMm3: number[] } | null | undefined,
    label: number,
  ) => read?.isUsed ? read.volumesMm3[label] ?? null : null;
  const structures = REGIONS.filter(({ label }) => isReadOnFlair(label)).map((
    { label, name },
  ): Change => ({
    name,
    before: volumeOf(stored.deepStructures, label),
    after: volumeOf(next?.deep_structures, label),
    unit: "mm³",
  }));
  return [...structures, {
    name: "ICV",
    before: stored.icvMm3,
    after: next?.flair_icv_mm3 ?? null,
    unit: "mm³",
  }];
}

const lesionPairs = (
  { periMm3, deepMm3 }: FlairResults,
  next: NonNullable<Remeasured["wmh"]>,
): Change[] => [
  { name: "WMH, periventricular", before: periMm3, after: next.peri_mm3, unit: "mm³" },
  { name: "WMH, deep", before: deepMm3, after: next.deep_mm3, unit: "mm³" },
];

/**
 * The newest analyses, one per study: `count` of T1w series with the FLAIR series,
 * then `count` of a FLAIR series alone.
 */
export const sampleOf = (db: Database, count: number): Promise<RehearsableAnalysis[]> =>
  listRehearsable(db, count);
